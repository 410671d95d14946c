import { once } from 'node:events';
import { WebSocket } from 'ws';
import { fieldsOf } from '../../../src/json/json-object.ts';

/** A message of the DevTools protocol, as a test reads it. */
interface ReceivedMessage {
  id?: number;
  sessionId?: string;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says which members it expects, and fails if they are missing.
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  result?: any;
  error?: { code: number; message: string };
}

/** A client of the DevTools protocol that sends exactly what a test wants. */
export interface RawClient {
  socket: WebSocket;
  /** The events so far. */
  events: ReceivedMessage[];
  /** Waits for an event, unless it is among those so far. @returns the first one that is wanted */
  untilEvent(isWanted: (event: ReceivedMessage) => unknown): Promise<ReceivedMessage>;
  /** Sends a command. @returns its response, which may be an error */
  send(method: string, params?: object, sessionId?: string): Promise<ReceivedMessage>;
  /** Opens a tab. @returns the session and the target of its page */
  openTab(params?: object): Promise<{ sessionId: string; targetId: string }>;
  /**
   * Evaluates an expression in a page, and waits for its promise.
   * @returns its value, or the text of its exception or error
   */
  evaluate(sessionId: string, expression: string): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Connects to a browser or a session. */
export async function connectRaw(url: string): Promise<RawClient> {
  const socket = new WebSocket(url);
  const events: ReceivedMessage[] = [];
  const waiting = new Map<number, (message: ReceivedMessage) => void>();
  let lastId = 0;
  socket.on('message', (data, isBinary) => {
    // A frame of a live view.
    if (isBinary) return;
    const message: ReceivedMessage = JSON.parse(String(data));
    if (message.id === undefined) events.push(message);
    else waiting.get(message.id)?.(message);
  });
  await once(socket, 'open');
  const send = (method: string, params: object = {}, sessionId?: string) =>
    new Promise<ReceivedMessage>((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    });
  return {
    socket,
    events,
    async untilEvent(isWanted) {
      for (;;) {
        const event = events.find(isWanted);
        if (event) return event;
        await once(socket, 'message');
      }
    },
    send,
    async openTab(params = {}) {
      const { result: created } = await send('Target.createTarget', { url: 'about:blank', ...params });
      const { targetId } = created;
      const { result } = await send('Target.attachToTarget', { targetId, flatten: true });
      return { sessionId: result.sessionId, targetId };
    },
    async evaluate(sessionId, expression) {
      const { result, error } = await send(
        'Runtime.evaluate',
        { expression, awaitPromise: true, returnByValue: true, userGesture: true },
        sessionId,
      );
      // The page may be left meanwhile.
      if (error) return error.message;
      const { exceptionDetails } = fieldsOf(result);
      return exceptionDetails ? JSON.stringify(exceptionDetails) : result.result.value;
    },
    async [Symbol.asyncDispose]() {
      if (socket.readyState === socket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.terminate();
      await closed;
    },
  };
}
