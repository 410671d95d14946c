import { realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import { messageOf, ServiceError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { type Confinement, findConfinement } from '../sandbox/confinement.ts';
import type { Language } from '../schemas/session.ts';
import { HostedSession, type RunningBrowser } from './hosted-session.ts';
import { type ScrapeBrowser, ScrapeBrowsers } from './scrape-browsers.ts';
import { sandboxedChromium, startSessionBrowser } from './session-browser.ts';
import { createSessionDirectory } from './session-directory.ts';
import type { SessionMetrics } from './session-metrics.ts';
import { SpareBrowser } from './spare-browser.ts';

/** What a host of browser sessions needs. */
export interface SessionHostOptions {
  /** The Chromium binary. */
  executablePath: string;
  /** Serves a connection that a browser opens to its proxy. */
  serveProxy(connection: Socket): void;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  /** Records the end of a session that has no workflow which would do that. */
  recordLoss(id: string): Promise<void>;
  metrics: SessionMetrics;
  logger: Logger;
}

/** Free memory in bytes that a further session needs. */
const SESSION_MEMORY_BYTES = 400 * 1024 * 1024;
/** A session whose workflow does not take care of it within this many milliseconds is ended. */
const KEEP_WITHIN_MS = 60_000;
/** After a call of JavaScript, new sessions are made ready for it ahead, for this many milliseconds. */
const NODE_IN_USE_MS = 600_000;

const hasMemoryFor = (sessions: number) => process.availableMemory() >= sessions * SESSION_MEMORY_BYTES;

/**
 * Finds out how browsers of sessions are confined on this machine.
 * @throws ServiceError `SESSIONS_UNAVAILABLE` that says what to install where they cannot run in a sandbox
 */
export async function findSessionConfinement(executablePath: string): Promise<Confinement> {
  const directory = await createSessionDirectory();
  try {
    const program = sandboxedChromium({ executablePath, directory });
    const { confinement } = await findConfinement({ ...program, command: ['/bin/sh', '-c', 'exit 0'] });
    return confinement;
  } catch (cause) {
    throw new ServiceError(
      'SESSIONS_UNAVAILABLE',
      `Browser sessions need bubblewrap, which does not work here (${messageOf(cause)}). Install the package bubblewrap and allow unprivileged user namespaces (in a container security_opt, as in docker-compose.yml).`,
      { cause },
    );
  } finally {
    await directory.remove();
  }
}

/** The browser sessions of this process. */
export class SessionHost {
  readonly #options: SessionHostOptions;
  readonly #confinement: Confinement;
  readonly #sessions = new Map<string, Promise<HostedSession>>();
  readonly #kept = new Set<string>();
  readonly #spare: SpareBrowser;
  readonly #scrapes: ScrapeBrowsers;
  #nodeUsedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  private constructor(options: SessionHostOptions, confinement: Confinement) {
    this.#options = options;
    this.#confinement = confinement;
    this.#spare = new SpareBrowser(() => this.#startBrowser());
    this.#scrapes = new ScrapeBrowsers({
      take: async () => {
        const browser = await this.#spare.take();
        if (this.#sessions.size > 0 && hasMemoryFor(2)) this.#spare.prepare();
        return browser;
      },
      hasMemory: () => hasMemoryFor(2),
      logger: options.logger,
    });
  }

  /**
   * Opens a host.
   * @throws ServiceError `SESSIONS_UNAVAILABLE` where browsers cannot run in a sandbox
   */
  static async open(options: SessionHostOptions): Promise<SessionHost> {
    const executablePath = realpathSync(options.executablePath);
    return new SessionHost({ ...options, executablePath }, await findSessionConfinement(executablePath));
  }

  /**
   * Starts the browser of a session, or takes over that of the scrape which it continues. A second call for the same
   * session waits for the first one.
   * @throws ServiceError `SESSION_LIMIT_REACHED` if the memory does not suffice, `SESSION_FAILED` if the browser does not
   *   start
   */
  async open(id: string, scrapeId?: string | null): Promise<HostedSession> {
    const opening = this.#sessions.get(id) ?? this.#open(id, scrapeId);
    this.#sessions.set(id, opening);
    try {
      return await opening;
    } catch (error) {
      this.#sessions.delete(id);
      throw error;
    }
  }

  /** Finds a session that this host runs. */
  async find(id: string): Promise<HostedSession | undefined> {
    return this.#sessions.get(id);
  }

  /**
   * Takes over the care for a session until it ends.
   * @returns `undefined` if this host does not run it
   */
  async keep(id: string): Promise<HostedSession | undefined> {
    const session = await this.find(id);
    if (session) this.#kept.add(id);
    return session;
  }

  /** Resolves if the host accepts sessions. @throws ServiceError `SERVICE_UNAVAILABLE` while it stops */
  async ready(): Promise<void> {
    if (this.#isStopping) throw new ServiceError('SERVICE_UNAVAILABLE', 'This host is stopping.');
  }

  /** Ends all sessions, and accepts no new ones. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([
      this.#spare.close(),
      this.#scrapes.close(),
      ...Array.from(this.#sessions.values(), (opening) =>
        opening.then(
          (session) => session.end('shutdown'),
          // Its browser did not start.
          () => undefined,
        ),
      ),
    ]);
  }

  /** A browser for a scrape, whose page a session can take over for a while. */
  browserFor(scrapeId: string, startMs: number): ScrapeBrowser {
    return this.#scrapes.browserFor(scrapeId, startMs);
  }

  /** @returns the browser of the scrape if it is kept here, else one that nobody has used */
  async #takeBrowser(scrapeId: string | null | undefined): Promise<RunningBrowser> {
    const kept = scrapeId ? this.#scrapes.take(scrapeId) : undefined;
    if (kept) return { ...kept, hasPage: true };
    // Sessions come first.
    while (!hasMemoryFor(1) && (await this.#scrapes.endOldest()));
    if (!hasMemoryFor(1)) {
      throw new ServiceError(
        'SESSION_LIMIT_REACHED',
        'The memory of the host does not suffice for another browser session. Try again when one has ended.',
        { retryAfterSeconds: 30 },
      );
    }
    return this.#spare.take();
  }

  async #open(id: string, scrapeId: string | null | undefined): Promise<HostedSession> {
    await this.ready();
    const { cacheDir, metrics, logger } = this.#options;
    const stopTimer = metrics.openSeconds.startTimer();
    const session = new HostedSession({
      ...{ id, cacheDir, metrics, logger },
      confinement: this.#confinement,
      browser: await this.#takeBrowser(scrapeId),
      onExecuted: (language) => this.#noticeCall(language),
    });
    stopTimer();
    metrics.open.inc();
    void session.ended.then((reason) => {
      metrics.open.dec();
      metrics.ended.inc({ reason });
      this.#sessions.delete(id);
      this.#kept.delete(id);
      if (this.#sessions.size === 0) this.#spare.closeLater();
    });
    if (hasMemoryFor(2)) {
      if (performance.now() - this.#nodeUsedAt < NODE_IN_USE_MS) void session.startLanguage('node');
      this.#spare.prepare();
    }
    setTimeout(() => void this.#endUnlessKept(session), KEEP_WITHIN_MS).unref();
    return session;
  }

  #noticeCall(language: Language): void {
    if (language === 'node') this.#nodeUsedAt = performance.now();
  }

  async #startBrowser(): Promise<RunningBrowser> {
    const { executablePath, serveProxy } = this.#options;
    const directory = await createSessionDirectory();
    try {
      const options = { executablePath, serveProxy, directory, confinement: this.#confinement };
      return { directory, chromium: await startSessionBrowser(options) };
    } catch (cause) {
      await directory.remove();
      throw new ServiceError('SESSION_FAILED', 'The browser of the session did not start. Try again.', {
        cause,
      });
    }
  }

  /** Its workflow may never have started, because the API ended first. */
  async #endUnlessKept(session: HostedSession): Promise<void> {
    if (this.#kept.has(session.id) || session.hasEnded) return;
    const { logger, recordLoss } = this.#options;
    logger.warn({ session: session.id }, 'a browser session without a workflow was ended');
    await session.end('lost');
    // Upkeep records it later.
    await recordLoss(session.id).catch((error) =>
      logger.warn({ err: error, session: session.id }, 'the end of a browser session was not recorded'),
    );
  }
}
