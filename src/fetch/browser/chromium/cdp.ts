import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CDPSession } from 'playwright';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../../json/json-size.ts';
import type { Logger } from '../../../system/logger.ts';
import { readPauseAfter } from '../../../system/read-pause.ts';

/**
 * One end of the Chrome DevTools Protocol: commands go to, and events come from, a target or the browser
 * itself.
 */
export type Session = Pick<CDPSession, 'send' | 'on' | 'once' | 'off'>;

/** A command whose target, or the browser, went away before it responded. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** A protocol message, as it is sent over the pipe. */
export interface CdpMessage {
  id?: number;
  sessionId?: string | undefined;
  method?: string;
  params?: object;
  result?: object;
  error?: { code?: number; message: string };
}

/** The byte that ends each message on the pipe. */
const MESSAGE_END = 0;
/**
 * A browser that sends a longer message, in bytes, is disconnected: a string of JavaScript could not hold it.
 */
const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

/** The JSON-RPC code of Chromium's own errors. */
export const SERVER_ERROR = -32_000;

interface PendingCommand {
  sessionId: string;
  resolve(response: CdpMessage): void;
  reject(error: Error): void;
}

/**
 * A connection to a browser over a pipe (`--remote-debugging-pipe`): JSON messages, each ended by a zero
 * byte.
 */
export class CdpConnection {
  /** The browser's own session. */
  readonly browser: Session;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #input: Writable;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #sessions = new Map<string, EventEmitter>();
  readonly #pending = new Map<number, PendingCommand>();
  readonly #eventListeners = new Set<(event: CdpMessage) => void>();
  #lastId = 0;
  #isOpen = true;

  /**
   * @param pipe.input the stream that the browser reads
   * @param pipe.output the stream that the browser writes
   * @param logger is told when a listener fails, which concerns no other message
   */
  constructor({ input, output }: { input: Writable; output: Readable }, logger: Pick<Logger, 'warn'>) {
    this.#input = input;
    this.browser = this.session('');
    this.closed = new Promise<void>((resolve) => {
      output.once('close', () => {
        this.#rejectAll();
        resolve();
      });
    });
    // A broken pipe means that the browser ended; `close` follows.
    input.on('error', () => output.destroy());
    output.on('error', () => output.destroy());
    this.#logger = logger;
    readMessages(output, { receive: (message) => this.#receive(message), onFault: this.#onFault });
  }

  /** The session of a target that was attached to with `flatten`. */
  session(sessionId: string): Session {
    const events = this.#sessions.get(sessionId) ?? new EventEmitter().setMaxListeners(0);
    this.#sessions.set(sessionId, events);
    const send = (method: string, params?: object) => this.#command(sessionId, method, params);
    // Playwright's protocol types give each command its result and each event its parameters.
    return Object.assign(events, { send }) as unknown as Session;
  }

  /** Removes all listeners of a session, which stays attached with everything that was set in it. */
  removeListeners(session: Session): void {
    for (const each of this.#sessions.values()) if (Object.is(each, session)) each.removeAllListeners();
  }

  /** Forgets a session and rejects its pending commands, as happens when its target ends. */
  drop(sessionId: string): void {
    this.#sessions.delete(sessionId);
    for (const [id, each] of this.#pending) {
      if (each.sessionId !== sessionId) continue;
      this.#pending.delete(id);
      each.reject(new Disconnected('the page has been closed'));
    }
  }

  /**
   * Sends a command unchanged, for another protocol client. The response carries an id of this connection.
   * @param message without `id`
   */
  relay(message: CdpMessage): Promise<CdpMessage> {
    return new Promise<CdpMessage>((resolve, reject) => this.forward(message, { resolve, reject }));
  }

  /**
   * Sends a command like {@link relay}. `resolve` is called before any later message of the browser is
   * processed, so that a client that gets responses and events sees them in their order.
   */
  forward(message: CdpMessage, { resolve, reject }: Pick<PendingCommand, 'resolve' | 'reject'>): void {
    const { method = '', sessionId = '' } = message;
    if (!this.#isOpen || (sessionId && !this.#sessions.has(sessionId))) {
      reject(new Disconnected(`${method} came too late: the page or the browser has been closed`));
      return;
    }
    const id = ++this.#lastId;
    const text = JSON.stringify({ ...message, id });
    this.#pending.set(id, { sessionId, resolve, reject });
    this.#input.write(`${text}\0`);
  }

  /** Bytes of commands that the browser has not read yet. */
  get unreadBytes(): number {
    return this.#input.writableLength;
  }

  /** Resolves when the browser has read all commands, or has ended. */
  async whenRead(): Promise<void> {
    if (!this.#input.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#input.once('drain', resolve);
    await Promise.race([promise, this.closed]);
    this.#input.off('drain', resolve);
  }

  /** Calls the listener with every event. @returns a function that removes the listener */
  onEvent(listener: (event: CdpMessage) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  async #command(sessionId: string, method: string, params?: object): Promise<object> {
    const { result, error } = await this.relay({
      sessionId: sessionId || undefined,
      method,
      params: params ?? {},
    });
    if (error) throw new Error(`Protocol error (${method}): ${error.message}`);
    return result ?? {};
  }

  #receive(message: CdpMessage): void {
    if (message.id !== undefined) {
      this.#pending.get(message.id)?.resolve(message);
      this.#pending.delete(message.id);
      return;
    }
    const { method = '', sessionId = '', params } = message;
    if (method === 'Target.detachedFromTarget') this.drop((params as { sessionId: string }).sessionId);
    for (const listener of this.#eventListeners) {
      try {
        listener(message);
      } catch (error) {
        this.#onFault(error, method);
      }
    }
    this.#sessions.get(sessionId)?.emit(method, params);
  }

  /** All pages of the browser share the pipe, so what one message causes must not reach beyond it. */
  readonly #onFault = (error: unknown, method?: string): void =>
    this.#logger.warn({ err: error, method }, 'a message of the browser was not handled');

  #rejectAll(): void {
    this.#isOpen = false;
    for (const { reject } of this.#pending.values())
      reject(new Disconnected('Chromium ended under the page'));
    this.#pending.clear();
  }
}

/** The response to a command whose result is not parsed; `undefined` for an event, which is dropped. */
function refused(json: Buffer): CdpMessage | undefined {
  // Chromium writes the id first.
  const [, id] = /^\{"id":(\d+),/.exec(json.toString('latin1', 0, 100)) ?? [];
  const message = `The result has more than ${MAX_JSON_VALUES} values. Ask for less, or for a text.`;
  return id === undefined ? undefined : { id: Number(id), error: { code: SERVER_ERROR, message } };
}

/**
 * Reads the messages of a browser.
 * @param reader.receive gets each message
 * @param reader.onFault gets what `receive` throws, or why a message is no JSON; the next message follows
 */
function readMessages(
  output: Readable,
  {
    receive,
    onFault,
  }: { receive: (message: CdpMessage) => void; onFault: (error: unknown, method?: string) => void },
): void {
  let parts: Buffer[] = [];
  let waitingBytes = 0;
  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(MESSAGE_END); end !== -1; end = chunk.indexOf(MESSAGE_END, start)) {
      const json = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      waitingBytes = 0;
      start = end + 1;
      const startedAt = performance.now();
      let message: CdpMessage | undefined;
      try {
        message = hasTooManyValues(json) ? refused(json) : (JSON.parse(json.toString()) as CdpMessage);
        if (message) receive(message);
      } catch (error) {
        onFault(error, message?.method);
      }
      const pauseMs = readPauseAfter(performance.now() - startedAt);
      if (pauseMs) {
        output.pause();
        setTimeout(() => output.resume(), pauseMs).unref();
      }
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    waitingBytes += chunk.length - start;
    if (waitingBytes > MAX_MESSAGE_BYTES) {
      parts = [];
      output.destroy();
    }
  });
}
