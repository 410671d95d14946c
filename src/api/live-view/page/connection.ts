import type { HostMessage, ViewerMessage } from '../../../schemas/live-view.ts';

/** The close code of a session that has ended. After any other one, the session may go on. */
const SESSION_ENDED = 4410;
/**
 * The reason with which a host that stops ends its sessions. Its close code is the one of every server that
 * stops.
 */
const SHUTDOWN = 'shutdown';
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

/** Called when something happens on the connection. */
interface ConnectionListeners {
  onFrame(data: ArrayBuffer): void;
  onMessage(message: HostMessage): void;
  onOpen(): void;
  /** A new connection is being tried. */
  onLost(): void;
  /** The session has ended. */
  onEnd(reason: string): void;
}

/** The connection to the host of the session, which is opened again whenever it is lost. */
export class Connection {
  readonly #listeners: ConnectionListeners;
  #socket: WebSocket | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  readonly #aliveMs: number;
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param aliveMs interval in which the host says something, in milliseconds */
  constructor(listeners: ConnectionListeners, aliveMs: number) {
    this.#listeners = listeners;
    this.#aliveMs = aliveMs;
    this.#open();
    // A connection that ended while the machine slept is replaced as soon as there is a network again.
    addEventListener('online', () => this.#socket?.close());
  }

  /** Sends a message, which is dropped while there is no connection. */
  send(message: ViewerMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #open(): void {
    const url = new URL(location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.hash = '';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.onopen = () => {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#expectMessage(socket);
      this.#listeners.onOpen();
    };
    socket.onmessage = ({ data }) => {
      this.#expectMessage(socket);
      if (typeof data !== 'string') return this.#listeners.onFrame(data);
      const message: HostMessage = JSON.parse(data);
      if (message.type === 'alive') this.send({ type: 'alive' });
      else this.#listeners.onMessage(message);
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(this.#silenceTimer);
      if (this.#socket !== socket) return;
      if (code === SESSION_ENDED || reason === SHUTDOWN) this.#listeners.onEnd(reason);
      else this.#retry();
    };
  }

  /** A connection whose other side has gone without a word is given up. */
  #expectMessage(socket: WebSocket): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      if (this.#socket !== socket) return;
      // Closing waits for the other side, so the next connection does not wait for it.
      this.#socket = undefined;
      socket.close();
      this.#retry();
    }, 3 * this.#aliveMs);
  }

  #retry(): void {
    this.#listeners.onLost();
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    setTimeout(async () => {
      if (await hasEnded()) location.reload();
      else this.#open();
    }, pauseMs);
  }
}

/** Whether the page no longer exists. Its URL then shows why. */
async function hasEnded(): Promise<boolean> {
  try {
    const { status } = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
    return status === 404 || status === 410;
  } catch {
    // The service cannot be reached at the moment.
    return false;
  }
}
