import type { RawData, WebSocket } from 'ws';
import { findExceededBound } from '../../json/json-size.ts';
import {
  ALIVE_INTERVAL_MS,
  type HostMessage,
  type ViewerMessage,
  viewerMessage,
} from '../../schemas/live-view.ts';
import { every } from '../../system/every.ts';
import type { ScreencastFrame } from './frame.ts';

/**
 * Messages per second that a viewer may send in the long run, and at once. Quick typing is below a hundred.
 */
const MESSAGES_PER_SECOND = 1_000;
const MESSAGE_BURST = 2_000;
/** The most values in a message. One with ten fingers has half as many. */
const MAX_MESSAGE_VALUES = 100;
/** A viewer that reads so little that this much waits for it is disconnected. It may connect again. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
/** After this time without a message, the connection counts as lost. */
const SILENCE_LIMIT_MS = 3 * ALIVE_INTERVAL_MS;

/** WebSocket close code of RFC 6455. */
const POLICY_VIOLATION = 1008;

/** The rights of a viewer. */
export interface ViewerRights {
  mayControl: boolean;
  /** Frames per second that are sent at most. */
  maxFps: number;
}

/** Options of {@link Viewer}. */
interface ViewerOptions extends ViewerRights {
  /**
   * Called with every valid message other than acknowledgements. The rights of the viewer are not yet
   * checked.
   */
  onMessage(message: ViewerMessage): void;
  /** Called when a frame has been drawn. */
  onReady(): void;
}

/** One connected viewer: paces its frames and limits what it sends. */
export class Viewer {
  readonly mayControl: boolean;
  readonly maxFps: number;
  readonly #socket: WebSocket;
  readonly #options: ViewerOptions;
  readonly #aliveTimer: NodeJS.Timeout;
  #frameTimer: NodeJS.Timeout | undefined;
  #newest: ScreencastFrame | undefined;
  /** Number of the frame that was sent last. */
  #sentNumber = -1;
  #isDrawing = false;
  #nextFrameAt = 0;
  #heardAt = performance.now();
  #messagesLeft = MESSAGE_BURST;
  #messagesCountedAt = performance.now();

  constructor(socket: WebSocket, options: ViewerOptions) {
    this.mayControl = options.mayControl;
    this.maxFps = options.maxFps;
    this.#socket = socket;
    this.#options = options;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    this.#aliveTimer = every(ALIVE_INTERVAL_MS, () => this.#keepAlive());
    socket.once('close', () => {
      clearInterval(this.#aliveTimer);
      clearTimeout(this.#frameTimer);
    });
  }

  /** Whether the viewer has drawn all that was sent, so that it could draw another frame. */
  get isReady(): boolean {
    return !this.#isDrawing;
  }

  /** Shows a frame as soon as the viewer can draw it, unless a newer one replaces it first. */
  offer(frame: ScreencastFrame): void {
    this.#newest = frame;
    this.#sendNewest();
  }

  /** Sends a message at once, ahead of frames that wait. */
  send(message: HostMessage): void {
    this.#write(JSON.stringify(message));
  }

  /** Closes the socket. @param code of the WebSocket protocol */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /**
   * Sends the newest frame if its turn has come. Frames may be up to half an interval early, as long as the
   * average keeps to the limit: otherwise frames that come at about the same rate would often wait for the
   * next turn.
   */
  #sendNewest(): void {
    const frame = this.#newest;
    if (!frame || this.#isDrawing || frame.number === this.#sentNumber) return;
    const interval = 1000 / this.maxFps;
    const now = performance.now();
    const waitMs = this.#nextFrameAt - interval / 2 - now;
    if (waitMs > 0) {
      this.#frameTimer ??= setTimeout(() => {
        this.#frameTimer = undefined;
        this.#sendNewest();
      }, waitMs);
      return;
    }
    this.#nextFrameAt = Math.max(this.#nextFrameAt, now - interval) + interval;
    this.#isDrawing = true;
    this.#sentNumber = frame.number;
    this.#write(frame.data);
  }

  #write(data: string | Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#socket.terminate();
    else this.#socket.send(data);
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heardAt = performance.now();
    // The library delivers messages as Buffer unless it is told otherwise.
    const buffer = data as Buffer;
    if (this.#exceedsRate()) this.close(POLICY_VIOLATION, 'too many messages');
    else if (findExceededBound(buffer, { values: MAX_MESSAGE_VALUES }))
      this.close(POLICY_VIOLATION, 'the message has too many values');
    else if (!isBinary) this.#handle(parseMessage(buffer.toString()));
  }

  #handle(message: ViewerMessage | undefined): void {
    if (message?.type === 'ack') this.#acknowledge(message.frame);
    else if (message && message.type !== 'alive') this.#options.onMessage(message);
  }

  #acknowledge(number: number): void {
    if (number !== this.#sentNumber || !this.#isDrawing) return;
    this.#isDrawing = false;
    this.#sendNewest();
    this.#options.onReady();
  }

  /** Counts a message. @returns whether the viewer sends faster than allowed */
  #exceedsRate(): boolean {
    const now = performance.now();
    const earned = ((now - this.#messagesCountedAt) / 1000) * MESSAGES_PER_SECOND;
    this.#messagesLeft = Math.min(MESSAGE_BURST, this.#messagesLeft + earned) - 1;
    this.#messagesCountedAt = now;
    return this.#messagesLeft < 0;
  }

  #keepAlive(): void {
    if (performance.now() - this.#heardAt > SILENCE_LIMIT_MS) this.#socket.terminate();
    else this.send({ type: 'alive' });
  }
}

/** @returns the message; `undefined` when it is not one of the protocol */
function parseMessage(text: string): ViewerMessage | undefined {
  try {
    return viewerMessage.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
