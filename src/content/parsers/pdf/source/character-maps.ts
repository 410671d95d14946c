import { constants } from 'node:zlib';
import {
  expand,
  MAX_EXPANDED_BYTES,
  MAX_REFERENCE_BYTES,
  MAX_STREAMS,
  type Stream,
  streamAt,
} from './streams.ts';

/** The most objects that are searched for one by one; a file with more of them is read once as a whole. */
const MAX_SEARCHES = 32;
const REFERENCE = '/ToUnicode';
/** By this number of bytes of a compressed stream, a character map can be told from other streams. */
const PEEK_BYTES = 96;
/** A character map of a file, from the first byte of its stream to the one behind the last. */
export interface CharacterMap {
  start: number;
  end: number;
  isCompressed: boolean;
  /** The number and the generation of its object, as they are in the file. */
  number: string;
  /** As Latin-1. */
  text: string;
}

/** What streams that are no character maps have in their dictionaries. */
const OTHER_STREAM =
  /\/(?:Subtype|Length[123]|Predictor|FunctionType|ShadingType|ObjStm|XRef|Metadata|XML)\b/;

/**
 * Finds the maps from the codes of fonts to characters (`ToUnicode`, ISO 32000-1, 9.10.3): by the references to
 * them or, where these may be in compressed objects, by the beginning of each stream.
 */
export function findCharacterMaps(file: Buffer): CharacterMap[] {
  const numbers = file.includes('/ObjStm') ? undefined : findReferences(file);
  if (numbers && numbers.size <= MAX_SEARCHES)
    return Array.from(numbers, (number) => file.lastIndexOf(`\n${number} obj`)).flatMap((object) => {
      const at = object === -1 ? -1 : file.indexOf('stream', object);
      const stream = at === -1 ? undefined : streamAt(file, at);
      return (stream && toMap(file, stream, true)) ?? [];
    });
  const maps: CharacterMap[] = [];
  let at = file.indexOf('stream');
  for (let count = 0; at !== -1 && count < MAX_STREAMS; count++) {
    const stream = streamAt(file, at);
    if (!stream) return maps;
    const mayBeMap = numbers ? numbers.has(stream.number) : !OTHER_STREAM.test(stream.dictionary);
    const map = mayBeMap ? toMap(file, stream, numbers !== undefined) : undefined;
    if (map) maps.push(map);
    // The end of the stream has the word once more.
    const next = file.indexOf('endstream', stream.end);
    at = next === -1 ? -1 : file.indexOf('stream', next + 'endstream'.length);
  }
  return maps;
}

function toMap(
  file: Buffer,
  { start, end, number, dictionary }: Stream,
  isMap: boolean,
): CharacterMap | undefined {
  if (!dictionary.includes('>>')) return undefined;
  const isCompressed = dictionary.includes('/FlateDecode');
  const text = mapText(file.subarray(start, end), isCompressed, isMap);
  return text ? { start, end, isCompressed, number, text } : undefined;
}

/** The numbers and generations of the objects that a file without compressed objects refers to as character maps. */
function findReferences(file: Buffer): Set<string> {
  const numbers = new Set<string>();
  for (let at = file.indexOf(REFERENCE); at !== -1; at = file.indexOf(REFERENCE, at + 1)) {
    const from = at + REFERENCE.length;
    const number = /^\s*(\d+ \d+) R\b/.exec(file.toString('latin1', from, from + MAX_REFERENCE_BYTES))?.[1];
    if (number !== undefined && numbers.size < MAX_STREAMS) numbers.add(number);
  }
  return numbers;
}

/**
 * The text of a stream that is a character map, as Latin-1; undefined if it is something else.
 * @param isMap whether this is known, else its beginning decides
 */
function mapText(bytes: Buffer, isCompressed: boolean, isMap: boolean): string | undefined {
  if (bytes.length > MAX_EXPANDED_BYTES) return undefined;
  if (isMap) return isCompressed ? expand(bytes) : bytes.toString('latin1');
  const head = bytes.subarray(0, PEEK_BYTES);
  const beginning = isCompressed
    ? expand(head, { finishFlush: constants.Z_SYNC_FLUSH })
    : head.toString('latin1');
  if (!beginning || !/CIDInit|begincmap|%!PS-Adobe|beginbf|begincodespace/.test(beginning)) return undefined;
  return isCompressed ? expand(bytes) : bytes.toString('latin1');
}
