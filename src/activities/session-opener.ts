import type { Profiles } from '../browser/browser-profile.ts';
import type { Database } from '../db/client.ts';
import { findJobToReplay } from '../db/jobs/jobs.ts';
import { findSession, openSession, type StoredSession } from '../db/sessions.ts';
import type { Replay } from '../engines/replay.ts';
import { messageOf, ServiceError, toServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import type { SessionHost } from '../sessions/session-host.ts';

/** What opening a session needs. */
export interface SessionOpenerOptions {
  db: Database;
  host: SessionHost;
  /** URL of the host inside the cluster. */
  url: string;
  /** Opens the page of a scrape in a session. */
  replay: Replay;
  profiles: Profiles;
}

/** Longest time of a replay in milliseconds. */
const MAX_REPLAY_MS = 300_000;

/** Opens the sessions of one host. */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  readonly #opening = new Map<string, Promise<void>>();

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /**
   * Starts the browser of a stored session, loads its profile or the page of its scrape, and records that it can be used.
   * The API and the workflow both ask for it: the second one waits for the first, or finds the open session.
   * @throws ServiceError why that is impossible; no browser remains then
   */
  async open(id: string): Promise<void> {
    const opening = this.#opening.get(id) ?? this.#open(id);
    this.#opening.set(id, opening);
    try {
      await opening;
    } finally {
      this.#opening.delete(id);
    }
  }

  async #open(id: string): Promise<void> {
    const { db, host, url } = this.#options;
    const stored = await findSession(db, id);
    if (!stored || stored.state === 'destroyed')
      throw new ServiceError('SESSION_DESTROYED', `The browser session ${id} has ended before it began.`);
    if (stored.state === 'active' && stored.host !== url)
      throw new ServiceError('WORKER_LOST', `The host that had opened the browser session ${id} was lost.`);
    const session = await host.open(id);
    if (stored.state === 'creating') await this.#prepare(session, stored);
    if (await openSession(db, { id, host: url })) return;
    await session.end('deleted');
    throw new ServiceError(
      'SESSION_DESTROYED',
      `The browser session ${id} was ended, or opened by another host, while this host opened it.`,
    );
  }

  /** Loads the profile of a new session, and the page of its scrape. @throws ServiceError why that is impossible */
  async #prepare(session: HostedSession, stored: StoredSession): Promise<void> {
    const { id, team_id: teamId, profile: name, saves_profile: isSaved, scrape_id: scrapeId } = stored;
    try {
      if (name !== null) {
        const profile = await this.#options.profiles.open({ teamId, name, saver: isSaved ? id : undefined });
        await session.useProfile(profile);
      }
    } catch (error) {
      await session.end('failed');
      throw error;
    }
    if (scrapeId === null) return;
    // Code follows at once, in most cases JavaScript.
    void session.startLanguage('node');
    await this.#replayScrape(session, scrapeId);
  }

  /**
   * Brings the page of a scrape into the state that the scrape left it in.
   * @throws ServiceError `INTERACT_REPLAY_UNAVAILABLE` with the reason; the session has ended then
   */
  async #replayScrape(session: HostedSession, scrapeId: string): Promise<void> {
    const { db, replay } = this.#options;
    const scrape = await findJobToReplay(db, scrapeId);
    try {
      if (!scrape || scrape.seal) throw new ServiceError('NOT_FOUND', 'its options are not stored any more');
      // The API validated the request before it stored it.
      const request = scrape.request as ScrapeRequest;
      const timeout = AbortSignal.timeout(Math.min(request.timeout, MAX_REPLAY_MS));
      await replay(request, (use, visitSignal) => session.visit(use, visitSignal), timeout);
    } catch (cause) {
      await session.end('failed');
      const reason = cause instanceof ServiceError ? toServiceError(cause).message : messageOf(cause);
      throw new ServiceError(
        'INTERACT_REPLAY_UNAVAILABLE',
        `The scrape ${scrapeId} could not be continued: ${reason} Rerun the scrape and interact with the new one.`,
        { cause },
      );
    }
  }
}
