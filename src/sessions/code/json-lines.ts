import type { Readable } from 'node:stream';
import { findExceededBound, type JsonBounds } from '../../json/json-size.ts';

/** Maximum bytes of a line: a result of a million characters, each of which may be escaped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * What a line may contain: messages have a few members. Parsing millions of values would take seconds, in which the
 * host serves nobody else.
 */
const BOUNDS: JsonBounds = { values: 1_000, members: 1_000, depth: 20 };

/**
 * Reads lines of JSON from a program that is not trusted. Lines that are not JSON, or have more values than a
 * message, are ignored, because code may write to the pipe of its program.
 * @param onLine gets the value of each line
 * @param onFlood is called for a line that is too long
 */
export function readJsonLines(
  stream: Readable,
  { onLine, onFlood }: { onLine: (value: unknown) => void; onFlood: () => void },
): void {
  const begun = new BegunLine();
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const value = parse(begun.endWith(chunk.subarray(start, end)));
      start = end + 1;
      if (value !== undefined) onLine(value);
    }
    begun.add(chunk.subarray(start));
    if (begun.length <= MAX_LINE_BYTES) return;
    begun.endWith(Buffer.alloc(0));
    onFlood();
  });
}

/**
 * The beginning of a line in one piece of memory, which doubles when it is full: a line may come byte by byte, and each
 * chunk by itself would take a hundred times its size.
 */
class BegunLine {
  #bytes = Buffer.alloc(0);
  length = 0;

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  /** @returns the whole line; the next one begins */
  endWith(chunk: Buffer): Buffer {
    if (this.length === 0) return chunk;
    this.add(chunk);
    const line = this.#bytes.subarray(0, this.length);
    this.#bytes = Buffer.alloc(0);
    this.length = 0;
    return line;
  }
}

function parse(line: Buffer): unknown {
  if (line.length === 0 || findExceededBound(line, BOUNDS)) return undefined;
  try {
    return JSON.parse(line.toString());
  } catch {
    // Something else was written to the pipe.
    return undefined;
  }
}
