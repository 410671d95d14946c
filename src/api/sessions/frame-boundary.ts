/** Most bytes of the header of a frame that a server sends: two, and a length of 64 bits. */
const MAX_HEADER_BYTES = 10;
/** Values of the length in the second byte that mean that the length follows, in two or in eight bytes. */
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * The bits of the first byte with the opcode of a frame, and the opcode of one that closes the connection.
 */
const OPCODE = 0x0f;
const CLOSE = 8;

/** Follows what a WebSocket server sends (RFC 6455, 5.2), to know whether a frame may be added. */
export class FrameBoundary {
  readonly #header = Buffer.alloc(MAX_HEADER_BYTES);
  #headerBytes = 0;
  /** Bytes of the payload of the current frame that have not been sent. */
  #missingBytes = 0;
  #hasClosed = false;

  /** Whether the last frame is complete. */
  get isBetweenFrames(): boolean {
    return this.#headerBytes === 0 && this.#missingBytes === 0;
  }

  /** Whether the server has said that it closes the connection, after which no frame may follow. */
  get hasClosed(): boolean {
    return this.#hasClosed;
  }

  /**
   * Takes the next bytes that the server sent.
   * @returns how many of them come before the frame that closes the connection
   */
  follow(chunk: Buffer): number {
    let before = this.#hasClosed ? 0 : chunk.length;
    for (let at = 0; at < chunk.length; ) {
      if (this.#missingBytes > 0) {
        const taken = Math.min(this.#missingBytes, chunk.length - at);
        this.#missingBytes -= taken;
        at += taken;
      } else {
        if (this.#headerBytes === 0 && ((chunk[at] ?? 0) & OPCODE) === CLOSE) {
          this.#hasClosed = true;
          before = Math.min(before, at);
        }
        this.#header[this.#headerBytes++] = chunk[at++] ?? 0;
        if (this.#headerBytes === this.#headerSize()) this.#endHeader();
      }
    }
    return before;
  }

  /** The size of the current header as far as it is known. Frames of servers have no mask. */
  #headerSize(): number {
    if (this.#headerBytes < 2) return MAX_HEADER_BYTES;
    const length = this.#shortLength;
    return 2 + (length === LENGTH_16 ? 2 : length === LENGTH_64 ? 8 : 0);
  }

  #endHeader(): void {
    const length = this.#shortLength;
    if (length === LENGTH_16) this.#missingBytes = this.#header.readUInt16BE(2);
    else if (length === LENGTH_64) this.#missingBytes = Number(this.#header.readBigUInt64BE(2));
    else this.#missingBytes = length;
    this.#headerBytes = 0;
  }

  get #shortLength(): number {
    return (this.#header[1] ?? 0) & 0x7f;
  }
}
