import type { HostedSession } from './hosted-session.ts';

/** How long the spare session is kept after the last other one, in milliseconds. */
const IDLE_MS = 60_000;

/** What a spare session does besides waiting. */
type Spare = Pick<HostedSession, 'end' | 'ended' | 'hasEnded' | 'startLanguage'>;

/**
 * A session that is started ahead of the next one while sessions are in use, because the start of its browser takes several
 * times as long as everything else. It has never been used by anyone.
 */
export class SpareSession<Session extends Spare = HostedSession> {
  readonly #start: () => Promise<Session>;
  #session: Promise<Session | undefined> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(start: () => Promise<Session>) {
    this.#start = start;
  }

  /**
   * Starts the spare session if there is none. A failure only means that the next session starts its own browser.
   * @param options.runsNode whether it shall be able to execute JavaScript at once
   */
  async prepare({ runsNode }: { runsNode: boolean }): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#session ??= this.#startSpare();
    const session = await this.#session;
    if (runsNode && session && !session.hasEnded) await session.startLanguage('node');
  }

  /** Returns the spare session if it is ready or starting, else a new one. */
  async take(): Promise<Session> {
    const spare = this.#session;
    this.#session = undefined;
    const session = await spare;
    return session && !session.hasEnded ? session : this.#start();
  }

  /** Ends the spare session in a minute, unless it is needed again. */
  closeLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  /** Ends the spare session. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const spare = this.#session;
    this.#session = undefined;
    await (await spare)?.end('shutdown');
  }

  async #startSpare(): Promise<Session | undefined> {
    try {
      const session = await this.#start();
      void session.ended.then(() => this.#forget(session));
      return session;
    } catch {
      // `#start` reports the reason when a session needs a browser.
      this.#session = undefined;
      return undefined;
    }
  }

  /** A session that dies before it is used is replaced by the next call of `prepare`. */
  async #forget(session: Session): Promise<void> {
    if ((await this.#session) === session) this.#session = undefined;
  }
}
