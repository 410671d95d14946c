import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import type { TabSummary } from '../../schemas/live-view.ts';
import { every } from '../../system/every.ts';
import { NewTargets } from '../protocol/new-targets.ts';
import { type Navigation, NO_NAVIGATION, watchNavigation } from './navigation.ts';

/** Titles and URLs that are longer are cut, because a page may choose any length. */
const MAX_TITLE_LENGTH = 200;
const MAX_URL_LENGTH = 2_000;
/** How often titles are read while somebody sees them. Chromium does not report those that scripts change. */
const TITLE_INTERVAL_MS = 1_000;

/** The browser has ended, and the live view with it. */
const ignoreEnd = () => undefined;

/** The targets that are pages, not frames or workers. */
const PAGES = [{ type: 'page' }];

/** An open tab. */
export interface LiveTab {
  targetId: string;
  session: Session;
  /** The tab that opened this one. */
  openerId: string | undefined;
  title: string;
  url: string;
  crashed: boolean;
  navigation: Navigation;
  /** Why its last request for a page failed. */
  lastFailure?: { url: string; reason: string } | undefined;
}

/** Callbacks of {@link Tabs}. */
export interface TabListeners {
  /** Whether viewers do not see a tab. */
  isHidden(targetId: string): boolean;
  /** Called when a tab appears in the list, before its scripts run. */
  onOpened(tab: LiveTab): void;
  /** Called when the tab is no longer in the list. */
  onClosed(tab: LiveTab): void;
  /** Called after any change. */
  onChanged(): void;
}

/** The part of the protocol's `Target.TargetInfo` that is used here. */
interface TargetInfo {
  targetId: string;
  type: string;
  subtype?: string;
  title: string;
  url: string;
  openerId?: string;
}

/** All open tabs of a browser, popups included, each with a protocol session. */
export class Tabs {
  readonly #connection: CdpConnection;
  readonly #browser: Session;
  readonly #newTargets: NewTargets;
  readonly #listeners: TabListeners;
  readonly #tabs = new Map<string, LiveTab>();
  readonly #targetIds = new Map<string, string>();
  #titleTimer: NodeJS.Timeout | undefined;

  /** @param browser a session of the browser, which is used by nothing else */
  constructor(connection: CdpConnection, browser: Session, listeners: TabListeners) {
    this.#connection = connection;
    this.#browser = browser;
    this.#newTargets = NewTargets.of(connection);
    this.#listeners = listeners;
  }

  /** Attaches to all tabs, and from now on to every new one. */
  async watch(): Promise<void> {
    const browser = this.#browser;
    browser.on('Target.attachedToTarget', ({ sessionId, targetInfo, waitingForDebugger }) => {
      if (waitingForDebugger) this.#newTargets.attached(targetInfo.targetId, sessionId, this);
      this.#add(sessionId, targetInfo);
      this.#newTargets.resume(sessionId);
    });
    browser.on('Target.detachedFromTarget', ({ sessionId }) => {
      this.#newTargets.detached(sessionId);
      this.#remove(sessionId);
    });
    browser.on('Target.targetInfoChanged', ({ targetInfo }) => this.#update(targetInfo));
    await browser.send('Target.setDiscoverTargets', { discover: true, filter: PAGES });
    await browser.send('Target.setAutoAttach', {
      // Without the pause, Chromium 156 lets a page hang that opens a popup. It also makes sure that no
      // dialog is missed.
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: PAGES,
    });
  }

  /** Keeps titles up to date, or no longer. */
  watchTitles(areSeen: boolean): void {
    if (areSeen === Boolean(this.#titleTimer)) return;
    clearInterval(this.#titleTimer);
    this.#titleTimer = areSeen ? every(TITLE_INTERVAL_MS, () => this.#readTitles(), ignoreEnd) : undefined;
    if (areSeen) this.#readTitles().catch(ignoreEnd);
  }

  /** Removes a tab from the list although it is open. */
  forget(targetId: string): void {
    for (const [sessionId, id] of this.#targetIds) if (id === targetId) this.#remove(sessionId);
  }

  /** The tab with this id of its target; `undefined` if it is not in the list. */
  get(targetId: string): LiveTab | undefined {
    return this.#tabs.get(targetId);
  }

  /** All tabs in the order in which they were opened. */
  all(): LiveTab[] {
    return [...this.#tabs.values()];
  }

  /** The tabs as viewers see them. */
  summaries(): TabSummary[] {
    return this.all().map(({ targetId, title, url, crashed, navigation }) => ({
      targetId,
      title: title.slice(0, MAX_TITLE_LENGTH),
      url: url.slice(0, MAX_URL_LENGTH),
      crashed,
      ...navigation,
    }));
  }

  /** Adds a target to the list, unless it is no tab, or is in the list already. */
  #add(sessionId: string, targetInfo: TargetInfo): void {
    const { targetId, title, url, openerId } = targetInfo;
    const session = this.#connection.session(sessionId);
    // A page that is only rendered ahead is not a tab yet.
    const isTab = targetInfo.type === 'page' && !targetInfo.subtype && !this.#listeners.isHidden(targetId);
    if (!isTab || this.#tabs.has(targetId)) return;
    const navigation = { ...NO_NAVIGATION };
    const tab: LiveTab = { targetId, session, openerId, title, url, crashed: false, navigation };
    this.#tabs.set(targetId, tab);
    this.#targetIds.set(sessionId, targetId);
    const setCrashed = (crashed: boolean) => {
      tab.crashed = crashed;
      this.#listeners.onChanged();
    };
    session.on('Inspector.targetCrashed', () => setCrashed(true));
    session.on('Inspector.targetReloadedAfterCrash', () => setCrashed(false));
    watchNavigation(tab, () => this.#listeners.onChanged());
    session.on('Page.loadEventFired', () => this.#readTitles().catch(ignoreEnd));
    this.#listeners.onOpened(tab);
    this.#listeners.onChanged();
  }

  #remove(sessionId: string): void {
    const targetId = this.#targetIds.get(sessionId) ?? '';
    const tab = this.#tabs.get(targetId);
    if (!tab) return;
    this.#targetIds.delete(sessionId);
    this.#tabs.delete(targetId);
    this.#listeners.onClosed(tab);
    this.#listeners.onChanged();
  }

  async #readTitles(): Promise<void> {
    const { targetInfos } = await this.#browser.send('Target.getTargets', { filter: PAGES });
    for (const targetInfo of targetInfos) this.#update(targetInfo);
  }

  #update({ targetId, title, url }: TargetInfo): void {
    const tab = this.#tabs.get(targetId);
    if (!tab || (tab.title === title && tab.url === url)) return;
    Object.assign(tab, { title, url });
    this.#listeners.onChanged();
  }
}
