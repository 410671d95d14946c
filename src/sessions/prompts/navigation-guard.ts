import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import { isOnAllowedHost } from '../../url/allowed-hosts.ts';
import { NewTargets } from '../protocol/new-targets.ts';

/** The event of a request that waits for a decision. */
interface PausedRequest {
  requestId: string;
  request: { url: string; method: string };
  resourceType: string;
  frameId: string;
}

/** The part of the protocol's `Target.TargetInfo` that is used here. */
interface TargetInfo {
  targetId: string;
  openerId?: string;
}

/** How long a tab that was opened last may take to load something after the guard has ended, in milliseconds. */
const LAST_TABS_MS = 20_000;

/** Hosts that are remembered at most, because a page may try any number of them. */
const MAX_REFUSED = 10;

/**
 * Why a frame navigates (`Page.ClientNavigationReason` of the protocol), where a click or typing leads to it:
 * a form that is submitted, or a link.
 */
const LED_BY_INPUT = new Set(['formSubmissionGet', 'formSubmissionPost', 'anchorClick']);

/**
 * Keeps the tabs of a prompt on the hosts that it may use: a click, a redirect or a script that leads
 * elsewhere leaves the page as it is. Tabs that these tabs open are kept as well, and closed if they begin
 * elsewhere; other tabs are not touched. The frames of a page may show other hosts, but neither links nor
 * forms lead a frame to them.
 */
export class NavigationGuard {
  readonly #connection: CdpConnection;
  readonly #hosts: readonly string[];
  /** The sessions of all tabs, by the id of the tab. */
  readonly #sessions = new Map<string, Session>();
  /** The tabs that are guarded, with what has to be done until they are. */
  readonly #guarded = new Map<string, Promise<void>>();
  /** Tabs that guarded tabs have opened, and that have not loaded anything yet. */
  readonly #empty = new Set<string>();
  /** Is called when none of those is left. */
  #onNoneEmpty: () => void = () => undefined;
  /** Ids of the frames whose last navigation was led by a click or typing. */
  readonly #ledFrames = new Set<string>();
  #refused = new Set<string>();
  #browserSession: string | undefined;

  /** @param hosts see `isOnAllowedHost` */
  constructor(connection: CdpConnection, hosts: readonly string[]) {
    this.#connection = connection;
    this.#hosts = hosts;
  }

  /** Attaches to all tabs, and from now on to every new one. @throws Error when the browser has ended */
  async start(): Promise<void> {
    const { browser } = this.#connection;
    const { sessionId } = await browser.send('Target.attachToBrowserTarget');
    this.#browserSession = sessionId;
    const session = this.#connection.session(sessionId);
    const newTargets = NewTargets.of(this.#connection);
    session.on('Target.attachedToTarget', ({ sessionId: id, targetInfo, waitingForDebugger }) => {
      if (waitingForDebugger) newTargets.attached(targetInfo.targetId, id, this);
      void this.#receive(this.#connection.session(id), targetInfo).finally(() => newTargets.resume(id));
    });
    session.on('Target.detachedFromTarget', ({ sessionId: id, targetId }) => {
      newTargets.detached(id);
      if (targetId) this.#leaveEmpty(targetId);
    });
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: 'page' }],
    });
  }

  /**
   * Guards a tab from now on.
   * @returns a session of the tab, which lasts as long as the guard
   * @throws Error if the tab has been closed
   */
  async guard(targetId: string): Promise<Session> {
    const session = this.#sessions.get(targetId);
    if (!session) throw new Error('the tab has been closed');
    // It may be guarded at this moment, because another tab has opened it.
    await (this.#guarded.get(targetId) ?? this.#guard(session, targetId));
    return session;
  }

  /** Returns the first hosts to which navigations were refused since the last call. */
  takeRefused(): string[] {
    const refused = this.#refused;
    this.#refused = new Set();
    return [...refused];
  }

  /**
   * Lets all tabs go where they like again. A tab that a guarded one has opened, and that has not loaded
   * anything yet, is guarded until it has: on a busy machine it may do so after the end of the prompt.
   */
  async stop(): Promise<void> {
    const sessionId = this.#browserSession;
    if (sessionId === undefined) return;
    // The browser may have ended.
    const detach = () =>
      this.#connection.browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
    if (this.#empty.size === 0) return void (await detach());
    const timer = setTimeout(detach, LAST_TABS_MS).unref();
    this.#onNoneEmpty = () => {
      clearTimeout(timer);
      void detach();
    };
    await Promise.all([...this.#guarded.keys()].map((targetId) => this.#release(targetId)));
  }

  /** Ends the guard of one tab. */
  async #release(targetId: string): Promise<void> {
    if (this.#empty.has(targetId)) return;
    this.#guarded.delete(targetId);
    await this.#sessions
      .get(targetId)
      ?.send('Fetch.disable')
      // The tab may have been closed.
      .catch(() => undefined);
  }

  /** Notes that a tab has loaded something, or is gone. @returns whether it was empty */
  #leaveEmpty(targetId: string): boolean {
    const wasEmpty = this.#empty.delete(targetId);
    if (wasEmpty && this.#empty.size === 0) this.#onNoneEmpty();
    return wasEmpty;
  }

  async #receive(session: Session, { targetId, openerId }: TargetInfo): Promise<void> {
    this.#sessions.set(targetId, session);
    try {
      if (openerId !== undefined && this.#guarded.has(openerId)) {
        this.#empty.add(targetId);
        await this.#guard(session, targetId);
      }
    } catch {
      // The tab was closed meanwhile.
    }
  }

  #guard(session: Session, targetId: string): Promise<void> {
    const guarding = this.#guardFrames(session, targetId);
    this.#guarded.set(targetId, guarding);
    return guarding;
  }

  /**
   * Guards what a session sees: the frames of a page that share its process, or a frame in a process of its
   * own.
   */
  async #guardFrames(session: Session, tabId: string): Promise<void> {
    session.on('Fetch.requestPaused', (event: PausedRequest) => void this.#decide(session, tabId, event));
    session.on('Page.frameRequestedNavigation', ({ frameId, reason }) => {
      if (LED_BY_INPUT.has(reason)) this.#ledFrames.add(frameId);
      else this.#ledFrames.delete(frameId);
    });
    session.on('Target.attachedToTarget', ({ sessionId }) => {
      // The frame may be gone already.
      this.#guardFrames(this.#connection.session(sessionId), tabId).catch(() => undefined);
    });
    await Promise.all([
      session.send('Page.enable'),
      session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
      session.send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: false,
        flatten: true,
        filter: [{ type: 'iframe' }],
      }),
    ]);
  }

  async #decide(session: Session, tabId: string, paused: PausedRequest): Promise<void> {
    const { requestId, request, resourceType, frameId } = paused;
    const isPage = resourceType === 'Document' && frameId === tabId;
    const isElsewhere = resourceType === 'Document' && !isOnAllowedHost(request.url, this.#hosts);
    const mustStay = isElsewhere && this.#guarded.has(tabId);
    const isRefused = mustStay && (isPage || (await this.#isLedByInput(session, paused)));
    if (isRefused && this.#refused.size < MAX_REFUSED)
      this.#refused.add(URL.parse(request.url)?.host ?? 'another host');
    const decision = isRefused
      ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      : session.send('Fetch.continueRequest', { requestId });
    // The tab may have been closed meanwhile.
    decision.catch(() => undefined);
    if (!isPage || !this.#empty.has(tabId)) return;
    // The browser gets the decision before the end of the guard.
    this.#leaveEmpty(tabId);
    if (!isRefused) return;
    // There is nothing to see in it, and it would stay that way.
    this.#connection.browser.send('Target.closeTarget', { targetId: tabId }).catch(() => undefined);
  }

  /** Whether a click or typing leads a frame to a request, rather than the page that embeds something. */
  async #isLedByInput(session: Session, { request, frameId }: PausedRequest): Promise<boolean> {
    if (request.method !== 'GET') return true;
    // The request comes from the browser's process and may precede the event that tells its reason, which
    // comes from the process of the page, as the response to this command does. The frame may be gone
    // already.
    await session.send('Page.getFrameTree').catch(() => undefined);
    return this.#ledFrames.has(frameId);
  }
}
