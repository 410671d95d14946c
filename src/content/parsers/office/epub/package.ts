import { posix } from 'node:path';
import { Parser } from 'htmlparser2';
import { DocumentError } from '../../document-error.ts';
import { localName } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { tryReadPart } from '../source/replace-parts.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const CHAPTER = /^(?:application\/xhtml\+xml|text\/(?:html|x-oeb1-document)|image\/svg\+xml)$/i;
const MAX_CHAPTERS = 2000;

/** What an e-book consists of. Names are those of the archive. */
export interface EpubPackage {
  /** The pages in their order. */
  chapters: string[];
  /** The media types of all files. */
  mediaTypes: ReadonlyMap<string, string>;
  /** Whether there are more chapters than are read. */
  isCut: boolean;
}

/**
 * Reads the order of the pages of an e-book (EPUB 3.3, 5).
 * @throws DocumentError if the e-book has no list of pages, or if these are encrypted
 */
export function readEpubPackage(archive: ZipArchive): EpubPackage {
  const packagePart = /\bfull-path\s*=\s*["']([^"']+)["']/.exec(textOf(archive, CONTAINER))?.[1];
  const xml = packagePart ? textOf(archive, decoded(packagePart)) : '';
  const { items, order } = readManifest(xml);
  const folder = posix.dirname(decoded(packagePart ?? ''));
  const mediaTypes = new Map<string, string>();
  const pathOf = (href: string) => posix.join(folder, decoded(href));
  for (const { href, mediaType } of items.values()) mediaTypes.set(pathOf(href), mediaType);
  const chapters = order.flatMap((id) => {
    const item = items.get(id);
    return item && CHAPTER.test(item.mediaType) ? [pathOf(item.href)] : [];
  });
  if (chapters.length === 0)
    throw new DocumentError('damaged', 'The e-book is damaged: it has no list of its pages.');
  const encryption = textOf(archive, ENCRYPTION);
  if (chapters.some((path) => encryption.includes(`"${path}"`)))
    throw new DocumentError('password', 'The e-book is encrypted (DRM), and cannot be read.');
  return { chapters: chapters.slice(0, MAX_CHAPTERS), mediaTypes, isCut: chapters.length > MAX_CHAPTERS };
}

function readManifest(xml: string) {
  const items = new Map<string, { href: string; mediaType: string }>();
  const order: string[] = [];
  const parser = new Parser(
    {
      onopentag(tag, { id, href, idref, 'media-type': mediaType = '' }) {
        const name = localName(tag);
        if (name === 'item' && id && href) items.set(id, { href, mediaType });
        if (name === 'itemref' && idref) order.push(idref);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return { items, order };
}

function textOf(archive: ZipArchive, name: string): string {
  return tryReadPart(archive, name, 4 * 1024 * 1024)?.toString('utf8') ?? '';
}

/** A reference in a package without its percent-encoding, which is that of names in the archive. */
export function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch (error) {
    // A percent sign that is not part of an escape sequence.
    if (error instanceof URIError) return href;
    throw error;
  }
}
