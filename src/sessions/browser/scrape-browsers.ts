import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { type BrowsingContext, useContext } from '../../fetch/browser/chromium/browsing-context.ts';
import type { Logger } from '../../system/logger.ts';
import { endBrowser, type RunningBrowser } from './running-browser.ts';
import { openScrapeContext } from './session-context.ts';

/** Options of {@link ScrapeBrowsers}. */
export interface ScrapeBrowsersOptions {
  /** Returns a browser that nobody has used. */
  take(): Promise<RunningBrowser>;
  /** Whether the memory of the host suffices for another browser. */
  hasRoom(): boolean;
  logger: Pick<Logger, 'warn'>;
  limits?: Partial<typeof LIMITS>;
}

/** How long a browser is kept for a session, in milliseconds. */
export const KEPT_MS = 60_000;

const LIMITS = {
  /** Browsers in which scrapes run or that are kept after them. Each needs about 250 MB. */
  browsers: 3,
  keptMs: KEPT_MS,
  /**
   * How long a browser is kept at least, in milliseconds, so that a series of scrapes does not start one for
   * each.
   */
  leastKeptMs: 10_000,
};

/** A browser that is kept for the session that continues its scrape. */
interface KeptBrowser {
  browser: RunningBrowser;
  keptAt: number;
  timer: NodeJS.Timeout;
}

/**
 * Browsers of sessions that scrapes run in. Each is kept for a minute after its scrape, so that a session can
 * take it over with its page. There are few of them, and the one that was kept longest ends first.
 */
export class ScrapeBrowsers {
  readonly #options: ScrapeBrowsersOptions;
  readonly #limits: typeof LIMITS;
  /** By the id of the scrape, the oldest first. */
  readonly #kept = new Map<string, KeptBrowser>();
  readonly #running = new Set<RunningBrowser>();
  readonly #ending = new Set<Promise<void>>();
  #starting = 0;
  #isClosed = false;

  constructor(options: ScrapeBrowsersOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /**
   * A browser for one scrape, which is started when it is first needed.
   * @param startMs how long its start may take, in milliseconds, before the scrape goes on without it
   */
  browserFor(scrapeId: string, startMs: number): ScrapeBrowser {
    return new ScrapeBrowser({
      start: () => this.#start(startMs),
      end: (browser) => {
        this.#running.delete(browser);
        this.#endLater(browser);
      },
      keep: (browser) => this.#keep(scrapeId, browser),
    });
  }

  /** Hands a kept browser over, which the caller has to end. */
  take(scrapeId: string): RunningBrowser | undefined {
    const kept = this.#kept.get(scrapeId);
    if (!kept) return undefined;
    clearTimeout(kept.timer);
    this.#kept.delete(scrapeId);
    return kept.browser;
  }

  /** Whether there is a browser whose scrape has ended. */
  get isKeepingAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Ends the browser that was kept longest, to free its memory. @returns whether there was one */
  async endOldest(): Promise<boolean> {
    const [oldest] = this.#kept.keys();
    const browser = oldest === undefined ? undefined : this.take(oldest);
    if (browser) await endBrowser(browser);
    return browser !== undefined;
  }

  /** Ends all browsers, and starts no new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = [...this.#kept.keys()].map((scrapeId) => this.take(scrapeId));
    for (const browser of [...this.#running, ...kept]) if (browser) this.#endLater(browser);
    await Promise.all(this.#ending);
  }

  /** @returns `undefined` if there are as many as there may be, or if none starts in time */
  async #start(startMs: number): Promise<RunningBrowser | undefined> {
    if (this.#isClosed || !this.#makeRoom()) return undefined;
    this.#starting++;
    const starting = this.#options.take().finally(() => this.#starting--);
    try {
      const browser = await Promise.race([starting, sleep(startMs, undefined, { ref: false })]);
      if (browser && !this.#isClosed) {
        this.#running.add(browser);
        return browser;
      }
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the browser of a scrape did not start in a sandbox');
      return undefined;
    }
    // It comes too late.
    starting.then(
      (browser) => this.#endLater(browser),
      (error) =>
        this.#options.logger.warn(`the browser of a scrape did not start in a sandbox: ${messageOf(error)}`),
    );
    return undefined;
  }

  /** @returns whether there is room for another browser */
  #makeRoom(): boolean {
    const { browsers, leastKeptMs } = this.#limits;
    if (this.#kept.size + this.#running.size + this.#starting >= browsers) {
      const [[scrapeId, oldest] = []] = this.#kept;
      if (!scrapeId || !oldest || Date.now() - oldest.keptAt < leastKeptMs) return false;
      this.take(scrapeId);
      this.#endLater(oldest.browser);
    }
    return this.#options.hasRoom();
  }

  #keep(scrapeId: string, browser: RunningBrowser): void {
    this.#running.delete(browser);
    // An earlier attempt at the scrape may have kept one.
    const earlier = this.take(scrapeId);
    if (earlier) this.#endLater(earlier);
    if (this.#isClosed) {
      this.#endLater(browser);
      return;
    }
    const end = () => {
      if (this.#kept.get(scrapeId)?.browser !== browser) return;
      this.take(scrapeId);
      this.#endLater(browser);
    };
    const timer = setTimeout(end, this.#limits.keptMs).unref();
    this.#kept.set(scrapeId, { browser, keptAt: Date.now(), timer });
    void browser.chromium.connection.closed.then(end);
  }

  /** Ends a browser without making anyone wait; one that hangs takes seconds. */
  #endLater(browser: RunningBrowser): void {
    const ended = endBrowser(browser)
      .catch((error) => this.#options.logger.warn({ err: error }, 'the browser of a scrape did not end'))
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** Where a scrape gets its browser from, and what becomes of it. */
interface BrowserSource {
  start(): Promise<RunningBrowser | undefined>;
  end(browser: RunningBrowser): void;
  keep(browser: RunningBrowser): void;
}

/** The browser of one scrape. Unless it is kept, its disposal ends it. */
export class ScrapeBrowser implements Disposable {
  readonly #host: BrowserSource;
  #browser: RunningBrowser | undefined;

  constructor(host: BrowserSource) {
    this.#host = host;
  }

  /**
   * Runs a visit, in a new browser, and leaves its page open.
   * @returns `undefined` if no browser is free
   * @throws the reason of the signal, `Disconnected` if the browser ends, and as `use`
   */
  async visit<Result>(
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<{ result: Result } | undefined> {
    this.discard();
    const browser = await this.#host.start();
    if (!browser) return undefined;
    this.#browser = browser;
    try {
      const context = await openScrapeContext(browser.chromium.connection, (visitor) => {
        browser.visitor = visitor;
      });
      return { result: await useContext(context, use, { signal }) };
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /** Keeps the page for a session. @returns whether there is one */
  keep(): boolean {
    const browser = this.#browser;
    this.#browser = undefined;
    if (browser) this.#host.keep(browser);
    return browser !== undefined;
  }

  /** Ends the browser of the last visit, for example because another page is the result. */
  discard(): void {
    const browser = this.#browser;
    this.#browser = undefined;
    if (browser) this.#host.end(browser);
  }

  [Symbol.dispose](): void {
    this.discard();
  }
}
