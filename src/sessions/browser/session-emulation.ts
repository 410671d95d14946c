import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import {
  type Appearance,
  type EmulatedTarget,
  emulateVisitor,
} from '../../fetch/browser/device-emulation.ts';
import { NewTargets } from '../protocol/new-targets.ts';

/** The targets of all browser contexts that are attached to from the browser, and those within a page. */
const BROWSER_TARGETS = [{ type: 'page' }, { type: 'shared_worker' }, { type: 'service_worker' }];
const PAGE_TARGETS = [{ type: 'iframe' }, { type: 'worker' }];

/** The browser whose pages are made to see a visitor. */
interface EmulatedBrowser {
  connection: CdpConnection;
  /** IANA name of the time zone in which it was started. */
  timezone: string;
  visitor: Appearance;
}

/** The part of the event `Target.attachedToTarget` that is used here. */
interface Attached {
  sessionId: string;
  targetInfo: { targetId: string; type: string };
  waitingForDebugger: boolean;
}

/**
 * Makes every page, frame and worker of a session's browser see the same visitor before its scripts run, in all tabs
 * and browser contexts. Flags of the browser set what they can (`session-browser.ts`); client hints and the locale have
 * none, and shared and service workers have the flag for languages only in their requests.
 */
export class SessionEmulation {
  readonly #connection: CdpConnection;
  readonly #newTargets: NewTargets;
  readonly #ownTimezone: string;
  /** What has been attached to, by the ids of the sessions. */
  readonly #targets = new Map<string, EmulatedTarget>();
  readonly #preparing = new Set<Promise<unknown>>();
  #visitor: Appearance;

  private constructor({ connection, timezone, visitor }: EmulatedBrowser) {
    this.#connection = connection;
    this.#newTargets = NewTargets.of(connection);
    this.#ownTimezone = timezone;
    this.#visitor = visitor;
  }

  /** Begins to emulate; the pages that are open see the visitor when it resolves. @throws Error if the browser has ended */
  static async start(emulated: EmulatedBrowser): Promise<SessionEmulation> {
    const emulation = new SessionEmulation(emulated);
    const { browser } = emulated.connection;
    const { sessionId } = await browser.send('Target.attachToBrowserTarget');
    await emulation.#attachChildren(emulated.connection.session(sessionId), BROWSER_TARGETS);
    await emulation.#grantPosition();
    await Promise.all(emulation.#preparing);
    return emulation;
  }

  /** Makes all pages see another visitor: that of the scrape which the session continues. */
  async change(visitor: Appearance): Promise<void> {
    this.#visitor = visitor;
    await this.#grantPosition();
    await Promise.allSettled(
      Array.from(this.#targets, ([sessionId, target]) => this.#emulate(sessionId, target)),
    );
  }

  /** Lets pages read the position, as in scrapes, if the visitor has one. */
  async #grantPosition(): Promise<void> {
    if (!this.#visitor.position) return;
    await this.#connection.browser.send('Browser.grantPermissions', { permissions: ['geolocation'] });
  }

  /** Attaches to the targets below a session, those that exist and those to come. */
  async #attachChildren(parent: Session, filter: { type: string }[]): Promise<void> {
    parent.on('Target.attachedToTarget', (attached) => this.#onAttached(attached));
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      this.#targets.delete(sessionId);
      this.#newTargets.detached(sessionId);
    });
    await parent.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter,
    });
  }

  #onAttached({ sessionId, targetInfo: { targetId, type }, waitingForDebugger }: Attached): void {
    const target = type === 'page' || type === 'iframe' ? type : 'worker';
    this.#targets.set(sessionId, target);
    if (waitingForDebugger) this.#newTargets.attached(targetId, sessionId, this);
    const session = this.#connection.session(sessionId);
    // The target may have ended meanwhile, or lack something that is emulated.
    const prepared: Promise<void> = Promise.allSettled([
      this.#emulate(sessionId, target),
      target === 'worker' ? undefined : this.#attachChildren(session, PAGE_TARGETS),
    ]).then(() => {
      this.#preparing.delete(prepared);
      if (waitingForDebugger && target !== 'page') this.#newTargets.resume(sessionId);
    });
    this.#preparing.add(prepared);
    // A tab without an opener has no process for its page yet, and responds to some commands only after it runs. Chromium
    // executes the commands of a session in their order.
    if (waitingForDebugger && target === 'page') this.#newTargets.resume(sessionId);
  }

  #emulate(sessionId: string, target: EmulatedTarget): Promise<void> {
    return emulateVisitor(this.#connection.session(sessionId), this.#visitor, {
      target,
      ownTimezone: this.#ownTimezone,
    });
  }
}
