import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';

/**
 * How long a client that does not resume a new target may keep it from the others, in milliseconds. On a busy
 * machine or a slow connection, a client needs seconds to prepare a popup; Playwright and Puppeteer wait half
 * a minute for one.
 */
const MAX_HOLD_MS = 15_000;

/** Whoever attaches to new targets: a client, the live view or a prompt. */
type Owner = object;

/** A new target that is not resumed yet. */
interface HeldTarget {
  /** The sessions that still prepare it. */
  preparing: Set<string>;
  /** The sessions that have resumed it. */
  resumed: Set<string>;
  /** Whether all sessions that Chromium attached to it are known. */
  isComplete: boolean;
  timer: NodeJS.Timeout;
}

const instances = new WeakMap<CdpConnection, NewTargets>();

/**
 * New popups, frames and workers of one browser that wait until everyone who prepares them is done. Chromium
 * resumes most of these targets as soon as one of their sessions does so, and the requests of a popup would
 * then get past the routes of slower clients. Clients, the live view and prompts therefore resume new targets
 * here.
 */
export class NewTargets {
  readonly #connection: CdpConnection;
  readonly #held = new Map<string, HeldTarget>();
  readonly #attachments = new Map<string, { targetId: string; owner: Owner }>();
  /**
   * Those that have kept a target for as long as they may, and have resumed none since. Further targets do
   * not wait for them.
   */
  readonly #unresponsive = new WeakSet<Owner>();

  private constructor(connection: CdpConnection) {
    this.#connection = connection;
  }

  /** Those of a browser, the same for all who ask. */
  static of(connection: CdpConnection): NewTargets {
    const known = instances.get(connection) ?? new NewTargets(connection);
    instances.set(connection, known);
    return known;
  }

  /** Notes that Chromium has attached a session of its owner to a target that waits to be resumed. */
  attached(targetId: string, sessionId: string, owner: Owner): void {
    const held = this.#held.get(targetId) ?? this.#hold(targetId);
    // All sessions of the target are resumed together.
    const sessions = this.#unresponsive.has(owner) ? held.resumed : held.preparing;
    sessions.add(sessionId);
    this.#attachments.set(sessionId, { targetId, owner });
  }

  /**
   * Resumes a target for a session, as soon as the others that prepare it have done so too, or after 15
   * seconds.
   */
  resume(sessionId: string): void {
    const { targetId = '', owner } = this.#attachments.get(sessionId) ?? {};
    if (owner) this.#unresponsive.delete(owner);
    const held = this.#held.get(targetId);
    if (held) {
      held.preparing.delete(sessionId);
      held.resumed.add(sessionId);
      this.#releaseIfReady(targetId);
    } else this.#send(sessionId);
  }

  /** Does not wait for a session any more, because it has ended. */
  detached(sessionId: string): void {
    const { targetId = '' } = this.#attachments.get(sessionId) ?? {};
    this.#attachments.delete(sessionId);
    const held = this.#held.get(targetId);
    held?.preparing.delete(sessionId);
    held?.resumed.delete(sessionId);
    this.#releaseIfReady(targetId);
  }

  #hold(targetId: string): HeldTarget {
    const timer = setTimeout(() => this.#giveUp(targetId), MAX_HOLD_MS).unref();
    const held: HeldTarget = { preparing: new Set(), resumed: new Set(), isComplete: false, timer };
    this.#held.set(targetId, held);
    // Chromium attaches all sessions to a new target at once, so their events precede this response.
    this.#connection.browser
      .send('Target.getTargetInfo', { targetId })
      // It may be closed already.
      .catch(() => undefined)
      .then(() => {
        held.isComplete = true;
        if (this.#held.get(targetId) === held) this.#releaseIfReady(targetId);
      });
    return held;
  }

  #releaseIfReady(targetId: string): void {
    const held = this.#held.get(targetId);
    if (held?.isComplete && held.preparing.size === 0) this.#release(targetId);
  }

  #giveUp(targetId: string): void {
    for (const sessionId of this.#held.get(targetId)?.preparing ?? []) {
      const { owner } = this.#attachments.get(sessionId) ?? {};
      if (owner) this.#unresponsive.add(owner);
    }
    this.#release(targetId);
  }

  #release(targetId: string): void {
    const held = this.#held.get(targetId);
    if (!held) return;
    clearTimeout(held.timer);
    this.#held.delete(targetId);
    // A tab without an opener waits for every session, so those that have taken too long are resumed too.
    for (const sessionId of [...held.preparing, ...held.resumed]) this.#send(sessionId);
  }

  #send(sessionId: string): void {
    this.#connection
      .session(sessionId)
      .send('Runtime.runIfWaitingForDebugger')
      // The target may be closed already, and some targets do not run scripts.
      .catch(() => undefined);
  }
}
