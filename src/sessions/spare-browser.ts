import type { RunningBrowser } from './hosted-session.ts';

/** How long the spare browser is kept after the last session, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * A browser that is started ahead of the next session while sessions are in use, because a start takes several times as
 * long as everything else. It has never been used by anyone.
 */
export class SpareBrowser {
  readonly #start: () => Promise<RunningBrowser>;
  #browser: Promise<RunningBrowser | undefined> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(start: () => Promise<RunningBrowser>) {
    this.#start = start;
  }

  /** Starts the spare browser if there is none. A failure only means that the next session starts its own. */
  prepare(): void {
    clearTimeout(this.#idleTimer);
    this.#browser ??= this.#startSpare();
  }

  /** Returns the spare browser if it is ready or starting, else a new one. */
  async take(): Promise<RunningBrowser> {
    const spare = this.#browser;
    this.#browser = undefined;
    return (await spare) ?? this.#start();
  }

  /** Ends the spare browser in a minute, unless it is needed again. */
  closeLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  /** Ends the spare browser. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const spare = this.#browser;
    this.#browser = undefined;
    const browser = await spare;
    await browser?.chromium.close();
    await browser?.directory.remove();
  }

  async #startSpare(): Promise<RunningBrowser | undefined> {
    try {
      const browser = await this.#start();
      void browser.chromium.connection.closed.then(() => this.#forget(browser));
      return browser;
    } catch {
      // `#start` reports the reason when a session needs a browser.
      this.#browser = undefined;
      return undefined;
    }
  }

  /** A browser that dies before it is used is replaced by the next call of `prepare`. */
  async #forget(browser: RunningBrowser): Promise<void> {
    if ((await this.#browser) !== browser) return;
    this.#browser = undefined;
    await browser.directory.remove();
  }
}
