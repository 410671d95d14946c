import type { CdpConnection, Session } from '../../browser/chromium/cdp.ts';
import { isOnAllowedHost } from '../../url/allowed-hosts.ts';
import { NewTargets } from '../new-targets.ts';

/** The event of a request that waits for a decision. */
interface PausedRequest {
  requestId: string;
  request: { url: string; method: string };
  resourceType: string;
  frameId: string;
}

/** The event of a frame that is about to load another document. */
interface RequestedNavigation {
  frameId: string;
  reason: string;
}

/** The part of the protocol's `Target.TargetInfo` that is used here. */
interface TargetInfo {
  targetId: string;
  openerId?: string;
}

/** Hosts that are remembered at most, because a page may try any number of them. */
const MAX_REFUSED = 10;

/**
 * Reasons for which frames are kept on the hosts as well: what a prompt types or clicks leads there. What a page embeds by itself,
 * such as a video or a map, may come from anywhere, as its images may.
 */
const ACTIONS = new Set(['formSubmissionGet', 'formSubmissionPost', 'anchorClick']);

/**
 * Keeps the tabs of a prompt on the hosts that it may use: a click, a redirect or a script that leads elsewhere leaves the
 * page as it is, and so does a form or link whose target is a frame. Tabs that these tabs open are kept as well, and closed if they begin elsewhere; other tabs are not touched.
 */
export class NavigationGuard {
  readonly #connection: CdpConnection;
  readonly #hosts: readonly string[];
  /** The sessions of all tabs, by the id of the tab. */
  readonly #sessions = new Map<string, Session>();
  readonly #guarded = new Set<string>();
  /** Tabs that guarded tabs have opened, and that have not loaded anything yet. */
  readonly #empty = new Set<string>();
  /** Frames whose newest navigation a form or a link has begun. */
  readonly #submitted = new Set<string>();
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
      if (waitingForDebugger) newTargets.attached(targetInfo.targetId, id);
      void this.#receive(this.#connection.session(id), targetInfo).finally(() => newTargets.resume(id));
    });
    session.on('Target.detachedFromTarget', ({ sessionId: id }) => newTargets.detached(id));
    await session.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: 'page' }] },
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
    if (!this.#guarded.has(targetId)) await this.#guard(session, targetId);
    return session;
  }

  /** Returns the first hosts to which navigations were refused since the last call. */
  takeRefused(): string[] {
    const refused = this.#refused;
    this.#refused = new Set();
    return [...refused];
  }

  /** Lets all tabs go where they like again. */
  async stop(): Promise<void> {
    if (this.#browserSession === undefined) return;
    await this.#connection.browser
      .send('Target.detachFromTarget', { sessionId: this.#browserSession })
      // The browser may have ended.
      .catch(() => undefined);
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

  async #guard(session: Session, targetId: string): Promise<void> {
    this.#guarded.add(targetId);
    await this.#guardFrames(session, targetId);
  }

  /** Guards the frames of a session: those of the site of the page or frame, and by sessions of their own those of other sites. */
  async #guardFrames(session: Session, tabId: string): Promise<void> {
    session.on('Fetch.requestPaused', (event: PausedRequest) => this.#decide(session, tabId, event));
    session.on('Page.frameRequestedNavigation', ({ frameId, reason }: RequestedNavigation) => {
      if (ACTIONS.has(reason)) this.#submitted.add(frameId);
      else this.#submitted.delete(frameId);
    });
    const newTargets = NewTargets.of(this.#connection);
    session.on('Target.attachedToTarget', ({ sessionId: id, targetInfo, waitingForDebugger }) => {
      if (waitingForDebugger) newTargets.attached(targetInfo.targetId, id);
      const frame = this.#connection.session(id);
      void Promise.all([frame.send('Page.enable'), this.#guardFrames(frame, tabId)])
        // The frame was removed meanwhile.
        .catch(() => undefined)
        .finally(() => newTargets.resume(id));
    });
    session.on('Target.detachedFromTarget', ({ sessionId: id }) => newTargets.detached(id));
    await Promise.all([
      session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
      session.send('Target.setAutoAttach', {
        ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: 'iframe' }] },
      }),
    ]);
  }

  #decide(
    session: Session,
    targetId: string,
    { requestId, request, resourceType, frameId }: PausedRequest,
  ): void {
    const isPage = resourceType === 'Document' && frameId === targetId;
    const isRefused =
      (isPage || this.#isSubmitted(request, frameId)) && !isOnAllowedHost(request.url, this.#hosts);
    if (isRefused && this.#refused.size < MAX_REFUSED)
      this.#refused.add(URL.parse(request.url)?.host ?? 'another host');
    const decision = isRefused
      ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      : session.send('Fetch.continueRequest', { requestId });
    // The tab may have been closed meanwhile.
    decision.catch(() => undefined);
    if (!isPage || !this.#empty.delete(targetId) || !isRefused) return;
    // There is nothing to see in it, and it would stay that way.
    this.#connection.browser.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }

  /** Whether a form or a link leads a frame to this document; only a form posts. */
  #isSubmitted({ method }: PausedRequest['request'], frameId: string): boolean {
    return method === 'POST' || this.#submitted.has(frameId);
  }
}
