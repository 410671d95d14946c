import { inflateSync } from 'node:zlib';

/** The most streams of a file that are looked at, and the most bytes that one is expanded to. */
export const MAX_STREAMS = 5000;
export const MAX_EXPANDED_BYTES = 2 * 1024 * 1024;
/** The dictionary of a stream is expected within this number of bytes before it. */
const MAX_DICTIONARY_BYTES = 512;
/** The number and the generation of an object are expected within this number of bytes before it. */
export const MAX_REFERENCE_BYTES = 24;

/** A stream of a file (ISO 32000-1, 7.3.8), from its first byte to the one behind the last. */
export interface Stream {
  start: number;
  end: number;
  /** The number and the generation of its object, as they are in the file. */
  number: string;
  dictionary: string;
}

/**
 * The stream whose keyword is at a place.
 * @returns undefined for a stream without an end
 */
export function streamAt(file: Buffer, at: number): Stream | undefined {
  const before = file.toString('latin1', Math.max(0, at - MAX_DICTIONARY_BYTES), at);
  const object = before.lastIndexOf(' obj');
  const dictionary = before.slice(object);
  const start = at + 'stream'.length + (file[at + 'stream'.length] === 0x0d ? 2 : 1);
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)\b/.exec(dictionary)?.[1] ?? Number.NaN);
  const end = Number.isNaN(length) ? file.indexOf('endstream', start) : start + length;
  if (end < start || end > file.length) return undefined;
  const number = /\d+ \d+$/.exec(before.slice(Math.max(0, object - MAX_REFERENCE_BYTES), object))?.[0] ?? '';
  return { start, end, number, dictionary };
}

/**
 * The bytes of a compressed stream as Latin-1.
 * @returns undefined if they cannot be expanded, or to too many bytes
 */
export function expand(bytes: Buffer, options: { finishFlush?: number } = {}): string | undefined {
  try {
    return inflateSync(bytes, { ...options, maxOutputLength: MAX_EXPANDED_BYTES }).toString('latin1');
  } catch {
    // A damaged, encrypted or very large stream, which is read as far as PDFium can read it.
    return undefined;
  }
}
