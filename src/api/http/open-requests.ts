import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler, Response } from 'express';
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
  /** The responses that wait. */
  open: Set<Response>;
  /** Number of requests that were refused or ignored. */
  refused: number;
}

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
   * Refuses a request on a connection that has too many others open (`RATE_LIMITED`), after which the connection is
   * closed. Those behind it get no response; see {@link ignores}.
   */
  readonly limitConnection: RequestHandler = (request, response, next) => {
    const connection = this.#connectionOf(request.socket);
    const { open } = connection;
    if (open.size >= MAX_PIPELINED) {
      connection.refused++;
      response.set('Connection', 'close');
      throw limitError(`This connection has ${open.size} requests without a response`);
    }
    open.add(response);
    // Checks, handlers and streams of a request listen for its end, too.
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => open.delete(response));
    next();
  };

  /**
   * Whether a request is behind one that was refused, and gets no response. Thousands of them come in one piece, and
   * handling each takes a fraction of a millisecond, in which nobody else is served.
   */
  ignores({ socket }: IncomingMessage): boolean {
    const connection = this.#ofConnections.get(socket);
    if (!connection || connection.refused === 0) return false;
    if (++connection.refused > MAX_IGNORED) socket.destroy();
    return true;
  }

  /**
   * Counts a request until its response closes.
   * @param owner an API key, or who else sends requests
   * @throws ServiceError `RATE_LIMITED`
   */
  take(owner: string, response: Response): void {
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
    const open = new Set<Response>();
    const connection = { open, refused: 0 };
    this.#ofConnections.set(socket, connection);
    socket.once('close', () => {
      // Node tells only the response that it is sending that the client has gone, and none of those behind it.
      for (const response of open) response.destroy().emit('close');
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
