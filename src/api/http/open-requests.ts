import type { Socket } from 'node:net';
import type { RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors.ts';

/** Requests that a client may have sent over one connection without having got their responses (RFC 9112, 9.3.2). */
const MAX_PIPELINED = 100;
/** When a client that has too many requests open may send the next one, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Counts the requests that wait for their response at this process. Each takes memory for as long as it waits,
 * and a client may send as many as it likes: on many connections, or one behind the other on the same.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #ofOwners = new Map<string, number>();
  readonly #ofConnections = new WeakMap<Socket, Set<Response>>();

  /** @param most how many requests of an owner may be open at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** Refuses the requests of a connection that has too many others open (`RATE_LIMITED`). */
  readonly limitConnection: RequestHandler = (request, response, next) => {
    const open = this.#openOn(request.socket);
    if (open.size >= MAX_PIPELINED)
      throw limitError(`This connection has ${open.size} requests without a response`);
    open.add(response);
    response.once('close', () => open.delete(response));
    next();
  };

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

  #openOn(socket: Socket): Set<Response> {
    const known = this.#ofConnections.get(socket);
    if (known) return known;
    const open = new Set<Response>();
    this.#ofConnections.set(socket, open);
    socket.once('close', () => {
      // Node tells only the response that it is sending that the client has gone, and none of those behind it.
      for (const response of open) response.destroy().emit('close');
    });
    return open;
  }
}

/** The error begins as that of the rate limit, by which clients know what to do. */
const limitError = (what: string) =>
  new ServiceError(
    'RATE_LIMITED',
    `Rate limit exceeded. ${what}. Retry after ${RETRY_AFTER_SECONDS}s, when responses have come.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
