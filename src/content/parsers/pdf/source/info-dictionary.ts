import type { InfoDictionary } from './metadata.ts';
import { findCompressedObject } from './object-streams.ts';

/**
 * Bytes searched for the trailer, which is at the end of a file, or at the beginning of a linearised file.
 */
const SEARCHED = 8192;
const ENTRY = /\/(Title|Author|Subject|Keywords|CreationDate|ModDate)\s*(\(|<(?!<))/g;

/**
 * Finds the information dictionary in the bytes of a file, which is much faster than opening the file with a
 * library.
 * @returns undefined if the file is encrypted or damaged, or its dictionary is not found
 */
export function readInfoDictionary(file: Buffer): InfoDictionary | undefined {
  const ends = `${file.toString('latin1', 0, SEARCHED)}\n${file.toString('latin1', Math.max(0, file.length - SEARCHED))}`;
  // Searches for strings are several times as fast as those for patterns.
  if (ends.includes('/Encrypt') && /\/Encrypt\b/.test(ends)) return undefined;
  const references = ends.slice(Math.max(0, ends.indexOf('/Info')));
  const reference = [...references.matchAll(/\/Info\s+(\d+)\s+(\d+)\s+R/g)].at(-1);
  if (!reference) return /\/Root\s+\d+/.test(ends) ? {} : undefined;
  const [, number, generation] = reference;
  const text = plainObject(file, `${number} ${generation} obj`) ?? findCompressedObject(file, Number(number));
  if (text === undefined) return undefined;
  const info: Record<string, string> = {};
  for (const entry of text.matchAll(ENTRY)) {
    const value =
      entry[2] === '('
        ? literal(text, entry.index + entry[0].length)
        : hexadecimal(text, entry.index + entry[0].length);
    info[entry[1] as string] = decode(value);
  }
  return info;
}

/** @param header how the object begins, at the beginning of a line */
function plainObject(file: Buffer, header: string): string | undefined {
  let start = file.lastIndexOf(header);
  while (start > 0 && !isLineEnd(file[start - 1])) start = file.lastIndexOf(header, start - 1);
  if (start <= 0) return undefined;
  const end = file.indexOf('endobj', start);
  return file.toString('latin1', start, Math.min(end === -1 ? start + SEARCHED : end, start + 65_536));
}

const isLineEnd = (byte: number | undefined) => byte === 10 || byte === 13;

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Reads a literal string (ISO 32000-1, 7.3.4.2) as Latin-1 characters, one per byte. */
function literal(text: string, start: number): string {
  let value = '';
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '\\') {
      const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
      const next = text[at + 1] ?? '';
      if (octal) value += String.fromCharCode(Number.parseInt(octal, 8) & 255);
      else if (next !== '\n' && next !== '\r') value += ESCAPES[next] ?? next;
      at += octal?.length ?? 1;
      continue;
    }
    if (character === '(') depth++;
    if (character === ')' && --depth === 0) break;
    value += character;
  }
  return value;
}

const hexadecimal = (text: string, start: number) =>
  Buffer.from(text.slice(start, text.indexOf('>', start)).replace(/\s/g, ''), 'hex').toString('latin1');

const ASCII = /^[\x20-\x7e]*$/;
const UTF_16BE = new TextDecoder('utf-16be');
const UTF_16LE = new TextDecoder('utf-16le');
const WINDOWS_1252 = new TextDecoder('windows-1252');

/**
 * Decodes a text string (ISO 32000-2, 7.9.2.2): UTF-16 or UTF-8 if it begins with a byte order mark, else
 * PDFDocEncoding, of which Windows-1252 is a close approximation.
 */
function decode(value: string): string {
  if (ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  if (value.startsWith('\u00fe\u00ff')) return UTF_16BE.decode(bytes.subarray(2));
  if (value.startsWith('\u00ff\u00fe')) return UTF_16LE.decode(bytes.subarray(2));
  if (value.startsWith('\u00ef\u00bb\u00bf')) return bytes.toString('utf8', 3);
  return WINDOWS_1252.decode(bytes);
}
