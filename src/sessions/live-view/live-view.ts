import type { WebSocket } from 'ws';
import type { CdpConnection, CdpMessage, Session } from '../../fetch/browser/chromium/cdp.ts';
import { type HostMessage, SESSION_ENDED_CODE, type ViewerMessage } from '../../schemas/live-view.ts';
import type { Logger } from '../../system/logger.ts';
import { isPageUrl } from '../protocol/protocol-filter.ts';
import { inputOfViewer } from '../recording/recorded-input.ts';
import { recordTab } from '../recording/recorded-tab.ts';
import { RECORDED_FPS, type SessionRecorder } from '../recording/recorder.ts';
import { Dialogs } from './dialogs.ts';
import { DownloadShelf } from './download-shelf.ts';
import { dropFiles, FileChoosers } from './file-choosers.ts';
import { moveInHistory, readHistory } from './navigation.ts';
import type { PickerListeners } from './pickers.ts';
import { Screencast } from './screencast.ts';
import { TabControl } from './tab-control.ts';
import { type LiveTab, Tabs } from './tabs.ts';
import { Viewer, type ViewerRights } from './viewer.ts';

/** More viewers than this are refused. */
const MAX_VIEWERS = 50;
/** WebSocket close code of an internal error (RFC 6455). */
const INTERNAL_ERROR = 1011;
/** Most bytes of a close reason (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;
/** A viewer opens no further tab beside this many. */
const MAX_TABS = 50;
/** A page may change its title at any rate; viewers get the list of tabs no more often than this. */
const TABS_INTERVAL_MS = 100;

/** Options of {@link LiveView}. */
export interface LiveViewOptions {
  connection: CdpConnection;
  /** The tab that is shown first; by default, the oldest one. */
  targetId?: string | undefined;
  /** Called whenever a viewer with control sends something. */
  onActivity(): void;
  /** Called with the number of viewers, whenever it changes. */
  onViewers(count: number): void;
  /** Called for every frame that Chromium has drawn. */
  onFrame(): void;
  /** Called when another tab is shown, because a viewer chose it, a popup opened, or the tab was closed. */
  onTabChange(targetId: string): void;
  /** Whether a program of the user is connected, which may want to answer dialogs itself. */
  hasOtherClients(): boolean;
  /**
   * Where the browser finds a file of the session; `undefined` if the session has none of this name.
   */
  pathOfFile(name: string): string | undefined;
  /** Records the session. */
  recorder?: SessionRecorder | undefined;
  logger: Pick<Logger, 'warn'>;
}

/**
 * The live view of one session: viewers see the tab in use, and those with control use it. All share one
 * screencast, which runs only while there are viewers. The live view answers the dialogs of all tabs even
 * without viewers.
 */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #screencast: Screencast;
  readonly #dialogs: Dialogs;
  readonly #fileChoosers: FileChoosers;
  readonly #downloads: DownloadShelf;
  /** Resolves with the session of the browser that belongs to this live view alone. */
  readonly #browser: Promise<Session>;
  #tabs: Tabs | undefined;
  #shown: LiveTab | undefined;
  #wantedTargetId: string | undefined;
  readonly #hiddenTargetIds = new Set<string>();
  /** Applies the input of viewers to the tab that is shown. */
  #control: TabControl | undefined;
  /** The viewport that a viewer asked for, in CSS pixels. It applies to every tab that is shown. */
  #viewport: { width: number; height: number } | undefined;
  /** The current step of a prompt, for viewers. */
  #step: string | undefined;
  /** Tabs that viewers open now. */
  #openingTabs = 0;
  #tabsTimer: NodeJS.Timeout | undefined;
  #detach: (() => void) | undefined;
  #end: { code: number; reason: string } | undefined;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    this.#wantedTargetId = options.targetId;
    this.#screencast = new Screencast({
      onFrame: (frame) => {
        options.onFrame();
        options.recorder?.addFrame(frame);
        for (const viewer of this.#viewers) viewer.offer(frame);
      },
      isWanted: () => options.recorder !== undefined || [...this.#viewers].some((viewer) => viewer.isReady),
    });
    this.#dialogs = new Dialogs({
      onOpened: (dialog) => this.#broadcast({ type: 'dialog', dialog }),
      onClosed: (id) => this.#broadcast({ type: 'dialogClosed', id }),
      hasOtherClients: () => options.hasOtherClients(),
    });
    this.#fileChoosers = new FileChoosers(options.connection, {
      onOpened: (chooser) => this.#broadcast({ type: 'fileChooser', chooser }, 'controllers'),
      onClosed: (id) => this.#broadcast({ type: 'fileChooserClosed', id }, 'controllers'),
    });
    this.#downloads = new DownloadShelf(() =>
      this.#broadcast({ type: 'downloads', downloads: this.#downloads.all() }),
    );
    this.#browser = this.#attach();
    this.#browser.catch((error: unknown) => {
      if (this.#end) return;
      options.logger.warn({ err: error }, 'the live view of a session could not attach to its browser');
      this.close(INTERNAL_ERROR, 'the live view is not available');
    });
    void options.connection.closed.then(() => this.close(SESSION_ENDED_CODE, 'crashed'));
  }

  /**
   * Resolves when the tabs are known and their dialogs are watched.
   * @throws Error when the browser has ended
   */
  async ready(): Promise<void> {
    await this.#browser;
  }

  /** The tab that is shown. */
  get targetId(): string | undefined {
    return this.#shown?.targetId;
  }

  /** Whether another viewer may connect. */
  get hasRoom(): boolean {
    return this.#viewers.size < MAX_VIEWERS;
  }

  /** Adds a viewer, whose handshake is only accepted while {@link hasRoom}, and who sees the newest frame at once. The socket is closed when the session ends. */
  addViewer(socket: WebSocket, options: ViewerRights): void {
    // A connection that fails is closed, which is all that has to be known about it.
    socket.on('error', () => undefined);
    if (this.#end) socket.close(this.#end.code, this.#end.reason);
    else this.#welcome(socket, options);
  }

  #welcome(socket: WebSocket, { mayControl, maxFps }: ViewerRights): void {
    const viewer: Viewer = new Viewer(socket, {
      mayControl,
      maxFps,
      onMessage: (message) => this.#receive(viewer, message),
      onReady: () => this.#screencast.acknowledge(),
    });
    this.#viewers.add(viewer);
    socket.once('close', () => {
      this.#viewers.delete(viewer);
      this.#countViewers();
    });
    this.#countViewers();
    viewer.send(this.#describeTabs());
    // Whether the tab can go back is read only while somebody watches.
    this.#announceTabs();
    for (const dialog of this.#dialogs.all()) viewer.send({ type: 'dialog', dialog });
    viewer.send({ type: 'step', text: this.#step });
    viewer.send({ type: 'downloads', downloads: this.#downloads.all() });
    const chooser = this.#fileChoosers.open;
    if (mayControl && chooser) viewer.send({ type: 'fileChooser', chooser });
    if (this.#screencast.frame) viewer.offer(this.#screencast.frame);
  }

  /** Shows a tab, as soon as it exists. Viewers follow. */
  showTab(targetId: string): void {
    const tab = this.#tabs?.get(targetId);
    if (tab) this.#show(tab);
    else this.#wantedTargetId = targetId;
  }

  /** Hides a tab from viewers. */
  hideTab(targetId: string): void {
    this.#hiddenTargetIds.add(targetId);
    this.#tabs?.forget(targetId);
  }

  /** Shows viewers what a prompt does now, until the next step; `undefined` when it has ended. */
  showStep(text: string | undefined): void {
    if (text === this.#step) return;
    this.#step = text;
    this.#broadcast({ type: 'step', text });
  }

  /** Notes why a page could not be opened. @param reason as Chromium names it (`Network.ErrorReason`) */
  noteFailure({ targetId, url, reason }: { targetId: string; url: string; reason: string }): void {
    const tab = this.#tabs?.get(targetId);
    if (tab) tab.lastFailure = { url, reason };
  }

  /** Shows an event of `BrowserDownloads` to all viewers. */
  showDownload(event: CdpMessage): void {
    if (this.#end) return;
    const download = this.#downloads.receive(event);
    if (download) this.#options.recorder?.add({ type: 'download', ...download });
  }

  /** Shows a sentence to all viewers for a few seconds. */
  notify(text: string): void {
    this.#broadcast({ type: 'notice', text });
  }

  /**
   * Ends the live view. The browser continues.
   * @param code WebSocket close code, {@link SESSION_ENDED_CODE} or `GOING_AWAY_CODE` when the session has
   * ended
   * @param reason for that code, a `SessionEndReason`
   */
  close(code: number, reason: string): void {
    if (this.#end) return;
    this.#end = { code, reason: Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString() };
    clearTimeout(this.#tabsTimer);
    this.#serveViewers();
    this.#dialogs.close();
    this.#downloads.close();
    this.#control?.close();
    this.#detach?.();
    for (const viewer of this.#viewers) viewer.close(this.#end.code, this.#end.reason);
  }

  async #attach(): Promise<Session> {
    const { connection } = this.#options;
    const { sessionId } = await connection.browser.send('Target.attachToBrowserTarget');
    this.#detach = () => {
      // The browser may have ended.
      connection.browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
    };
    if (this.#end) this.#detach();
    const browser = connection.session(sessionId);
    this.#tabs = new Tabs(connection, browser, {
      isHidden: (targetId) => this.#hiddenTargetIds.has(targetId),
      onOpened: (tab) => this.#tabOpened(tab),
      onClosed: (tab) => this.#tabClosed(tab),
      onChanged: () => this.#announceTabs(),
    });
    await this.#tabs.watch();
    this.#serveViewers();
    return browser;
  }

  #tabOpened(tab: LiveTab): void {
    this.#dialogs.watch(tab.session);
    this.#fileChoosers.watch(tab.session);
    if (this.#options.recorder) recordTab(tab.session, this.#options.recorder);
    const isPopup = tab.openerId !== undefined && tab.openerId === this.#shown?.targetId;
    const isWanted = tab.targetId === this.#wantedTargetId;
    if (isPopup || isWanted || !this.#shown) this.#show(tab);
    if (isPopup) this.#options.onTabChange(tab.targetId);
  }

  #tabClosed(tab: LiveTab): void {
    this.#dialogs.forget(tab.session);
    this.#fileChoosers.forget(tab.session);
    if (tab !== this.#shown) return;
    const next = this.#tabs?.get(tab.openerId ?? '') ?? this.#tabs?.all().at(-1);
    this.#show(next);
    if (next) this.#options.onTabChange(next.targetId);
  }

  #show(tab: LiveTab | undefined): void {
    if (tab && tab.targetId === this.#wantedTargetId) this.#wantedTargetId = undefined;
    if (tab === this.#shown || this.#end) return;
    this.#shown = tab;
    this.#control?.close();
    this.#control = tab && this.#controlOf(tab);
    this.#screencast.show(tab?.session);
    this.#resizeShownTab();
    // The tab may have been closed meanwhile.
    tab?.session.send('Page.bringToFront').catch(() => undefined);
    this.#announceTabs();
  }

  #controlOf(tab: LiveTab): TabControl {
    const pickers: PickerListeners = {
      onOpened: (picker) => this.#broadcast({ type: 'picker', picker }, 'controllers'),
      onClosed: (id) => this.#broadcast({ type: 'pickerClosed', id }, 'controllers'),
    };
    const { connection } = this.#options;
    return new TabControl({ tab, connection, browser: this.#browser, dialogs: this.#dialogs, pickers });
  }

  #receive(viewer: Viewer, message: ViewerMessage): void {
    if (!viewer.mayControl || message.type === 'ack' || message.type === 'alive') return;
    const { onActivity, recorder } = this.#options;
    onActivity();
    const input = recorder && inputOfViewer(message);
    if (input) recorder.add(input);
    const { type } = message;
    if (type === 'dialog') this.#dialogs.answer(message.id, message.accept, message.promptText);
    else if (type === 'showTab') this.#switchTab(message.targetId);
    else if (type === 'closeTab') this.#closeTab(message.targetId);
    else if (type === 'newTab') void this.#openTab();
    else if (type === 'navigate') this.#navigate(viewer, message.url);
    else if (type === 'history') this.#use((session) => moveInHistory(session, message));
    else if (type === 'pick') this.#control?.pick(message);
    else if (type === 'chooseFiles') this.#fileChoosers.answer(message.id, this.#pathsOf(message.names));
    else if (type === 'dropFiles') {
      const files = this.#pathsOf(message.names);
      if (files.length) this.#use((session) => dropFiles(session, { ...message, files }));
    } else if (type === 'resize') {
      this.#viewport = { width: message.width, height: message.height };
      this.#resizeShownTab();
    } else this.#control?.receive(message, (text) => viewer.send({ type: 'clipboard', text }));
  }

  #switchTab(targetId: string): void {
    const tab = this.#tabs?.get(targetId);
    if (!tab || tab === this.#shown) return;
    this.#show(tab);
    this.#options.onTabChange(targetId);
  }

  /** Uses the tab that is shown, which may be closed meanwhile. */
  #use(use: (session: Session) => Promise<unknown>): void {
    const session = this.#shown?.session;
    if (session) use(session).catch(() => undefined);
  }

  #navigate(viewer: Viewer, url: string): void {
    if (URL.canParse(url) && isPageUrl(url)) this.#use((session) => session.send('Page.navigate', { url }));
    else viewer.send({ type: 'notice', text: 'Only http and https URLs can be opened.' });
  }

  async #openTab(): Promise<void> {
    if ((this.#tabs?.all().length ?? 0) + this.#openingTabs >= MAX_TABS) return;
    this.#openingTabs++;
    try {
      const browser = await this.#browser;
      const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
      this.showTab(targetId);
      this.#options.onTabChange(targetId);
    } catch {
      // The browser has ended, which viewers are told.
    } finally {
      this.#openingTabs--;
    }
  }

  #pathsOf(names: string[]): string[] {
    return names.flatMap((name) => this.#options.pathOfFile(name) ?? []);
  }

  /** The last tab stays open: a browser without any cannot be used by anybody. */
  #closeTab(targetId: string): void {
    const tab = this.#tabs?.get(targetId);
    if (!tab || this.#tabs?.all().length === 1) return;
    // The tab may be closing already. A page that asks before it is left shows a dialog.
    tab.session.send('Page.close').catch(() => undefined);
  }

  #resizeShownTab(): void {
    const tab = this.#shown;
    if (!tab || !this.#viewport) return;
    const { width, height } = this.#viewport;
    const { targetId } = tab;
    this.#browser
      .then(async (browser) => {
        const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId });
        await browser.send('Browser.setContentsSize', { windowId, width, height });
      })
      .catch((error: unknown) => {
        // A tab that was closed meanwhile needs no size.
        if (this.#tabs?.get(targetId))
          this.#options.logger.warn({ err: error }, 'a viewport was not resized');
      });
  }

  #countViewers(): void {
    this.#serveViewers();
    this.#options.onViewers(this.#viewers.size);
  }

  /** Does what the viewers that are there now need, and nothing else. */
  #serveViewers(): void {
    const viewers = this.#end ? [] : [...this.#viewers];
    const recordedFps = this.#options.recorder && !this.#end ? RECORDED_FPS : 0;
    this.#screencast.setRate(Math.max(recordedFps, ...viewers.map(({ maxFps }) => maxFps)));
    this.#tabs?.watchTitles(viewers.length > 0);
    const hasController = viewers.some(({ mayControl }) => mayControl);
    this.#dialogs.setController(hasController);
    this.#fileChoosers.setController(hasController);
  }

  #describeTabs(): HostMessage {
    return { type: 'tabs', tabs: this.#tabs?.summaries() ?? [], shownTargetId: this.#shown?.targetId };
  }

  #announceTabs(): void {
    this.#tabsTimer ??= setTimeout(async () => {
      this.#tabsTimer = undefined;
      if (this.#shown && this.#viewers.size) await readHistory(this.#shown);
      this.#broadcast(this.#describeTabs());
    }, TABS_INTERVAL_MS);
  }

  /** @param to viewers with control, or all */
  #broadcast(message: HostMessage, to: 'all' | 'controllers' = 'all'): void {
    for (const viewer of this.#viewers) if (to === 'all' || viewer.mayControl) viewer.send(message);
  }
}
