import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';

/** Requests that a client may have sent over one connection without having got their responses (RFC 9112, 9.3.2). */
const MAX_PIPELINED = 10;
/** Requests behind these that are left without a response, until the connection is closed at once. */
const MAX_IGNORED = 100;
/** Listeners of a response above which Node warns of a leak; by default it does above ten. */
const MAX_LISTENERS = 20;
/** When a client that has too many requests open may send the next one, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** A connection of a client. */
interface Connection {
  /** The responses that wait, in the order of their requests, and what handles each. The first one is handled. */
  open: Map<ServerResponse, () => void>;
  /** Number of requests that were refused or ignored. */
  refused: number;
}

/** The response that says why a connection is closed. */
const refusals = new WeakSet<ServerResponse>();

/**
 * Counts the requests that wait for their response at this process. Each takes memory for as long as it waits,
 * and a client may send as many as it likes: on many connections, or one behind the other on the same.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #ofOwners = new Map<string, number>();
  readonly #ofConnections = new WeakMap<Socket, Connection>();

  /** @param most how many requests of an owner may be open at once */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Has a request handled when those before it on the same connection have their responses, in whose order they are
   * sent anyway. One that has too many before it is refused by {@link refuse}, after which the connection is closed;
   * those behind it get no response. Thousands of them come in one piece, and nobody else is served meanwhile.
   */
  receive(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const connection = this.#connectionOf(request.socket);
    const { open } = connection;
    if (connection.refused > 0 || open.size >= MAX_PIPELINED) connection.refused++;
    if (connection.refused > 1) {
      if (connection.refused > MAX_IGNORED) request.socket.destroy();
      return;
    }
    if (connection.refused > 0) refusals.add(response);
    open.set(response, handle);
    // Checks, handlers and streams of a request listen for its end, too.
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => {
      open.delete(response);
      // Nobody waits for those behind it if the connection has closed.
      const [next] = request.socket.destroyed ? [] : open.values();
      next?.();
    });
    if (open.size === 1) handle();
  }

  /** Refuses a request that has too many before it on its connection (`RATE_LIMITED`). */
  readonly refuse: RequestHandler = (_request, response, next) => {
    if (!refusals.has(response)) return next();
    response.set('Connection', 'close');
    throw limitError(`This connection had ${MAX_PIPELINED} requests without a response`);
  };

  /**
   * Counts a request until its response closes.
   * @param owner an API key, or who else sends requests
   * @throws ServiceError `RATE_LIMITED`
   */
  take(owner: string, response: ServerResponse): void {
    const open = this.#ofOwners.get(owner) ?? 0;
    if (open >= this.#most)
      throw limitError(`The API key has ${open} requests open, which is as many as it may have`);
    this.#ofOwners.set(owner, open + 1);
    response.once('close', () => {
      const left = (this.#ofOwners.get(owner) ?? 1) - 1;
      if (left > 0) this.#ofOwners.set(owner, left);
      else this.#ofOwners.delete(owner);
    });
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#ofConnections.get(socket);
    if (known) return known;
    const connection: Connection = { open: new Map(), refused: 0 };
    this.#ofConnections.set(socket, connection);
    const { stackTraceLimit } = Error;
    socket.prependOnceListener('close', () => {
      // Node makes an error for each request of the connection that is cut off. With their stacks, which nobody reads,
      // those of thousands of requests would take a second.
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit;
      // Node tells only the response that it is sending that the client has gone, and none of those behind it.
      for (const response of connection.open.keys()) response.destroy().emit('close');
    });
    return connection;
  }
}

/** The error begins as that of the rate limit, by which clients know what to do. */
const limitError = (what: string) =>
  new ServiceError(
    'RATE_LIMITED',
    `Rate limit exceeded. ${what}. Retry after ${RETRY_AFTER_SECONDS}s, when responses have come.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
