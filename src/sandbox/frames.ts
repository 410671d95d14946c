import { fieldsOf } from '../json-object.ts';

/**
 * A message between the service and a sandboxed process. On the pipe it is the length of the JSON in four bytes, most
 * significant first, then the JSON `{"header": …, "parts": [lengths]}`, then the parts.
 */
export interface Frame {
  /** Any JSON value. */
  header: unknown;
  parts: Uint8Array[];
}

const LENGTH_BYTES = 4;

/** The other side sent something that is not a frame, or a frame above the limit. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** Encodes a frame. @returns the chunks to write, in their order */
export function encodeFrame({ header, parts }: Frame): Uint8Array[] {
  const json = JSON.stringify({ header, parts: parts.map(({ byteLength }) => byteLength) });
  const length = Buffer.byteLength(json);
  const start = Buffer.allocUnsafe(LENGTH_BYTES + length);
  start.writeUInt32BE(length);
  start.write(json, LENGTH_BYTES);
  return [start, ...parts];
}

/** Assembles one frame from the chunks of a pipe. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes that are needed for the next step: the length, then the JSON, then the parts. */
  #needed = LENGTH_BYTES;
  #jsonEnd = 0;
  #header: unknown;
  #partLengths: number[] | undefined;

  /** @param maxBytes the most that a frame may have, its JSON included */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next chunk.
   * @returns the frame, once it is complete
   * @throws FrameError for what is not a frame or is above the limit
   */
  push(chunk: Buffer): Frame | undefined {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    while (this.#received >= this.#needed) {
      const bytes = this.#join();
      if (this.#partLengths) return this.#toFrame(bytes, this.#partLengths);
      if (this.#jsonEnd) this.#readJson(bytes);
      else {
        this.#jsonEnd = LENGTH_BYTES + bytes.readUInt32BE();
        this.#need(this.#jsonEnd);
      }
    }
    return undefined;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#received);
    this.#chunks = [bytes];
    return bytes;
  }

  #need(bytes: number): void {
    if (bytes > this.#maxBytes) throw new FrameError(`a message exceeds ${this.#maxBytes} bytes`);
    this.#needed = bytes;
  }

  #readJson(bytes: Buffer): void {
    const { header, parts } = fieldsOf(parseJson(bytes.toString('utf8', LENGTH_BYTES, this.#jsonEnd)));
    if (!Array.isArray(parts) || !parts.every((length) => Number.isSafeInteger(length) && length >= 0))
      throw new FrameError('a message does not list the lengths of its parts');
    this.#header = header;
    this.#partLengths = parts;
    this.#need(parts.reduce((sum, length) => sum + length, this.#jsonEnd));
  }

  #toFrame(bytes: Buffer, lengths: number[]): Frame {
    if (bytes.length > this.#needed) throw new FrameError('a message is followed by further bytes');
    const parts: Uint8Array[] = [];
    let start = this.#jsonEnd;
    for (const length of lengths) {
      parts.push(bytes.subarray(start, start + length));
      start += length;
    }
    return { header: this.#header, parts };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FrameError('a message is not JSON', { cause: error });
  }
}
