import { fieldsOf } from '../../json/json-object.ts';

/**
 * A message between the service and a sandboxed process. On the pipe it is the length of the JSON in four
 * bytes, most significant first, then the JSON `{"header": …, "parts": [lengths]}`, then the parts.
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

/** Assembles frames from the chunks of a pipe. */
export class FrameReader {
  readonly #maxBytes: number;
  /** Bytes of the frames that are complete. */
  #read = 0;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes that are needed for the next step: the length, then the JSON, then the parts. */
  #needed = LENGTH_BYTES;
  #jsonEnd = 0;
  #header: unknown;
  #partLengths: number[] | undefined;

  /** @param maxBytes the most that all frames together may have, their JSON included */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a part of a frame has been received, but not all of it. */
  get isWithinFrame(): boolean {
    return this.#received > 0;
  }

  /**
   * Takes the next chunk.
   * @returns the frames that are now complete
   * @throws FrameError for what is not a frame or is above the limit
   */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    const frames: Frame[] = [];
    while (this.#received >= this.#needed) {
      const bytes = this.#join();
      if (this.#partLengths) frames.push(this.#takeFrame(bytes, this.#partLengths));
      else if (this.#jsonEnd) this.#readJson(bytes);
      else {
        this.#jsonEnd = LENGTH_BYTES + bytes.readUInt32BE();
        this.#need(this.#jsonEnd);
      }
    }
    return frames;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#received);
    this.#chunks = [bytes];
    return bytes;
  }

  #need(bytes: number): void {
    if (this.#read + bytes > this.#maxBytes)
      throw new FrameError(`a message exceeds ${this.#maxBytes} bytes`);
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

  /** Takes a frame from the beginning of the bytes, and begins with the next one. */
  #takeFrame(bytes: Buffer, lengths: number[]): Frame {
    const parts: Uint8Array[] = [];
    let start = this.#jsonEnd;
    for (const length of lengths) {
      parts.push(bytes.subarray(start, start + length));
      start += length;
    }
    const frame = { header: this.#header, parts };
    this.#read += start;
    this.#chunks = bytes.length > start ? [bytes.subarray(start)] : [];
    this.#received = bytes.length - start;
    this.#needed = LENGTH_BYTES;
    this.#jsonEnd = 0;
    this.#partLengths = undefined;
    return frame;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FrameError('a message is not JSON', { cause: error });
  }
}
