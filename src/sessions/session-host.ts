import { realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { messageOf, ServiceError, toServiceError } from '../errors.ts';
import type { Appearance } from '../fetch/browser/device-emulation.ts';
import type { AdBlocker } from '../fetch/browser/network/ad-blocker.ts';
import { appearanceOf } from '../fetch/engines/visitor.ts';
import type { ProxyRoute } from '../fetch/net/checked-egress.ts';
import { DEFAULT_VISITOR, type Language, type SessionVisitor } from '../schemas/session.ts';
import type { Logger } from '../system/logger.ts';
import { type Confinement, findConfinement } from '../system/sandbox/confinement.ts';
import type { BrowserLimits } from './browser/browser-limits.ts';
import { BrowserStarter } from './browser/browser-starter.ts';
import type { RunningBrowser, SessionProxy } from './browser/running-browser.ts';
import { type ScrapeBrowser, ScrapeBrowsers } from './browser/scrape-browsers.ts';
import { sandboxProbe } from './browser/session-browser.ts';
import { SpareBrowser } from './browser/spare-browser.ts';
import { routeOfVisitor } from './browser/visitor-route.ts';
import { JavaScriptUse } from './code/javascript-use.ts';
import { HostedSession } from './hosted-session.ts';
import { createSessionDirectory } from './session-directory.ts';
import type { OpenOutcome, SessionMetrics } from './session-metrics.ts';
import { SessionRoom, type SessionRoomOptions } from './session-room.ts';

/** Options of {@link SessionHost}. */
export interface SessionHostOptions extends SessionRoomOptions {
  /** The Chromium binary. */
  executablePath: string;
  /** The proxy by which browsers reach sites, unless the visitor of a session has another route. */
  proxy: SessionProxy & { forRoute(route: ProxyRoute): Promise<SessionProxy> };
  /** User agent of this service. */
  userAgent: string;
  /** Recognises advertisements; absent if this service has no filter lists. */
  adBlocker?: Pick<AdBlocker, 'matcher'> | undefined;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  /** Records the end of a session that has no workflow which would do that. */
  recordLoss(id: string): Promise<void>;
  /** Keeps the recording of a session that ends. Its file is deleted afterwards. */
  keepRecording?(id: string, file: string): Promise<void>;
  metrics: SessionMetrics;
  logger: Logger;
  /** The limits of each browser, by default `BROWSER_LIMITS`. */
  browserLimits?: BrowserLimits;
}

/** How a session is opened. */
export interface OpenOptions {
  /** The scrape that it continues. */
  scrapeId?: string | null;
  /** The visitor that sites see; by default the one of scrapes. */
  visitor?: SessionVisitor | undefined;
  /** Whether it is recorded. */
  isRecorded?: boolean;
}

/** A session whose workflow does not take care of it within this many milliseconds is ended. */
const KEEP_WITHIN_MS = 60_000;

/**
 * Finds out how browsers of sessions are confined on this machine.
 * @throws ServiceError `SESSIONS_UNAVAILABLE` that says what to install where they cannot run in a sandbox
 */
export async function findSessionConfinement(executablePath: string): Promise<Confinement> {
  const directory = await createSessionDirectory();
  try {
    const { confinement } = await findConfinement(sandboxProbe({ executablePath, directory }));
    return confinement;
  } catch (cause) {
    throw new ServiceError(
      'SESSIONS_UNAVAILABLE',
      `Browser sessions need bubblewrap and user namespaces, which do not work here (${messageOf(cause)}). Install the package bubblewrap, and allow unprivileged user namespaces (user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container security_opt, as in docker-compose.yml).`,
      { cause },
    );
  } finally {
    await directory.remove();
  }
}

/** The browser sessions of this process. */
export class SessionHost {
  readonly #options: SessionHostOptions;
  readonly #starter: BrowserStarter;
  readonly #room: SessionRoom;
  readonly #sessions = new Map<string, Promise<HostedSession>>();
  /** Those whose browser has started. */
  readonly #opened = new Set<HostedSession>();
  readonly #kept = new Set<string>();
  readonly #spare: SpareBrowser;
  readonly #scrapes: ScrapeBrowsers;
  readonly #javaScript = new JavaScriptUse();
  #isStopping = false;

  private constructor(options: SessionHostOptions, confinement: Confinement) {
    this.#options = options;
    this.#starter = new BrowserStarter({ ...options, confinement });
    this.#room = new SessionRoom(options);
    options.metrics.memory.ofSessions = () => Array.from(this.#opened, ({ residentBytes }) => residentBytes);
    options.metrics.memory.hasRoom = () => !this.#isStopping && this.hasRoom;
    this.#spare = new SpareBrowser({
      start: () => this.#startSpare(),
      hasRoom: () => this.#hasRoomFor(2),
      logger: options.logger,
    });
    this.#scrapes = new ScrapeBrowsers({
      take: async () => {
        const browser = await this.#spare.take();
        if (this.#sessions.size > 0) this.#spare.prepare();
        return browser;
      },
      hasRoom: () => this.#hasRoomFor(2),
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
   * Starts the browser of a session, or takes over that of the scrape which it continues. A second call for
   * the same session waits for the first one.
   * @throws ServiceError `SESSION_LIMIT_REACHED` if the memory or the file descriptors do not suffice,
   * `SESSION_FAILED` if the browser does not start
   */
  async open(id: string, options: OpenOptions = {}): Promise<HostedSession> {
    const opening = this.#sessions.get(id) ?? this.#open(id, options);
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
      this.#starter.close(),
      ...Array.from(this.#sessions.values(), (opening) =>
        opening.then(
          (session) => session.end('shutdown'),
          // Its browser did not start.
          () => undefined,
        ),
      ),
    ]);
  }

  /** Whether there is room for another session, if need be that of a page that is only kept. */
  get hasRoom(): boolean {
    return this.#scrapes.isKeepingAny || this.#hasRoomFor(1);
  }

  /** A browser for a scrape, whose page a session can take over for a while. */
  browserFor(scrapeId: string, startMs: number): ScrapeBrowser {
    return this.#scrapes.browserFor(scrapeId, startMs);
  }

  /** @returns the browser of the scrape if it is kept here, else one that nobody has used */
  async #takeBrowser({ scrapeId, visitor = DEFAULT_VISITOR }: OpenOptions): Promise<RunningBrowser> {
    const kept = scrapeId ? this.#scrapes.take(scrapeId) : undefined;
    if (kept) return { ...kept, hasPage: true };
    await this.#room.enter(async () => {
      await this.ready();
      // Sessions come first.
      return this.#scrapes.endOldest();
    });
    // The spare browser was started as the default visitor.
    return isDeepStrictEqual(this.#appearanceOf(visitor), this.#appearanceOf(DEFAULT_VISITOR)) &&
      routeOfVisitor(visitor).country === undefined
      ? this.#spare.take()
      : this.#startBrowser(visitor);
  }

  /** All that sites can observe of a visitor. */
  #appearanceOf({ location, mobile }: SessionVisitor): Appearance {
    return appearanceOf({ location, mobile, skipTlsVerification: false }, this.#options.userAgent);
  }

  async #startBrowser(visitor: SessionVisitor): Promise<RunningBrowser> {
    const { proxy } = this.#options;
    const route = routeOfVisitor(visitor);
    const way = route.country === undefined ? proxy : await proxy.forRoute(route);
    return this.#starter.start(this.#appearanceOf(visitor), way);
  }

  /** @returns `undefined` if advertisements are not blocked, because nobody wants it or there are no filter lists */
  async #adsFor({ blockAds }: SessionVisitor) {
    const { adBlocker, logger } = this.#options;
    if (!blockAds) return undefined;
    return adBlocker
      ?.matcher()
      .catch((error) => void logger.warn({ err: error }, 'a session does not block advertisements'));
  }

  /** Starts to serve the browser of a session. @throws ServiceError `SESSION_FAILED` if it has ended */
  async #prepare(session: HostedSession, visitor: SessionVisitor): Promise<void> {
    try {
      await session.prepare(await this.#adsFor(visitor));
    } catch (cause) {
      await session.end('failed');
      throw new ServiceError('SESSION_FAILED', 'The browser of the session ended at its start. Try again.', {
        cause,
      });
    }
  }

  async #open(id: string, options: OpenOptions): Promise<HostedSession> {
    await this.ready();
    const { metrics, logger } = this.#options;
    const session = new HostedSession({
      id,
      metrics,
      logger,
      browser: await this.#timeOpening(() => this.#takeBrowser(options)),
      onExecuted: (language) => this.#noticeCall(language),
      isRecorded: options.isRecorded ?? false,
      keepRecording: async (file) => this.#options.keepRecording?.(id, file),
    });
    metrics.open.inc();
    this.#opened.add(session);
    void session.ended.then((reason) => {
      metrics.open.dec();
      metrics.ended.inc({ reason });
      this.#sessions.delete(id);
      this.#opened.delete(session);
      this.#kept.delete(id);
      if (this.#sessions.size === 0) this.#spare.closeLater();
    });
    await this.#prepare(session, options.visitor ?? DEFAULT_VISITOR);
    if (this.#javaScript.isLikely && this.#hasRoomFor(1)) void session.startLanguage('node');
    this.#javaScript.noticeSession();
    this.#spare.prepare();
    const endUnlessKept = () =>
      this.#endUnlessKept(session).catch((error) =>
        logger.warn({ err: error, session: id }, 'a browser session without a workflow did not end in order'),
      );
    setTimeout(endUnlessKept, KEEP_WITHIN_MS).unref();
    return session;
  }

  async #timeOpening(take: () => Promise<RunningBrowser>): Promise<RunningBrowser> {
    const stopTimer = this.#options.metrics.openSeconds.startTimer();
    let outcome: OpenOutcome = 'failed';
    try {
      const browser = await take();
      outcome = 'succeeded';
      return browser;
    } catch (error) {
      if (toServiceError(error).code === 'SESSION_LIMIT_REACHED') outcome = 'refused';
      throw error;
    } finally {
      stopTimer({ outcome });
    }
  }

  #noticeCall(language: Language): void {
    if (language !== 'node') return;
    this.#javaScript.noticeCall();
    void this.#spare.current?.then((browser) => browser && this.#startNode(browser));
  }

  #hasRoomFor(sessions: number): boolean {
    return this.#room.missingFor(sessions) === undefined;
  }

  /**
   * Starts a browser that nobody waits for, and the program for JavaScript that is likely to be used with it.
   */
  async #startSpare(): Promise<RunningBrowser> {
    const browser = await this.#startBrowser(DEFAULT_VISITOR);
    if (this.#javaScript.isLikely) void this.#startNode(browser);
    return browser;
  }

  async #startNode({ code }: RunningBrowser): Promise<void> {
    await code
      .start('node')
      // The first call tries it again, and reports the reason.
      .catch((error) => this.#options.logger.debug({ err: error }, 'JavaScript was not made ready'));
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
