import { extname } from 'node:path';
import PostalMime from 'postal-mime';
import { decodeText } from '../../charsets/decode-text.ts';
import { embeddedHtml, paragraphs } from '../../embedded-html.ts';
import { declareCharsets } from '../../mail/declared-text.ts';
import { readRelationships } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { tryReadPart } from './replace-parts.ts';

const DOCUMENT = 'word/document.xml';
/** Limits: of the files in a document, and of the bytes of all together. */
const MAX_CHUNKS = 200;
const MAX_BYTES = 16 * 1024 * 1024;
const NO_IMAGES: ReadonlyMap<string, string> = new Map();

/** The element that stands for a file in another format (ECMA-376-1, 17.17.2.1). */
export const ALT_CHUNK = /<w:altChunk(?=\s)([^<>]*?)(?:\/>|>(?:(?!<w:altChunk[\s>])[\s\S])*?<\/w:altChunk>)/g;

/** A file in a document that is converted like a document of its own. */
export type ConvertChunk = (type: 'docx' | 'rtf', bytes: Uint8Array) => Promise<string | undefined>;

/** The files in other formats that a Word document includes. */
export interface AltChunks {
  /** Their HTML, by the identifiers of their relationships. */
  html: ReadonlyMap<string, string>;
  /** Whether some could not be read. */
  isIncomplete: boolean;
}

/**
 * Reads the files in other formats that a Word document includes, as report generators write them: HTML, web
 * archives (MHT), text, and with `convert` RTF and Word documents.
 */
export async function readAltChunks(archive: ZipArchive, convert: ConvertChunk): Promise<AltChunks> {
  const html = new Map<string, string>();
  const xml = tryReadPart(archive, DOCUMENT, 64 * 1024 * 1024)?.toString('utf8') ?? '';
  if (!xml.includes('<w:altChunk')) return { html, isIncomplete: false };
  const relationships = readRelationships(archive, DOCUMENT);
  let left = MAX_BYTES;
  let isIncomplete = false;
  for (const [, attributes = ''] of [...xml.matchAll(ALT_CHUNK)].slice(0, MAX_CHUNKS)) {
    const id = /\sr:id="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const part = relationships.get(id)?.target;
    const bytes = part === undefined ? undefined : tryReadPart(archive, part, Math.max(1, left));
    left -= bytes?.length ?? 0;
    const content = part && bytes && !html.has(id) ? await readChunk(part, bytes, convert) : undefined;
    if (content !== undefined) html.set(id, content);
    isIncomplete ||= !html.has(id);
  }
  return { html, isIncomplete };
}

/**
 * Reads a page or text that is saved as a document.
 * @param part its name, whose extension says what a text is
 * @returns undefined for a file that cannot be read
 */
export async function readChunk(
  part: string,
  bytes: Uint8Array,
  convert: ConvertChunk,
): Promise<string | undefined> {
  const start = Buffer.from(bytes.subarray(0, 2000)).toString('latin1');
  if (start.startsWith('{\\rtf')) return convert('rtf', bytes);
  if (start.startsWith('PK\x03\x04')) return convert('docx', bytes);
  if (
    /^(?:mht|mhtml|eml)$/i.test(extname(part).slice(1)) ||
    /^(?:mime-version|content-type):/im.test(start)
  ) {
    const mail = await PostalMime.parse(declareCharsets(bytes).bytes);
    return mail.html ? embeddedHtml(mail.html, NO_IMAGES) : paragraphs(mail.text ?? '');
  }
  if (/\0/.test(start.replace(/^(?:\xff\xfe|\xfe\xff)[\s\S]*/, ''))) return undefined;
  const text = decodeText(bytes, extname(part) === '.txt' ? 'text/plain' : 'text/html');
  return extname(part) === '.txt' ? paragraphs(text) : embeddedHtml(text, NO_IMAGES);
}
