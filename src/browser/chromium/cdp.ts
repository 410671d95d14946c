import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { CDPSession } from 'playwright';

/** One end of the Chrome DevTools Protocol: commands go to, and events come from, a target or the browser itself. */
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
  error?: { message: string };
}

/** A connection to a browser. */
export interface CdpConnection {
  /** The browser's own session. */
  browser: Session;
  /** The session of a target that was attached to with `flatten`. */
  session(sessionId: string): Session;
  /** Forgets a session and rejects its pending commands, as happens when its target ends. */
  drop(sessionId: string): void;
  /**
   * Sends a command unchanged, for another protocol client. The response carries an id of this connection.
   * @param message without `id`
   */
  relay(message: CdpMessage): Promise<CdpMessage>;
  /** Calls the listener with every event. @returns a function that removes the listener */
  onEvent(listener: (event: CdpMessage) => void): () => void;
  /** Resolves when the connection has ended. */
  closed: Promise<void>;
}

/** The byte that ends each message on the pipe. */
const MESSAGE_END = 0;

interface PendingCommand {
  sessionId: string;
  resolve(response: CdpMessage): void;
  reject(error: Error): void;
}

/**
 * Connects to a browser over a pipe (`--remote-debugging-pipe`): JSON messages, each ended by a zero byte.
 * @param pipe.input the stream that the browser reads
 * @param pipe.output the stream that the browser writes
 */
export function connectCdp({ input, output }: { input: Writable; output: Readable }): CdpConnection {
  const sessions = new Map<string, EventEmitter>();
  const pending = new Map<number, PendingCommand>();
  const eventListeners = new Set<(event: CdpMessage) => void>();
  let lastId = 0;
  let isOpen = true;

  const relay = (message: CdpMessage) =>
    new Promise<CdpMessage>((resolve, reject) => {
      const { method = '', sessionId = '' } = message;
      if (!isOpen || (sessionId && !sessions.has(sessionId)))
        return reject(new Disconnected(`${method} came too late: the page or the browser has been closed`));
      const id = ++lastId;
      pending.set(id, { sessionId, resolve, reject });
      input.write(`${JSON.stringify({ ...message, id })}\0`);
    });

  async function command(sessionId: string, method: string, params?: object): Promise<object> {
    const { result, error } = await relay({
      sessionId: sessionId || undefined,
      method,
      params: params ?? {},
    });
    if (error) throw new Error(`Protocol error (${method}): ${error.message}`);
    return result ?? {};
  }

  function session(sessionId: string): Session {
    const events = sessions.get(sessionId) ?? new EventEmitter().setMaxListeners(0);
    sessions.set(sessionId, events);
    const send = (method: string, params?: object) => command(sessionId, method, params);
    // Playwright's protocol types give each command its result and each event its parameters.
    return Object.assign(events, { send }) as unknown as Session;
  }

  function drop(sessionId: string): void {
    sessions.delete(sessionId);
    for (const [id, each] of pending) {
      if (each.sessionId !== sessionId) continue;
      pending.delete(id);
      each.reject(new Disconnected('the page has been closed'));
    }
  }

  function receive(message: CdpMessage): void {
    if (message.id !== undefined) {
      pending.get(message.id)?.resolve(message);
      pending.delete(message.id);
      return;
    }
    const { method = '', sessionId = '', params } = message;
    if (method === 'Target.detachedFromTarget') drop((params as { sessionId: string }).sessionId);
    for (const listener of eventListeners) listener(message);
    sessions.get(sessionId)?.emit(method, params);
  }

  const closed = new Promise<void>((resolve) => {
    output.once('close', () => {
      isOpen = false;
      for (const { reject } of pending.values()) reject(new Disconnected('Chromium ended under the page'));
      pending.clear();
      resolve();
    });
  });
  // A broken pipe means that the browser ended; `close` follows.
  input.on('error', () => output.destroy());
  output.on('error', () => output.destroy());
  readMessages(output, receive);

  return {
    ...{ browser: session(''), session, drop, relay, closed },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
  };
}

function readMessages(output: Readable, receive: (message: CdpMessage) => void): void {
  let parts: Buffer[] = [];
  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(MESSAGE_END); end !== -1; end = chunk.indexOf(MESSAGE_END, start)) {
      const text = Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      start = end + 1;
      receive(JSON.parse(text) as CdpMessage);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
}
