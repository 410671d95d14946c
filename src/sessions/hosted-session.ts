import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { connectPlaywright } from '../browser/attach-playwright.ts';
import type { OpenProfile } from '../browser/browser-profile.ts';
import { type BrowsingContext, useContext } from '../browser/chromium/browsing-context.ts';
import type { Chromium } from '../browser/chromium/launch-chromium.ts';
import type { Logger } from '../logger.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import { SESSION_ENDED_CODE } from '../schemas/live-view.ts';
import type { CodeResult, Language } from '../schemas/session.ts';
import { SESSION_END_SENTENCES, type SessionEndReason } from '../schemas/session-end.ts';
import { type CodeRequest, CodeRunner } from './code/code-runner.ts';
import { DownloadLimit } from './download-limit.ts';
import { type DownloadList, Downloads } from './downloads.ts';
import { HiddenTab } from './hidden-tab.ts';
import { LiveView } from './live-view/live-view.ts';
import type { ViewerRights } from './live-view/viewer.ts';
import { ProtocolClients } from './protocol-clients.ts';
import { type ProtocolSocket, serveProtocolSocket } from './protocol-socket.ts';
import { openSessionContext } from './session-context.ts';
import type { SessionDirectory } from './session-directory.ts';
import type { CallOutcome, SessionMetrics } from './session-metrics.ts';

/** Close codes for protocol clients of a session that has ended: those for applications (RFC 6455), by kind of end. */
const CLOSE_CODES: Record<SessionEndReason, number> = {
  ttl: 4408,
  idle: 4408,
  deleted: 4410,
  // As HTTP 402.
  credits: 4402,
  crashed: 4500,
  failed: 4500,
  lost: 4500,
  // Going away: the client may connect to a new session.
  shutdown: 1001,
};

/** How long the profile of a session may take to be saved at its end, in milliseconds. */
const PROFILE_SAVE_MS = 8_000;
/** How long calls may take to end when the host is stopped, in milliseconds. The profile gets that much less. */
const LAST_CALLS_MS = 2_000;

/** How a session is used, as the Temporal UI shows it. */
export interface SessionUsage {
  /** Calls of code so far. */
  calls: number;
  /** Protocol clients that are connected now, those of code included. */
  clients: number;
  /** Viewers of the live view now. */
  viewers: number;
  /** The most viewers that there were at once. */
  mostViewers: number;
}

/** A browser that runs in a sandbox, with its directory. */
export interface RunningBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
  /** Whether the page of the scrape that the session continues is open in it. */
  hasPage?: boolean;
}

/** What a session on its host needs. */
export interface HostedSessionOptions {
  id: string;
  browser: RunningBrowser;
  confinement: Confinement;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  /** Is called after each call of code, with its language. */
  onExecuted(language: Language): void;
  metrics: SessionMetrics;
  logger: Logger;
}

/** A browser session on its host. */
export class HostedSession {
  readonly id: string;
  readonly downloads: Downloads;
  /** Resolves with the reason when the session has ended here. */
  readonly ended: Promise<SessionEndReason>;
  readonly #browser: RunningBrowser;
  readonly #clients: ProtocolClients;
  readonly #downloadLimit: DownloadLimit;
  #hiddenTab: HiddenTab | undefined;
  readonly #liveView: LiveView;
  readonly #code: CodeRunner;
  /** The socket through which code and the profile reach the browser; served when it is first needed. */
  #protocolSocket: Promise<ProtocolSocket> | undefined;
  /** Resolves when the session is about to end, so that its profile is saved for the last time. */
  readonly #profileEnd = Promise.withResolvers<void>();
  #profileSaved: Promise<void> | undefined;
  readonly #metrics: SessionMetrics;
  readonly #onExecuted: (language: Language) => void;
  readonly #logger: Logger;
  readonly #end = Promise.withResolvers<SessionEndReason>();
  #targetId: string | undefined;
  #lastActivityAt = Date.now();
  readonly #runningCalls = new Set<Promise<unknown>>();
  #calls = 0;
  #viewers = 0;
  #mostViewers = 0;
  #reason: SessionEndReason | undefined;

  constructor(options: HostedSessionOptions) {
    const { id, browser, confinement, cacheDir, onExecuted, metrics, logger } = options;
    this.id = id;
    this.#metrics = metrics;
    this.#onExecuted = onExecuted;
    this.#logger = logger;
    // Only a session with a profile waits for it.
    this.#profileEnd.promise.catch(() => undefined);
    this.#browser = browser;
    this.ended = this.#end.promise;
    const { connection } = browser.chromium;
    const { path: directory, downloads } = browser.directory;
    this.downloads = new Downloads(downloads);
    this.#clients = new ProtocolClients(connection);
    this.#downloadLimit = new DownloadLimit(connection, {
      ...{ directory: downloads, logger },
      onCanceled: ({ name, reason }) => this.#liveView.notify(`${name} was not downloaded. ${reason}`),
    });
    this.#liveView = new LiveView({
      connection,
      onActivity: () => this.#touch(),
      onViewers: (count) => {
        metrics.viewers.inc(count - this.#viewers);
        this.#viewers = count;
        this.#mostViewers = Math.max(this.#mostViewers, count);
      },
      onFrame: () => metrics.frames.inc(),
      onTabChange: (targetId) => {
        this.#targetId = targetId;
      },
      hasOtherClients: () => this.#clients.size > 0,
      logger,
    });
    this.#code = new CodeRunner({
      ...{ confinement, cacheDir, directory, logger },
      getTargetId: () => this.#targetId,
      setTargetId: (targetId) => {
        this.#targetId = targetId;
        this.#liveView.showTab(targetId);
      },
    });
    void connection.closed.then(() => this.end('crashed'));
  }

  /** When the session was last active, in milliseconds since 1970. It is active while a call runs. */
  get lastActivityAt(): number {
    return this.#runningCalls.size > 0 ? Date.now() : this.#lastActivityAt;
  }

  /** How the session is used. */
  get usage(): SessionUsage {
    return {
      calls: this.#calls,
      clients: this.#clients.size,
      viewers: this.#viewers,
      mostViewers: this.#mostViewers,
    };
  }

  /** Whether the session has taken over the page of its scrape, so that it need not be opened again. */
  get hasPage(): boolean {
    return this.#browser.hasPage ?? false;
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** Starts the program of a language ahead of its first call, which starts it again if that fails. */
  async startLanguage(language: Language): Promise<void> {
    try {
      await this.#serveProtocolSocket();
      await this.#code.start(language);
    } catch (error) {
      this.#logger.debug({ err: error, language }, 'a program was not started ahead of its first call');
    }
  }

  /**
   * Runs a visit in the tab in use, and leaves the page open.
   * @throws the reason of the signal when it fires, `Disconnected` when the browser ends
   */
  async visit<Result>(
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { connection } = this.#browser.chromium;
    const context = openSessionContext(connection, await this.#currentTarget());
    return useContext(context, use, signal);
  }

  /**
   * Loads a profile into the browser. If it has a saver, it is saved while the session lasts and at its end.
   * @throws ServiceError `PROFILE_ERROR` if it cannot be loaded
   */
  async useProfile(profile: OpenProfile): Promise<void> {
    const loaded = Promise.withResolvers<void>();
    this.#profileSaved = this.#runWithProfile(profile, loaded.resolve).catch((error: unknown) => {
      loaded.reject(error);
      // A browser that has crashed cannot be saved any more; the last checkpoint remains.
      if (this.#reason !== 'crashed')
        this.#logger.warn({ err: error, session: this.id }, 'the profile of a session was not saved');
    });
    await loaded.promise;
  }

  /** Loads a profile; one with a saver stays until the session ends. Its lease is released in any case. */
  async #runWithProfile(profile: OpenProfile, onLoaded: () => void): Promise<void> {
    await using held = profile;
    const { connection } = this.#browser.chromium;
    const { profileUrl } = await this.#serveProtocolSocket();
    const targetId = await this.#currentTarget();
    this.#hiddenTab = await HiddenTab.open(connection);
    this.#clients.hide(this.#hiddenTab);
    this.#liveView.hideTab(this.#hiddenTab.targetId);
    await using playwright = await connectPlaywright(profileUrl);
    const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
    await held.runWith(playwright.context, { session: connection.session(sessionId) }, async () => {
      onLoaded();
      if (held.isSaved) await this.#profileEnd.promise;
    });
  }

  /** Connects a client of the DevTools protocol. */
  addClient(socket: WebSocket): void {
    this.#clients.connect(socket, {
      onActivity: () => {
        this.#metrics.protocolMessages.inc();
        this.#touch();
      },
    });
  }

  /** Serves the socket for code and for the profile. Their messages are no activity of the user. */
  #serveProtocolSocket(): Promise<ProtocolSocket> {
    this.#protocolSocket ??= serveProtocolSocket(this.#browser.directory.path, (socket, purpose) => {
      const options = { onActivity: () => undefined };
      if (purpose === 'code') this.#clients.connect(socket, options);
      else this.#clients.connectHost(socket, { ...options, usesHiddenTab: true });
    });
    return this.#protocolSocket;
  }

  /** Lists the files that the session has stored, and the downloads that were too large for it. */
  async listDownloads(): Promise<DownloadList> {
    return { files: await this.downloads.list(), canceled: [...this.#downloadLimit.canceled] };
  }

  /** Connects a viewer. */
  addViewer(socket: WebSocket, rights: ViewerRights): void {
    this.#liveView.addViewer(socket, rights);
  }

  /**
   * Executes code. The session counts as active meanwhile.
   * @param signal ends the wait for earlier calls, or kills the code
   * @throws ServiceError `LANGUAGE_NOT_AVAILABLE` or `SESSION_FAILED` before the code has begun; `SESSION_DESTROYED` if the
   *   session ends before the code
   */
  async execute(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    const { language } = request;
    const stopTimer = this.#metrics.callSeconds.startTimer({ language });
    let outcome: CallOutcome = 'refused';
    this.#calls++;
    const call = this.#serveProtocolSocket().then(() => this.#code.run(request, signal));
    this.#runningCalls.add(call);
    try {
      const result = await call;
      outcome = result.killed ? 'killed' : result.exitCode === 0 ? 'succeeded' : 'failed';
      return result;
    } finally {
      this.#runningCalls.delete(call);
      this.#touch();
      stopTimer({ outcome });
      this.#onExecuted(language);
    }
  }

  /**
   * Ends the session: disconnects its clients, ends code and browser, and deletes its directory. When the host is stopped,
   * calls that run may end first.
   */
  async end(reason: SessionEndReason): Promise<void> {
    if (this.#reason) {
      await this.ended;
      return;
    }
    this.#reason = reason;
    if (reason === 'shutdown')
      await Promise.race([
        Promise.allSettled(this.#runningCalls),
        sleep(LAST_CALLS_MS, undefined, { ref: false }),
      ]);
    const text = `${reason}: ${SESSION_END_SENTENCES[reason]}`;
    this.#clients.close(CLOSE_CODES[reason], text);
    this.#liveView.close(SESSION_ENDED_CODE, reason);
    if (reason === 'crashed') this.#profileEnd.reject(new Error('the browser has crashed'));
    else this.#profileEnd.resolve();
    try {
      await this.#code.close(
        `The browser session ${this.id} has ended (${reason}), and code that still ran was interrupted. ${SESSION_END_SENTENCES[reason]}`,
      );
      const saveMs = reason === 'shutdown' ? PROFILE_SAVE_MS - LAST_CALLS_MS : PROFILE_SAVE_MS;
      await Promise.race([this.#profileSaved, sleep(saveMs, undefined, { ref: false })]);
      await this.#browser.chromium.close();
      (await this.#protocolSocket)?.close();
      await this.#browser.directory.remove();
    } finally {
      this.#end.resolve(reason);
    }
  }

  /** The tab in use; the oldest one if that was closed. */
  async #currentTarget(): Promise<string> {
    const { browser } = this.#browser.chromium.connection;
    const { targetInfos: pages } = await browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
    const targetInfos = pages.filter(({ targetId }) => !this.#hiddenTab?.has(targetId));
    const current = targetInfos.find(({ targetId }) => targetId === this.#targetId) ?? targetInfos[0];
    if (current) return current.targetId;
    return (await browser.send('Target.createTarget', { url: 'about:blank' })).targetId;
  }

  #touch(): void {
    this.#lastActivityAt = Date.now();
  }
}
