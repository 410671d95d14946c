import type { WebSocket } from 'ws';
import type { Chromium } from '../browser/chromium/launch-chromium.ts';
import type { SessionEndReason } from '../db/client.ts';
import { connectProtocolClient, type ProtocolClient } from './protocol-client.ts';
import type { SessionDirectory } from './session-directory.ts';

/** Close codes of WebSockets of a session that has ended, in the range for applications (RFC 6455). */
const CLOSE_CODES: Record<SessionEndReason, number> = {
  ttl: 4408,
  idle: 4408,
  deleted: 4410,
  crashed: 4500,
  failed: 4500,
  lost: 4500,
  // Going away: the client may connect to a new session.
  shutdown: 1001,
};

/** How an ended session is described to its clients. */
const END_REASONS: Record<SessionEndReason, string> = {
  ttl: 'ttl: the lifetime of the session is over',
  idle: 'idle: the session was not used for longer than its activityTtl',
  deleted: 'deleted: the session was deleted',
  crashed: 'crashed: the browser of the session has ended',
  failed: 'failed: the browser of the session did not start',
  lost: 'lost: the host of the session has died',
  shutdown: 'shutdown: the host of the session is stopping',
};

/** A browser that runs in a sandbox, with its directory. */
export interface RunningBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
}

/** A browser session on its host. */
export class HostedSession {
  readonly id: string;
  /** Resolves with the reason when the session has ended here. */
  readonly ended: Promise<SessionEndReason>;
  readonly #browser: RunningBrowser;
  readonly #clients = new Set<ProtocolClient>();
  readonly #end = Promise.withResolvers<SessionEndReason>();
  #lastActivityAt = Date.now();
  #calls = 0;
  #reason: SessionEndReason | undefined;

  constructor(id: string, browser: RunningBrowser) {
    this.id = id;
    this.#browser = browser;
    this.ended = this.#end.promise;
    void browser.chromium.connection.closed.then(() => this.end('crashed'));
  }

  /** When the session was last active, in milliseconds since 1970. It is active while a call runs. */
  get lastActivityAt(): number {
    return this.#calls > 0 ? Date.now() : this.#lastActivityAt;
  }

  /** Number of protocol clients. */
  get clients(): number {
    return this.#clients.size;
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** Connects a client of the DevTools protocol. */
  addClient(socket: WebSocket): void {
    const client = connectProtocolClient(this.#browser.chromium.connection, socket, {
      onActivity: () => this.#touch(),
    });
    this.#clients.add(client);
    socket.once('close', () => this.#clients.delete(client));
  }

  /** Runs a call, during which the session counts as active. */
  async duringCall<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#calls++;
    try {
      return await call();
    } finally {
      this.#calls--;
      this.#touch();
    }
  }

  /** Ends the session: disconnects its clients, ends the browser and deletes its directory. */
  async end(reason: SessionEndReason): Promise<void> {
    if (this.#reason) {
      await this.ended;
      return;
    }
    this.#reason = reason;
    for (const client of this.#clients) client.close(CLOSE_CODES[reason], END_REASONS[reason]);
    try {
      await this.#browser.chromium.close();
      await this.#browser.directory.remove();
    } finally {
      this.#end.resolve(reason);
    }
  }

  #touch(): void {
    this.#lastActivityAt = Date.now();
  }
}
