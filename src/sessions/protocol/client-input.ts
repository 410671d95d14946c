import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { type CdpMessage, SERVER_ERROR } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../json/json-size.ts';
import { readPauseAfter } from '../../system/read-pause.ts';
import {
  COMMAND_SHAPE,
  INVALID_REQUEST,
  isCommand,
  type ProtocolCommand,
  parseMessage,
  readIds,
} from './protocol-command.ts';

/**
 * The most that Chromium reads as one command, in bytes; it ends itself after a longer one. This leaves room
 * for its id.
 */
const MAX_COMMAND_BYTES = 100 * 1024 * 1024 - 1024;
/** WebSocket close codes (RFC 6455). */
const UNSUPPORTED_DATA = 1003;
const MESSAGE_TOO_BIG = 1009;

/** Callbacks for the messages of a client. */
export interface InputListeners {
  /** Called for every message of the client, with its size. */
  onActivity(bytes: number): void;
  onCommand(command: ProtocolCommand): void;
  /** Called with the response to a message that is not a command, or too large for one. */
  onRefused(response: CdpMessage): void;
}

/**
 * The receiving side of a client of the DevTools protocol, which may send more than this process or the
 * browser can read.
 */
export class ClientInput {
  readonly #socket: WebSocket;
  readonly #listeners: InputListeners;
  #pauses = 0;

  constructor(socket: WebSocket, listeners: InputListeners) {
    this.#socket = socket;
    this.#listeners = listeners;
    socket.on('message', (data, isBinary) => {
      // Without another setting, `ws` gives every message as one buffer.
      const message = data as Buffer;
      listeners.onActivity(message.length);
      const startedAt = performance.now();
      this.#receive(isBinary ? Buffer.alloc(0) : message);
      const pauseMs = readPauseAfter(performance.now() - startedAt);
      if (pauseMs) void this.pauseUntil(sleep(pauseMs, undefined, { ref: false }));
    });
    // A frame that violates the protocol of WebSockets: `close` follows.
    socket.on('error', () => socket.terminate());
  }

  /** Reads nothing more from the client until something has happened. */
  async pauseUntil(happened: Promise<unknown>): Promise<void> {
    this.#pauses++;
    this.#socket.pause();
    await happened;
    if (--this.#pauses === 0) this.#socket.resume();
  }

  #receive(json: Buffer): void {
    const excess =
      json.length > MAX_COMMAND_BYTES
        ? `the command is larger than ${MAX_COMMAND_BYTES} bytes`
        : hasTooManyValues(json) && `the command has more than ${MAX_JSON_VALUES} values`;
    if (excess) this.#refuseUnread(json, excess);
    else this.#parse(json);
  }

  #parse(json: Buffer): void {
    const message = parseMessage(json.toString());
    if (!message) this.#socket.close(UNSUPPORTED_DATA, 'a message is not a JSON object');
    else if (isCommand(message)) this.#listeners.onCommand(message);
    else {
      const { id } = fieldsOf(message);
      this.#listeners.onRefused({
        ...(Number.isSafeInteger(id) && { id: Number(id) }),
        error: { code: INVALID_REQUEST, message: COMMAND_SHAPE },
      });
    }
  }

  /** Refuses a command that it would take too long to parse. */
  #refuseUnread(json: Buffer, message: string): void {
    const ids = readIds(json);
    if (ids) this.#listeners.onRefused({ ...ids, error: { code: SERVER_ERROR, message } });
    else this.#socket.close(MESSAGE_TOO_BIG, message);
  }
}
