import type { Readable } from 'node:stream';

/** Maximum bytes of standard output and of standard errors that a result has. */
const MAX_KEPT_BYTES = 1_000_000;
/** Maximum bytes that code may print in a call, because reading them takes the time of this process. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/** The text that was printed, and whether more was printed than that. */
export interface PrintedText {
  text: string;
  isTruncated: boolean;
}

/**
 * Reads what a program prints during one call. Its end is marked by bytes that nobody can guess, because a
 * result on another pipe could overtake the output. Between calls nothing is read, so a program that goes on
 * printing has to wait, and what it has printed belongs to the next call.
 */
export class CapturedOutput {
  /** Resolves when the mark has arrived, or the pipe is closed. */
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #endMark: Buffer;
  readonly #kept: Buffer[] = [];
  #printedBytes = 0;
  /** The last bytes, which may be the beginning of the mark. */
  #tail: Buffer = Buffer.alloc(0);
  readonly #onData: (chunk: Buffer) => void;
  readonly #onClose: () => void;

  /** @param options.onFlood is called when the program prints so much that it has to be ended */
  constructor(stream: Readable, { endMark, onFlood }: { endMark: string; onFlood: () => void }) {
    this.#stream = stream;
    this.#endMark = Buffer.from(endMark);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#onClose = resolve;
    this.#onData = (chunk) => {
      if (this.#printedBytes > MAX_READ_BYTES) onFlood();
      if (this.#take(chunk)) resolve();
    };
    stream.on('data', this.#onData).on('close', this.#onClose).resume();
    if (stream.closed) resolve();
  }

  /** Ends reading. */
  end(): PrintedText {
    this.#stream.off('data', this.#onData).off('close', this.#onClose).pause();
    this.#keep(this.#tail);
    const isTruncated = this.#printedBytes > MAX_KEPT_BYTES;
    // The last character may be cut, and is left out then. Invalid UTF-8 is replaced.
    const text = new TextDecoder().decode(Buffer.concat(this.#kept), { stream: isTruncated });
    return { text, isTruncated };
  }

  /** @returns whether the mark has arrived */
  #take(chunk: Buffer): boolean {
    const bytes = Buffer.concat([this.#tail, chunk]);
    const markAt = bytes.indexOf(this.#endMark);
    const keptEnd = markAt < 0 ? Math.max(0, bytes.length - this.#endMark.length) : markAt;
    this.#keep(bytes.subarray(0, keptEnd));
    this.#tail = markAt < 0 ? bytes.subarray(keptEnd) : Buffer.alloc(0);
    if (markAt < 0) return false;
    this.#stream.off('data', this.#onData).pause();
    const rest = bytes.subarray(markAt + this.#endMark.length);
    if (rest.length) this.#stream.unshift(rest);
    return true;
  }

  #keep(bytes: Buffer): void {
    const room = MAX_KEPT_BYTES - this.#printedBytes;
    if (room > 0) this.#kept.push(bytes.subarray(0, room));
    this.#printedBytes += bytes.length;
  }
}
