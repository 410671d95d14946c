import { createReadStream, type ReadStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { ServiceError } from '../errors.ts';
import type { OpenProfile } from '../fetch/browser/browser-profile.ts';
import { type BrowsingContext, useContext } from '../fetch/browser/chromium/browsing-context.ts';
import type { Appearance } from '../fetch/browser/device-emulation.ts';
import { GOING_AWAY_CODE, SESSION_ENDED_CODE } from '../schemas/live-view.ts';
import type { CodeResult, Language, PromptResult, SessionTargets } from '../schemas/session.ts';
import { isBrowserGone, SESSION_END_SENTENCES, type SessionEndReason } from '../schemas/session-end.ts';
import type { Logger } from '../system/logger.ts';
import { measureTree } from '../system/sandbox/process-tree.ts';
import type { RunningBrowser } from './browser/running-browser.ts';
import { openSessionContext } from './browser/session-context.ts';
import { SessionEmulation } from './browser/session-emulation.ts';
import { SessionProfile } from './browser/session-profile.ts';
import { applyRequestRules, type SessionRequestRules } from './browser/session-requests.ts';
import { stopStalledNavigations } from './browser/stalled-navigations.ts';
import type { CodeRequest, SharedTab } from './code/code-runner.ts';
import { BrowserDownloads } from './downloads/browser-downloads.ts';
import { type DownloadList, Downloads } from './downloads/downloads.ts';
import { storeUpload, type UploadedFile } from './downloads/store-upload.ts';
import { LiveView } from './live-view/live-view.ts';
import type { ViewerRights } from './live-view/viewer.ts';
import { type PromptDeps, type PromptRequest, SessionPrompts } from './prompts/session-prompts.ts';
import { ProtocolClients } from './protocol/protocol-clients.ts';
import { type ProtocolSocket, serveProtocolSocket } from './protocol/protocol-socket.ts';
import { inputOfClient } from './recording/recorded-input.ts';
import { SessionRecorder } from './recording/recorder.ts';
import { SessionCounters } from './session-counters.ts';
import type { SessionMetrics } from './session-metrics.ts';
import { DOWNLOADS_PATH } from './session-paths.ts';
import { SessionTabs } from './session-tabs.ts';
import type { SessionUsage } from './session-usage.ts';

/** How long the profile of a session may take to be saved at its end, in milliseconds. */
const PROFILE_SAVE_MS = 8_000;
/**
 * How long calls may take to end when the host is stopped, in milliseconds. The profile gets that much less.
 */
const LAST_CALLS_MS = 2_000;
/** How long the recording of a session may take to be stored at its end, in milliseconds. */
const RECORDING_SAVE_MS = 8_000;
/**
 * How long a site still has to respond, in milliseconds, to a navigation of code that was killed, and to one
 * of a client that has disconnected and may want to find the page when it returns.
 */
const KILLED_NAVIGATION_MS = 300;
const LEFT_NAVIGATION_MS = 5_000;

/** Options of {@link HostedSession}. */
export interface HostedSessionOptions {
  id: string;
  browser: RunningBrowser;
  /** Is called after each call of code, with its language. */
  onExecuted(language: Language): void;
  /** Whether it is recorded. */
  isRecorded?: boolean;
  /** Keeps the recording at the end of the session. @param file is deleted afterwards */
  keepRecording?(file: string): Promise<void>;
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
  readonly #browserDownloads: BrowserDownloads;
  readonly #liveView: LiveView;
  readonly #recorder: SessionRecorder | undefined;
  readonly #keepRecording: HostedSessionOptions['keepRecording'];
  readonly #tabs: SessionTabs;
  /** The tab in use, for code. */
  readonly #sharedTab: SharedTab = {
    get: () => this.#tabs.lastUsed,
    set: (targetId) => {
      this.#tabs.lastUsed = targetId;
      this.#liveView.showTab(targetId);
    },
  };
  /** The socket through which code and the profile reach the browser; served when it is first needed. */
  #protocolSocket: Promise<ProtocolSocket> | undefined;
  readonly #profile = new SessionProfile();
  readonly #prompts: SessionPrompts;
  readonly #counters: SessionCounters;
  readonly #metrics: SessionMetrics;
  readonly #onExecuted: (language: Language) => void;
  readonly #logger: Logger;
  readonly #end = Promise.withResolvers<SessionEndReason>();
  #emulation: SessionEmulation | undefined;
  #reason: SessionEndReason | undefined;

  constructor(options: HostedSessionOptions) {
    const { id, browser, onExecuted, metrics, logger } = options;
    this.id = id;
    this.#counters = new SessionCounters(metrics);
    this.#metrics = metrics;
    this.#onExecuted = onExecuted;
    this.#logger = logger;
    this.#browser = browser;
    this.ended = this.#end.promise;
    const { connection } = browser.chromium;
    this.downloads = new Downloads(browser.directory.downloads);
    this.#tabs = new SessionTabs(connection);
    this.#browserDownloads = new BrowserDownloads(connection, {
      directory: browser.directory,
      logger,
      onCanceled: ({ name, reason }) => this.#liveView.notify(`${name} was not downloaded. ${reason}`),
    });
    const recorder = options.isRecorded ? this.#startRecorder() : undefined;
    this.#recorder = recorder;
    this.#keepRecording = options.keepRecording;
    this.#clients = new ProtocolClients(connection, {
      downloads: this.#browserDownloads,
      files: this.downloads,
      onCommand: (command) => {
        const input = recorder && inputOfClient(command);
        if (input) recorder.add(input);
      },
    });
    this.#liveView = new LiveView({
      connection,
      recorder,
      onActivity: () => this.#counters.touch(),
      onViewers: (count) => this.#counters.setViewers(count),
      onFrame: () => metrics.frames.inc(),
      onTabChange: (targetId) => {
        this.#tabs.lastUsed = targetId;
      },
      // Code that is not running does not answer.
      hasOtherClients: () => this.#counters.hasClients,
      pathOfFile: (name) => (this.downloads.has(name) ? join(DOWNLOADS_PATH, name) : undefined),
      logger,
    });
    this.#browserDownloads.onEvent((event) => this.#liveView.showDownload(event));
    this.#prompts = new SessionPrompts({
      connection,
      currentTarget: () => this.#tabs.current(),
      showStep: (text) => this.#liveView.showStep(text),
      onStep: (tool) => this.#counters.addPromptStep(tool),
      logger,
    });
    void connection.closed.then(() => this.#endLogged('crashed'));
    void browser.exceeded.then((limit) => this.#endLogged(limit));
  }

  /** When the session was last active, in milliseconds since 1970. It is active while a call runs. */
  get lastActivityAt(): number {
    return this.#counters.lastActivityAt;
  }

  /** How the session is used. */
  get usage(): SessionUsage {
    return this.#counters.usage(this.#clients.size);
  }

  /** Whether the session has taken over the page of its scrape, so that it need not be opened again. */
  get hasPage(): boolean {
    return this.#browser.hasPage ?? false;
  }

  /** Resident memory of its browser and its programs, in bytes. */
  get residentBytes(): number {
    const { chromium, code } = this.#browser;
    return (chromium.pid ? measureTree(chromium.pid).residentBytes : 0) + code.residentBytes;
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * Makes all pages of the browser see its visitor, and applies the rules for their requests. Clients may
   * connect then.
   * @throws Error if the browser has ended
   */
  async prepare(isAd: SessionRequestRules['isAd']): Promise<void> {
    const { chromium, visitor, timezone, proxy } = this.#browser;
    const { connection } = chromium;
    const [emulation] = await Promise.all([
      SessionEmulation.start({ connection, visitor, timezone }),
      applyRequestRules(connection, {
        failureOf: proxy.failureOf,
        isAd,
        onPageFailed: (failure) => this.#liveView.noteFailure(failure),
      }),
    ]);
    this.#emulation = emulation;
  }

  /** Starts the program of a language ahead of its first call, which starts it again if that fails. */
  async startLanguage(language: Language): Promise<void> {
    try {
      await this.#serveProtocolSocket();
      await this.#browser.code.connect(language);
    } catch (error) {
      this.#logger.debug({ err: error, language }, 'a program was not started ahead of its first call');
    }
  }

  /**
   * Runs a visit in the tab in use, and leaves the page open. It is the replay of the scrape that the session
   * continues.
   * @throws the reason of the signal when it fires, `Disconnected` when the browser ends
   */
  async visit<Result>(
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { connection } = this.#browser.chromium;
    let seen: Appearance | undefined;
    const context = openSessionContext(connection, await this.#tabs.current(), (visitor) => {
      seen = visitor;
    });
    const stopTimer = this.#metrics.replaySeconds.startTimer();
    let outcome = 'failed';
    try {
      const result = await useContext(context, use, { signal });
      if (seen) await this.#emulation?.change(seen);
      outcome = 'succeeded';
      return result;
    } finally {
      stopTimer({ outcome });
    }
  }

  /**
   * Loads a profile into the browser. If it has a saver, it is saved while the session lasts and at its end.
   * @throws ServiceError `PROFILE_ERROR` if it cannot be loaded
   */
  async useProfile(profile: OpenProfile): Promise<void> {
    const { profileUrl } = await this.#serveProtocolSocket();
    await this.#profile.load(profile, {
      connection: this.#browser.chromium.connection,
      protocolUrl: profileUrl,
      targetId: await this.#tabs.current(),
      onHiddenTab: (tab) => {
        this.#tabs.hide(tab);
        this.#clients.hide(tab);
        this.#liveView.hideTab(tab.targetId);
      },
      onUnsaved: (error) => {
        if (!isBrowserGone(this.#reason))
          this.#logger.warn({ err: error, session: this.id }, 'the profile of a session was not saved');
      },
    });
  }

  /** Whether another client of the DevTools protocol, or another viewer, may connect. */
  hasRoomFor(kind: 'client' | 'viewer'): boolean {
    return kind === 'client' ? this.#clients.hasRoom : this.#liveView.hasRoom;
  }

  /** Describes the browser and its tabs, for clients that look for targets. */
  async listTargets(): Promise<SessionTargets> {
    const { browser } = this.#browser.chromium.connection;
    const [version, { targetInfos }, tabs] = await Promise.all([
      browser.send('Browser.getVersion'),
      browser.send('Target.getTargets', { filter: [{ type: 'page' }] }),
      this.#tabs.list(),
    ]);
    const { product, protocolVersion, userAgent, jsVersion, revision } = version;
    return {
      version: { product: product.replace('Headless', ''), protocolVersion, userAgent, jsVersion, revision },
      targets: targetInfos
        .filter(({ targetId }) => tabs.includes(targetId))
        .map(({ targetId: id, type, title, url }) => ({ id, type, title, url })),
    };
  }

  /**
   * Connects a client of the DevTools protocol.
   * @param targetId the tab that it uses; absent for a client of the whole browser
   */
  addClient(socket: WebSocket, targetId?: string): void {
    this.#counters.addClient(socket);
    this.#clients.connect(socket, {
      targetId,
      onActivity: (bytes) => this.#counters.addReceived(bytes),
      onSent: (bytes) => this.#counters.addSent(bytes),
      onLeftWaiting: (targetIds) => void this.#stopStalledNavigations(targetIds, LEFT_NAVIGATION_MS),
    });
  }

  /** Serves the socket for code and for the profile. Their messages are no activity of the user. */
  #serveProtocolSocket(): Promise<ProtocolSocket> {
    if (this.#protocolSocket) return this.#protocolSocket;
    const serving = serveProtocolSocket(this.#browser.directory.protocol, {
      hasRoom: () => this.#clients.hasRoom,
      onClient: (socket, purpose) => {
        const options = { onActivity: () => undefined };
        const onLeftWaiting = (targetIds: string[]) =>
          void this.#stopStalledNavigations(targetIds, KILLED_NAVIGATION_MS);
        if (purpose === 'code') this.#clients.connect(socket, { ...options, onLeftWaiting, isOfCode: true });
        else this.#clients.connectUncounted(socket, { ...options, usesHiddenTab: true });
      },
      logger: this.#logger,
    });
    this.#protocolSocket = serving;
    // Whoever needs it next tries again.
    serving.catch(() => {
      this.#protocolSocket = undefined;
    });
    return serving;
  }

  /**
   * Lists the files that the session has stored, and those that were not kept because they were too large.
   */
  async listDownloads(): Promise<DownloadList> {
    return {
      files: await this.downloads.list(),
      canceled: [...this.#browserDownloads.canceled, ...this.#browser.code.deletedFiles],
    };
  }

  /**
   * Stores a file where the browser and code find it. @returns its name and its size in bytes
   * @throws ServiceError `REQUEST_TOO_LARGE` if there is no room for it; `SESSION_DESTROYED` if the session
   * ends before
   */
  async addFile(file: UploadedFile): Promise<{ name: string; size: number }> {
    this.#counters.touch();
    try {
      return await storeUpload(file, {
        directory: this.#browser.directory,
        downloads: this.#browserDownloads,
      });
    } catch (cause) {
      // The directory is removed with the session.
      if (!this.hasEnded || cause instanceof ServiceError) throw cause;
      throw new ServiceError('SESSION_DESTROYED', 'The session ended before the file was stored.', { cause });
    }
  }

  /** Opens what has been recorded so far. @throws ServiceError `NOT_FOUND` if the session is not recorded */
  async openRecording(): Promise<ReadStream> {
    if (!this.#recorder) throw new ServiceError('NOT_FOUND', 'The session is not recorded.');
    await this.#recorder.flush();
    return createReadStream(this.#recorder.file);
  }

  #startRecorder(): SessionRecorder {
    return new SessionRecorder({
      file: join(this.#browser.directory.path, 'recording.jsonl'),
      onFault: (error) =>
        this.#logger.warn({ err: error, session: this.id }, 'a session is not recorded any longer'),
    });
  }

  /** Stores the recording before its file is deleted. */
  async #finishRecording(): Promise<void> {
    if (!this.#recorder) return;
    try {
      await this.#recorder.close();
      await this.#keepRecording?.(this.#recorder.file);
    } catch (error) {
      this.#logger.warn({ err: error, session: this.id }, 'the recording of a session was not stored');
    }
  }

  /** Connects a viewer. */
  addViewer(socket: WebSocket, rights: ViewerRights): void {
    this.#liveView.addViewer(socket, rights);
  }

  /**
   * Executes code. The session counts as active meanwhile.
   * @param signal ends the wait for earlier calls, or kills the code
   * @throws ServiceError `LANGUAGE_NOT_AVAILABLE` or `SESSION_FAILED` before the code has begun;
   * `SESSION_DESTROYED` if the
   *   session ends before the code
   */
  async execute(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    const { language } = request;
    let isOutOfMemory = false;
    const run = async () => {
      await this.#serveProtocolSocket();
      return this.#browser.code.run(request, {
        tab: this.#sharedTab,
        signal,
        onOutOfMemory: () => {
          isOutOfMemory = true;
        },
      });
    };
    const call = this.#counters.runCall(language, run, () => isOutOfMemory);
    return call.finally(() => this.#onExecuted(language));
  }

  /**
   * Lets a language model do a task in the tab in use. The session counts as active meanwhile.
   * @param signal ends the prompt
   * @throws ServiceError as {@link SessionPrompts.run}
   */
  async runPrompt(request: PromptRequest, deps: PromptDeps, signal: AbortSignal): Promise<PromptResult> {
    return this.#counters.runPrompt(() => this.#prompts.run(request, deps, signal));
  }

  /**
   * Ends the session: disconnects its clients, ends code and browser, and deletes its directory. When the
   * host is stopped, calls that run may end first.
   */
  async end(reason: SessionEndReason): Promise<void> {
    if (this.#reason) {
      await this.ended;
      return;
    }
    this.#reason = reason;
    if (reason === 'shutdown')
      await Promise.race([this.#counters.callsEnded(), sleep(LAST_CALLS_MS, undefined, { ref: false })]);
    this.#clients.close(reason);
    this.#liveView.close(reason === 'shutdown' ? GOING_AWAY_CODE : SESSION_ENDED_CODE, reason);
    const ended = `The browser session ${this.id} has ended (${reason})`;
    this.#prompts.close(
      new ServiceError(
        'SESSION_DESTROYED',
        `${ended}, and the prompt that still ran was interrupted. ${SESSION_END_SENTENCES[reason]}`,
      ),
    );
    const saveMs = reason === 'shutdown' ? PROFILE_SAVE_MS - LAST_CALLS_MS : PROFILE_SAVE_MS;
    const saved = isBrowserGone(reason) ? this.#profile.abandon() : this.#profile.finish(saveMs);
    try {
      await this.#browser.code.close(
        `${ended}, and code that still ran was interrupted. ${SESSION_END_SENTENCES[reason]}`,
      );
      await saved;
      await this.#browser.chromium.close();
      (await this.#protocolSocket)?.close();
      await Promise.race([this.#finishRecording(), sleep(RECORDING_SAVE_MS, undefined, { ref: false })]);
      await this.#browser.directory.remove();
    } finally {
      this.#end.resolve(reason);
    }
  }

  /** Ends the session where nobody waits for it. Its directory may not have been deleted. */
  async #endLogged(reason: SessionEndReason): Promise<void> {
    await this.end(reason).catch((error) =>
      this.#logger.warn({ err: error, session: this.id }, 'a browser session did not end in order'),
    );
  }

  /**
   * Lets clients use tabs in which a site does not respond.
   * @param left where a client that has left waited for responses; other tabs are left to their clients
   * @param waitMs how long a site has, in milliseconds
   */
  async #stopStalledNavigations(left: string[], waitMs: number): Promise<void> {
    try {
      const { connection } = this.#browser.chromium;
      const targetIds = (await this.#tabs.list()).filter((targetId) => left.includes(targetId));
      await stopStalledNavigations(connection, { targetIds, waitMs });
    } catch (error) {
      if (!this.hasEnded)
        this.#logger.warn({ err: error, session: this.id }, 'tabs that do not respond were not looked for');
    }
  }
}
