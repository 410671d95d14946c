import { once } from 'node:events';
import { crc32, createDeflate } from 'node:zlib';
import { PNG_SIGNATURE } from './png-rows.ts';

/** Bits of a channel, the colour type RGB, and no interlacing. */
const FORM = Buffer.from([8, 2, 0, 0, 0]);
/** The filter of each row: its bytes are as they are. */
const NO_FILTER = Buffer.from([0]);

/** Writes a PNG file row by row, so that only what is compressed is in memory. */
export class PngWriter {
  readonly #deflate = createDeflate({ level: 3 });
  readonly #parts: Buffer[] = [];
  readonly #header: Buffer;

  constructor(width: number, height: number) {
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    this.#header = chunkOf('IHDR', Buffer.concat([size, FORM]));
    this.#deflate.on('data', (part: Buffer) => this.#parts.push(part));
  }

  /** Adds the next row: red, green and blue of each pixel, which the writer keeps until the promise resolves. */
  async addRow(row: Uint8Array): Promise<void> {
    this.#deflate.write(NO_FILTER);
    if (!this.#deflate.write(Buffer.from(row))) await once(this.#deflate, 'drain');
  }

  /** Ends the file, which must have all of its rows. @returns its bytes */
  async end(): Promise<Buffer> {
    this.#deflate.end();
    await once(this.#deflate, 'end');
    return Buffer.concat([
      Buffer.from(PNG_SIGNATURE, 'latin1'),
      this.#header,
      chunkOf('IDAT', Buffer.concat(this.#parts)),
      chunkOf('IEND', Buffer.alloc(0)),
    ]);
  }
}

/** A chunk of a PNG file (PNG specification, section 5.3). */
function chunkOf(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
