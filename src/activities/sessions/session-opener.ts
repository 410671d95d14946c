import { messageOf, ServiceError, toServiceError } from '../../errors.ts';
import type { Profiles } from '../../fetch/browser/browser-profile.ts';
import { Disconnected } from '../../fetch/browser/chromium/cdp.ts';
import type { Replay } from '../../fetch/engines/replay.ts';
import { countryWarnings, type Upstreams } from '../../fetch/net/upstream-proxies.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { DEFAULT_VISITOR } from '../../schemas/session.ts';
import { routeOfVisitor } from '../../sessions/browser/visitor-route.ts';
import type { HostedSession } from '../../sessions/hosted-session.ts';
import type { SessionHost } from '../../sessions/session-host.ts';
import type { Database } from '../../storage/db/client.ts';
import { findScrapeToReplay } from '../../storage/db/pages/scrape-to-replay.ts';
import { findSession, openSession, type StoredSession } from '../../storage/db/sessions.ts';

/** Dependencies of {@link SessionOpener}. */
export interface SessionOpenerOptions {
  db: Database;
  host: SessionHost;
  /** URL of the host inside the cluster. */
  url: string;
  /** Opens the page of a scrape in a session. */
  replay: Replay;
  profiles: Profiles;
  /** The operator's proxies, of which a session without one in its country is told. */
  proxies: Pick<Upstreams, 'isElsewhere'>;
}

/** Longest time of a replay in milliseconds. */
const MAX_REPLAY_MS = 300_000;

const endedError = (id: string) =>
  new ServiceError(
    'SESSION_DESTROYED',
    `The browser session ${id} was ended before its browser had started.`,
  );

const endedEarlyError = (cause?: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The browser of the session ended before it could be used. Try again.',
    { cause },
  );

/** Opens the sessions of a host. */
export class SessionOpener {
  readonly #deps: SessionOpenerOptions;
  /** The sessions that are being opened, by id. */
  readonly #opening = new Map<string, Promise<void>>();

  constructor(options: SessionOpenerOptions) {
    this.#deps = options;
  }

  /**
   * Starts the browser of a stored session, loads its profile or the page of its scrape, and records that it
   * can be used. The API and the workflow both ask for it: the second one waits for the first, or finds the
   * open session.
   * @param signal ends the replay of the scrape
   * @throws ServiceError why that is impossible, and then no browser remains; `SESSION_DESTROYED` if the
   * session was ended
   *   meanwhile, `WORKER_LOST` if another host has opened it
   */
  async open(id: string, signal?: AbortSignal): Promise<void> {
    const known = this.#opening.get(id) ?? this.#open(id, signal);
    this.#opening.set(id, known);
    await known.finally(() => this.#opening.delete(id));
  }

  async #open(id: string, signal: AbortSignal | undefined): Promise<void> {
    const stored = await findSession(this.#deps.db, id);
    if (!stored || stored.state === 'destroyed') return this.#endWithRow(id);
    // A client may use it there.
    if (stored.state === 'active' && stored.host !== this.#deps.url)
      throw new ServiceError('WORKER_LOST', `The host that had opened the browser session ${id} was lost.`);
    const visitor = stored.visitor ?? DEFAULT_VISITOR;
    const session = await this.#deps.host.open(id, {
      scrapeId: stored.scrape_id,
      visitor,
      isRecorded: stored.is_recorded,
    });
    if (stored.state === 'creating') await this.#prepareSession(session, stored, signal);
    if (session.hasEnded) throw endedEarlyError();
    const { db, url: host, proxies } = this.#deps;
    const [warning] = countryWarnings(proxies, routeOfVisitor(visitor), 'the session uses one elsewhere');
    if (!(await openSession(db, { id, host, warning }))) await this.#endWithRow(id);
  }

  /** Ends the browser of a session whose row has ended, for the same reason. @throws ServiceError always */
  async #endWithRow(id: string): Promise<never> {
    const session = await this.#deps.host.find(id);
    await session?.end((await findSession(this.#deps.db, id))?.end_reason ?? 'deleted');
    throw endedError(id);
  }

  /**
   * Loads the profile of a new session, and the page of its scrape.
   * @throws ServiceError why that is impossible
   */
  async #prepareSession(
    session: HostedSession,
    stored: StoredSession,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { id, team_id: teamId, profile: name, saves_profile: isSaved, scrape_id: scrapeId } = stored;
    try {
      if (name !== null) {
        const saver = isSaved ? id : undefined;
        const profile = await this.#deps.profiles.open({ teamId, name, saver, isLoaded: session.hasPage });
        await session.useProfile(profile);
      }
    } catch (error) {
      await session.end('failed');
      if (error instanceof Disconnected || (await session.ended) === 'crashed') throw endedEarlyError(error);
      throw error;
    }
    if (scrapeId === null) return;
    // Code follows at once, in most cases JavaScript.
    void session.startLanguage('node');
    if (!session.hasPage) await this.#replayScrape(session, scrapeId, signal);
  }

  /**
   * Brings the page of a scrape into the state that the scrape left it in.
   * @throws ServiceError `INTERACT_REPLAY_UNAVAILABLE` with the reason; the session has ended then
   */
  async #replayScrape(
    session: HostedSession,
    scrapeId: string,
    cancelled: AbortSignal | undefined,
  ): Promise<void> {
    const scrape = await findScrapeToReplay(this.#deps.db, scrapeId);
    try {
      if (!scrape || scrape.wrappedKey)
        throw new ServiceError('NOT_FOUND', 'its options are not stored any more');
      // The API validated the request before it stored it.
      const request = scrape.request as ScrapeRequest;
      const timeout = AbortSignal.timeout(Math.min(request.timeout, MAX_REPLAY_MS));
      const signal = AbortSignal.any([timeout, ...(cancelled ? [cancelled] : [])]);
      await this.#deps.replay(request, (use, visitSignal) => session.visit(use, visitSignal), signal);
    } catch (cause) {
      await session.end('failed');
      if (cause instanceof Disconnected || (await session.ended) === 'crashed') throw endedEarlyError(cause);
      const reason = cause instanceof ServiceError ? toServiceError(cause).message : messageOf(cause);
      throw new ServiceError(
        'INTERACT_REPLAY_UNAVAILABLE',
        `The scrape ${scrapeId} could not be continued: ${reason} Rerun the scrape and interact with the new one.`,
        { cause },
      );
    }
  }
}
