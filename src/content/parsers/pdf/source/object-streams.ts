import { inflateSync } from 'node:zlib';

/** The most streams that are searched, and the most bytes that one of them is expanded to. */
const MAX_STREAMS = 100;
const MAX_EXPANDED_BYTES = 1024 * 1024;
/** The dictionary of a stream is expected within this number of bytes around its type. */
const MAX_DICTIONARY_BYTES = 512;

/**
 * Finds an object in the compressed object streams of a file (ISO 32000-1, 7.5.7), the newest ones first.
 * @param number the number of the object
 * @returns its text as Latin-1 characters, one per byte; undefined if there is no such object, or its stream
 * is damaged or has
 *   a filter other than plain deflate
 */
export function findCompressedObject(file: Buffer, number: number): string | undefined {
  for (const stream of objectStreams(file)) {
    const place = stream.numbers.findIndex((each, index) => index % 2 === 0 && each === number);
    if (place !== -1) return objectAt(stream, place);
  }
  return undefined;
}

/** The texts of all objects in the compressed object streams of a file, as Latin-1 characters. */
export function* compressedObjects(file: Buffer): Generator<string> {
  for (const stream of objectStreams(file))
    for (let place = 0; place < stream.numbers.length; place += 2) yield objectAt(stream, place);
}

interface ObjectStream {
  text: string;
  /** Where the first object begins. */
  first: number;
  /** Pairs of the numbers of objects and their places behind the first one. */
  numbers: number[];
}

const objectAt = ({ text, first, numbers }: ObjectStream, place: number) =>
  text.slice(first + (numbers[place + 1] ?? 0), first + (numbers[place + 3] ?? text.length));

function* objectStreams(file: Buffer): Generator<ObjectStream> {
  let at = file.lastIndexOf('/ObjStm');
  for (let count = 0; at !== -1 && count < MAX_STREAMS; count++) {
    const stream = objectStream(file, at);
    if (stream) yield stream;
    at = at === 0 ? -1 : file.lastIndexOf('/ObjStm', at - 1);
  }
}

/** @param type where the type of the stream is in the file */
function objectStream(file: Buffer, type: number): ObjectStream | undefined {
  const around = file.toString(
    'latin1',
    Math.max(0, type - MAX_DICTIONARY_BYTES),
    type + MAX_DICTIONARY_BYTES,
  );
  const middle = Math.min(type, MAX_DICTIONARY_BYTES);
  const start = around.lastIndexOf(' obj', middle);
  const stream = /stream\r?\n/g;
  stream.lastIndex = middle;
  const begin = stream.exec(around);
  if (start === -1 || !begin) return undefined;
  const dictionary = around.slice(start, begin.index);
  const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1]);
  if (!first || !/\/Filter\s*\[?\s*\/FlateDecode/.test(dictionary) || /\/DecodeParms/.test(dictionary))
    return undefined;
  const text = expand(file.subarray(type - middle + begin.index + begin[0].length));
  return text === undefined
    ? undefined
    : { text, first, numbers: text.slice(0, first).trim().split(/\s+/).map(Number) };
}

/** Expands the stream that begins the bytes; what follows it is ignored. */
function expand(bytes: Buffer): string | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_EXPANDED_BYTES }).toString('latin1');
  } catch {
    // A damaged or very large stream; PDF.js reads what can be read of it.
    return undefined;
  }
}
