import { toBuffer } from '../source-text.ts';
import { isCompoundFile } from './compound-file.ts';
import { DocumentError } from './document-error.ts';
import { isZip } from './zip.ts';

/** Kinds of files by their first bytes, as Latin-1. */
const SIGNATURES: [start: string, name: string][] = [
  ['\xffWPC', 'a WordPerfect document'],
  ['\xdb\xa5', 'a document of Word for Windows 2'],
  ['\x9b\xa5', 'a document of Word for Windows 1'],
  ['1\xbe\0\0', 'a document of Word for DOS or Windows Write'],
  ['2\xbe\0\0', 'a document of Word for DOS or Windows Write'],
  ['\xfe7\0', 'a document of Word for Macintosh'],
  ['{\\rtf', 'an RTF document'],
  ['%PDF-', 'a PDF file'],
  ['%!PS', 'a PostScript file'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['SQLite format 3', 'an SQLite database'],
  ['MZ', 'a Windows program'],
  ['\x7fELF', 'a program'],
];
/** Kinds of texts by their beginnings. */
const TEXTS: [start: RegExp, name: string][] = [
  [/^(?:<\?xml[^>]*>\s*)?(?:<\?mso-application[^>]*Word|<w:wordDocument)/i, 'a Word 2003 XML document'],
  [
    /^(?:<\?xml[^>]*>\s*)?(?:<\?mso-application[^>]*>\s*)?<pkg:package/i,
    'an Office document in one XML file',
  ],
  [/^(?:<\?xml[^>]*>\s*)?<office:document\b/i, 'an OpenDocument file in one XML file'],
  [/^(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i, 'an HTML page'],
  [/^<\?xml/i, 'an XML file'],
  [/^(?:\{\s*["}]|\[\s*[[{"\d\]tfn-])/, 'a JSON file'],
];
/** Bytes that are looked at. */
const START_BYTES = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters do not occur in text
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

function startOf(bytes: Uint8Array): string {
  return toBuffer(bytes).subarray(0, START_BYTES).toString('latin1');
}

/** The beginning of a text without its byte order mark; undefined for a binary file. */
export function textStart(bytes: Uint8Array): string | undefined {
  const start = startOf(bytes);
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start)) return start.replaceAll('\0', '').slice(2);
  return BINARY.test(start) || isZip(bytes) ? undefined : start.replace(/^\xef\xbb\xbf/, '').trimStart();
}

/** What a file is according to its bytes, such as `a JSON file`. */
export function nameOfFile(bytes: Uint8Array): string {
  const start = startOf(bytes);
  const named = SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
  if (named) return named;
  if (isZip(bytes)) return 'a zip archive without a document';
  if (isCompoundFile(toBuffer(bytes))) return 'a file of an older program of Office, without such a document';
  const text = textStart(bytes);
  if (text === undefined) return 'a binary file of an unknown format';
  return TEXTS.find(([beginning]) => beginning.test(text))?.[1] ?? 'a text file';
}

/** The error for a file that is of another format than its name or its sender says. */
export function foreignError(type: string, bytes: Uint8Array): DocumentError {
  if (bytes.length === 0) return new DocumentError('damaged', 'The file is empty.');
  return new DocumentError(
    'unsupported',
    `The file is ${nameOfFile(bytes)}, although it is named or declared as ${type}. Send it with the name and the type of its own format, or save it as ${type}.`,
  );
}
