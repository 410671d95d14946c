import type { Logger } from '../../system/logger.ts';
import { endBrowser, type RunningBrowser } from './running-browser.ts';

/** How long the spare browser is kept after the last session, in milliseconds. */
const IDLE_MS = 60_000;
/**
 * How long after a session was opened the next spare browser is started, in milliseconds: the first second of
 * a session is when its clients connect, and the start takes a processor for half a second.
 */
const DELAY_MS = 1_000;

/** Options of a {@link SpareBrowser}. */
export interface SpareBrowserOptions {
  /** Starts a browser. */
  start(): Promise<RunningBrowser>;
  /** Whether there is memory for the spare browser when it is about to be started. */
  hasRoom(): boolean;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds until it is started, one second by default. */
  delayMs?: number;
}

/**
 * A browser that is started ahead of the next session while sessions are in use, because a start takes
 * several times as long as everything else. It has never been used by anyone.
 */
export class SpareBrowser {
  readonly #options: SpareBrowserOptions;
  #browser: Promise<RunningBrowser | undefined> | undefined;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  /** Gets the errors of an end that nobody waits for. */
  readonly #onFault = (error: unknown): void =>
    this.#options.logger.warn({ err: error }, 'the spare browser did not end in order');

  constructor(options: SpareBrowserOptions) {
    this.#options = options;
  }

  /**
   * Starts the spare browser soon, if there is none. A failure only means that the next session starts its
   * own.
   */
  prepare(): void {
    this.#clearTimers();
    const { hasRoom, delayMs = DELAY_MS } = this.#options;
    this.#startTimer = setTimeout(() => {
      if (hasRoom()) this.#browser ??= this.#startSpare();
    }, delayMs).unref();
  }

  /** Returns the spare browser if it is ready or starting, else a new one. */
  async take(): Promise<RunningBrowser> {
    const spare = this.#browser;
    this.#browser = undefined;
    return (await spare) ?? this.#options.start();
  }

  /** The spare browser, if it is ready or starting. It stays the spare one. */
  get current(): Promise<RunningBrowser | undefined> | undefined {
    return this.#browser;
  }

  /** Ends the spare browser in a minute, unless it is needed again. */
  closeLater(): void {
    this.#clearTimers();
    this.#idleTimer = setTimeout(() => this.close().catch(this.#onFault), IDLE_MS).unref();
  }

  /** Ends the spare browser. */
  async close(): Promise<void> {
    this.#clearTimers();
    const spare = this.#browser;
    this.#browser = undefined;
    const browser = await spare;
    if (browser) await endBrowser(browser);
  }

  #clearTimers(): void {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#idleTimer);
  }

  async #startSpare(): Promise<RunningBrowser | undefined> {
    try {
      const browser = await this.#options.start();
      browser.chromium.connection.closed.then(() => this.#forget(browser)).catch(this.#onFault);
      return browser;
    } catch {
      // `start` reports the reason when a session needs a browser.
      this.#browser = undefined;
      return undefined;
    }
  }

  /** A browser that dies before it is used is replaced by the next call of `prepare`. */
  async #forget(browser: RunningBrowser): Promise<void> {
    if ((await this.#browser) !== browser) return;
    this.#browser = undefined;
    await endBrowser(browser);
  }
}
