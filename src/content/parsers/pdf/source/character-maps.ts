import { constants, inflateSync } from 'node:zlib';

/** The most streams of a file that are looked at, and the most bytes that one is expanded to. */
const MAX_STREAMS = 5000;
const MAX_EXPANDED_BYTES = 2 * 1024 * 1024;
/** The dictionary of a stream is expected within this number of bytes before it. */
const MAX_DICTIONARY_BYTES = 512;
/** By this number of bytes of a compressed stream, a character map can be told from other streams. */
const PEEK_BYTES = 96;
/** A character map of a file, from the first byte of its stream to the one behind the last. */
export interface CharacterMap {
  start: number;
  end: number;
  isCompressed: boolean;
  /** As Latin-1. */
  text: string;
}

/** What streams that are no character maps have in their dictionaries. */
const OTHER_STREAM =
  /\/(?:Subtype|Length[123]|Predictor|FunctionType|ShadingType|ObjStm|XRef|Metadata|XML)\b/;

/**
 * Finds the maps from the codes of fonts to characters (`ToUnicode`, ISO 32000-1, 9.10.3), by the beginning of
 * each stream that may be one, because references to them may be in compressed objects.
 */
export function findCharacterMaps(file: Buffer): CharacterMap[] {
  const maps: CharacterMap[] = [];
  let at = file.indexOf('stream');
  for (let count = 0; at !== -1 && count < MAX_STREAMS; count++) {
    const before = file.toString('latin1', Math.max(0, at - MAX_DICTIONARY_BYTES), at);
    const dictionary = before.slice(before.lastIndexOf(' obj'));
    const start = at + 'stream'.length + (file[at + 'stream'.length] === 0x0d ? 2 : 1);
    const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)\b/.exec(dictionary)?.[1] ?? Number.NaN);
    const end = Number.isNaN(length) ? file.indexOf('endstream', start) : start + length;
    if (end < start || end > file.length) return maps;
    if (dictionary.includes('>>') && !OTHER_STREAM.test(dictionary)) {
      const isCompressed = dictionary.includes('/FlateDecode');
      const text = mapText(file.subarray(start, end), isCompressed);
      if (text) maps.push({ start, end, isCompressed, text });
    }
    // The end of the stream has the word once more.
    const next = file.indexOf('endstream', end);
    at = next === -1 ? -1 : file.indexOf('stream', next + 'endstream'.length);
  }
  return maps;
}

/** The text of a stream that is a character map, as Latin-1; undefined if it is something else. */
function mapText(bytes: Buffer, isCompressed: boolean): string | undefined {
  if (bytes.length > MAX_EXPANDED_BYTES) return undefined;
  const head = bytes.subarray(0, PEEK_BYTES);
  const beginning = isCompressed
    ? expand(head, { finishFlush: constants.Z_SYNC_FLUSH })
    : head.toString('latin1');
  if (!beginning || !/CIDInit|begincmap|%!PS-Adobe|beginbf|begincodespace/.test(beginning)) return undefined;
  return isCompressed ? expand(bytes) : bytes.toString('latin1');
}

function expand(bytes: Buffer, options: { finishFlush?: number } = {}): string | undefined {
  try {
    return inflateSync(bytes, { ...options, maxOutputLength: MAX_EXPANDED_BYTES }).toString('latin1');
  } catch {
    // A damaged, encrypted or very large stream, which is read as far as PDFium can read it.
    return undefined;
  }
}
