import type { WebSocket } from 'ws';
import type { CdpMessage } from '../../fetch/browser/chromium/cdp.ts';

/** Maximum size of a message in bytes, which screenshots and uploads need. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/**
 * A client that reads so slowly that more bytes wait for it is disconnected: one message of any size, and 64
 * MiB.
 */
const MAX_WAITING_BYTES = MAX_MESSAGE_BYTES + 64 * 1024 * 1024;
/** WebSocket close code (IANA registry). */
const TRY_AGAIN_LATER = 1013;
const UNREAD =
  'the client does not read its messages: too many bytes wait for it. Connect again and read faster, or ask for less';

/** The sending side of a client of the DevTools protocol, which may read slower than messages come. */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #onSent: (bytes: number) => void;

  /** @param onSent is called for every message that is sent, with its size */
  constructor(socket: WebSocket, onSent: (bytes: number) => void = () => undefined) {
    this.#socket = socket;
    this.#onSent = onSent;
  }

  /** Bytes that the client has not read yet. */
  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /**
   * Sends a message. It is dropped if the client is being disconnected, or has to be because it does not
   * read.
   */
  send(message: CdpMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const data = Buffer.from(JSON.stringify(message));
    if (this.waitingBytes + data.length > MAX_WAITING_BYTES) this.closeUnread();
    else {
      this.#socket.send(data, { binary: false });
      this.#onSent(data.length);
    }
  }

  /** Disconnects the client. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Disconnects a client that reads too slowly. It is told why if it reads on within half a minute. */
  closeUnread(): void {
    this.close(TRY_AGAIN_LATER, UNREAD);
  }

  /** Disconnects the client without a word, and drops what waits for it. */
  terminate(): void {
    this.#socket.terminate();
  }
}
