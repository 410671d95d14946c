import render from 'dom-serializer';
import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { ServiceError } from '../../../../errors.ts';
import { escapeHtml } from '../../../html/parse/escape-html.ts';
import { parseHtml } from '../../../html/parse/parse.ts';
import { closeEmptyElements } from '../../../html/parse/xhtml.ts';
import { oneLine } from '../../../html/text.ts';
import { decodeText } from '../../charsets/decode-text.ts';
import { type DocumentImage, imageUrl } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import { bodyOf } from '../../embedded-html.ts';
import { toImageType } from '../../image-type.ts';
import type { ZipArchive } from '../../zip.ts';
import { slugOf } from '../heading-anchors.ts';
import { tryReadPart } from '../source/replace-parts.ts';
import { adaptChapter, type Chapter, elementsOf, isHeading, NOTE_MARK } from './chapter.ts';
import { takeNotes } from './notes.ts';
import { readEpubPackage } from './package.ts';

/** Limits in bytes: of all pages, and of all images. */
const MAX_PAGES_BYTES = 64 * 1024 * 1024;
const MAX_IMAGES_BYTES = 64 * 1024 * 1024;
/** Prefixes of the elements of other vocabularies, which HTML knows without. */
const PREFIX = /<(\/?)(?:m|mml|mathml|svg|xhtml|html):(?=[a-z])/gi;
const CUT = 'The e-book is too large; only its first pages were read.';
const DAMAGED = 'Some pages of the e-book are damaged or missing.';

/** The content of an e-book. */
export interface EpubContent {
  html: string;
  images: DocumentImage[];
  warnings: string[];
}

/**
 * Converts an e-book (EPUB 2 and 3) to HTML. Its pages are HTML, so that they only have to become parts of
 * one: with unique identifiers, links within the book, and its notes behind it.
 * @param options.title the title of the book, which becomes its first heading
 * @throws DocumentError if its pages cannot be read
 */
export function convertEpub(
  archive: ZipArchive,
  { images: wantsImages, title = '' }: { images: boolean; title?: string | undefined },
): EpubContent {
  const { chapters: paths, mediaTypes, isCut } = readEpubPackage(archive);
  const images = new BookImages(archive, mediaTypes, wantsImages);
  const { chapters, warnings } = readChapters(archive, paths);
  if (isCut) warnings.push(CUT);
  const notes = takeNotes(chapters);
  const fragments = new BookFragments(chapters);
  const anchors = {
    fragment: (path: string, id: string | undefined) => fragments.of(path, id),
    image: (path: string) => images.urlOf(path),
  };
  for (const chapter of chapters) adaptChapter(chapter, anchors);
  for (const { item, path } of notes) adaptChapter({ path, place: 0, body: item }, anchors);
  const pages = chapters.map(({ body, path }) => `${fragments.opening(path)}${htmlOf(body.children)}`);
  const list = notes.length > 0 ? [`<ol>${htmlOf(notes.map(({ item }) => item))}</ol>`] : [];
  const isTitled = chapters[0] && firstHeading(chapters[0]) === title.trim();
  const heading = title.trim() && !isTitled ? [`<h1>${escapeHtml(title.trim())}</h1>`] : [];
  return { html: [...heading, ...pages, ...list].join('\n'), images: images.images, warnings };
}

const htmlOf = (nodes: Parameters<typeof render>[0]) => render(nodes, { encodeEntities: 'utf8' }).trim();

function readChapters(archive: ZipArchive, paths: readonly string[]) {
  const chapters: Chapter[] = [];
  const warnings: string[] = [];
  let left = MAX_PAGES_BYTES;
  for (const [place, path] of paths.entries()) {
    const bytes = left > 0 ? tryReadPart(archive, path, left) : undefined;
    left -= bytes?.length ?? 0;
    const warning = left > 0 ? DAMAGED : CUT;
    if (!bytes && !warnings.includes(warning)) warnings.push(warning);
    if (bytes) chapters.push({ path, place, body: bodyOf(parse(bytes)) });
  }
  return { chapters, warnings };
}

function parse(bytes: Uint8Array) {
  try {
    return parseHtml(closeEmptyElements(decodeText(bytes, 'text/html').replace(PREFIX, '<$1')));
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new DocumentError('too-large', 'A page of the e-book has too many elements.', { cause });
  }
}

function firstHeading({ body }: Chapter): string | undefined {
  for (const element of elementsOf(body)) if (isHeading(element)) return oneLine(textContent(element));
  return undefined;
}

/** The fragments of the book: those of headings are made from their text, as in other documents. */
class BookFragments {
  readonly #fragments = new Map<string, string>();
  readonly #opened = new Set<string>();

  constructor(chapters: readonly Chapter[]) {
    const uses = new Map<string, number>();
    for (const { path, place, body } of chapters) {
      const headings = new Map<Element, string>();
      for (const element of elementsOf(body)) {
        if (!isHeading(element)) continue;
        const slug = slugOf(textContent(element).replace(/\s+/g, ' '));
        const earlier = uses.get(slug) ?? 0;
        uses.set(slug, earlier + 1);
        headings.set(element, earlier === 0 ? slug : `${slug}-${earlier}`);
      }
      for (const element of elementsOf(body)) {
        const { id } = element.attribs;
        if (!id || NOTE_MARK in element.attribs) continue;
        this.#set(path, id, headings.get(firstOf(element)) || `page-${place + 1}-${id}`);
      }
      for (const [heading, slug] of headings)
        if (slug && !heading.attribs.id) this.#name(heading, path, slug);
      const [first] = headings.values();
      this.#set(path, undefined, first || `page-${place + 1}`);
      if (!first) this.#opened.add(path);
    }
  }

  /** Gives a heading without an identifier one, to which links to the whole page lead. */
  #name(heading: Element, path: string, slug: string): void {
    heading.attribs = { ...heading.attribs, id: slug };
    this.#set(path, slug, slug);
  }

  of(path: string, id: string | undefined): string | undefined {
    return this.#fragments.get(keyOf(path, id)) ?? this.#fragments.get(keyOf(path, undefined));
  }

  /** The anchor of a page without a heading. */
  opening(path: string): string {
    return this.#opened.has(path) ? `<a id="${escapeHtml(this.of(path, undefined) ?? '')}"></a>` : '';
  }

  #set(path: string, id: string | undefined, fragment: string): void {
    this.#fragments.set(keyOf(path, id), fragment);
  }
}

const keyOf = (path: string, id: string | undefined) => (id === undefined ? path : `${path}#${id}`);

/** The heading with which a section begins, or the element itself. */
function firstOf(element: Element): Element {
  let first = element;
  for (let depth = 0; depth < 3 && !isHeading(first); depth++) {
    const inner = first.children.find((child) => isTag(child) || textContent(child).trim() !== '');
    if (!inner || !isTag(inner)) return element;
    first = inner;
  }
  return isHeading(first) ? first : element;
}

class BookImages {
  readonly images: DocumentImage[] = [];
  readonly #archive: ZipArchive;
  readonly #mediaTypes: ReadonlyMap<string, string>;
  readonly #isWanted: boolean;
  readonly #urls = new Map<string, string | undefined>();
  #left = MAX_IMAGES_BYTES;

  constructor(archive: ZipArchive, mediaTypes: ReadonlyMap<string, string>, isWanted: boolean) {
    this.#archive = archive;
    this.#mediaTypes = mediaTypes;
    this.#isWanted = isWanted;
  }

  urlOf(path: string): string | undefined {
    if (!this.#isWanted) return undefined;
    if (!this.#urls.has(path)) this.#urls.set(path, this.#collect(path));
    return this.#urls.get(path);
  }

  #collect(path: string): string | undefined {
    const mediaType = toImageType(this.#mediaTypes.get(path) ?? '');
    const bytes = mediaType && this.#left > 0 ? tryReadPart(this.#archive, path, this.#left) : undefined;
    if (!mediaType || !bytes) return undefined;
    this.#left -= bytes.length;
    const id = String(this.images.length);
    this.images.push({ id, mediaType, bytes });
    return imageUrl(id);
  }
}
