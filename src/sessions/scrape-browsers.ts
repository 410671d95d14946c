import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowsingContext, useContext } from '../browser/chromium/browsing-context.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RunningBrowser } from './hosted-session.ts';
import { openScrapeContext } from './session-context.ts';

/** What the browsers for scrapes need. */
export interface ScrapeBrowsersOptions {
  /** Returns a browser that nobody has used. */
  take(): Promise<RunningBrowser>;
  /** Whether the memory of the host suffices for another browser. */
  hasMemory(): boolean;
  logger: Pick<Logger, 'warn'>;
  limits?: Partial<typeof LIMITS>;
}

/** How long a browser is kept for a session, in milliseconds. */
export const KEPT_MS = 60_000;

const LIMITS = {
  /** Browsers in which scrapes run or that are kept after them. Each needs about 250 MB. */
  browsers: 3,
  keptMs: KEPT_MS,
  /** How long a browser is kept at least, in milliseconds, so that a series of scrapes does not start one for each. */
  leastKeptMs: 10_000,
};

/** A browser that is kept for the session that continues its scrape. */
interface KeptBrowser {
  browser: RunningBrowser;
  keptAt: number;
  timer: NodeJS.Timeout;
}

/**
 * Browsers of sessions that scrapes run in. Each is kept for a minute after its scrape, so that a session can take it over
 * with its page. There are few of them, and the one that was kept longest ends first.
 */
export class ScrapeBrowsers {
  readonly #options: ScrapeBrowsersOptions;
  readonly #limits: typeof LIMITS;
  /** By the id of the scrape, the oldest first. */
  readonly #kept = new Map<string, KeptBrowser>();
  readonly #running = new Set<RunningBrowser>();
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
      end: (browser) => this.#end(browser),
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
    await Promise.all([...this.#running, ...kept].map((browser) => browser && endBrowser(browser)));
  }

  /** @returns `undefined` if there are as many as there may be, or if none starts in time */
  async #start(startMs: number): Promise<RunningBrowser | undefined> {
    if (this.#isClosed || !(await this.#makeRoom())) return undefined;
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
    starting.then(endBrowser).catch((error) => {
      this.#options.logger.warn(`the browser of a scrape did not start in a sandbox: ${messageOf(error)}`);
    });
    return undefined;
  }

  /** @returns whether there is room for another browser */
  async #makeRoom(): Promise<boolean> {
    const { browsers, leastKeptMs } = this.#limits;
    if (this.#kept.size + this.#running.size + this.#starting >= browsers) {
      const [oldest] = this.#kept.values();
      if (!oldest || Date.now() - oldest.keptAt < leastKeptMs) return false;
      await this.endOldest();
    }
    return this.#options.hasMemory();
  }

  #keep(scrapeId: string, browser: RunningBrowser): void {
    this.#running.delete(browser);
    const end = () => {
      if (this.#kept.get(scrapeId)?.browser === browser) this.take(scrapeId);
      else return;
      void endBrowser(browser);
    };
    const timer = setTimeout(end, this.#limits.keptMs).unref();
    this.#kept.set(scrapeId, { browser, keptAt: Date.now(), timer });
    void browser.chromium.connection.closed.then(end);
  }

  async #end(browser: RunningBrowser): Promise<void> {
    this.#running.delete(browser);
    await endBrowser(browser);
  }
}

async function endBrowser({ chromium, directory }: RunningBrowser): Promise<void> {
  await chromium.close();
  await directory.remove();
}

/** Where a scrape gets its browser from, and what becomes of it. */
interface BrowserSource {
  start(): Promise<RunningBrowser | undefined>;
  end(browser: RunningBrowser): Promise<void>;
  keep(browser: RunningBrowser): void;
}

/** The browser of one scrape. Unless it is kept, its disposal ends it. */
export class ScrapeBrowser implements AsyncDisposable {
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
    await this.discard();
    const browser = await this.#host.start();
    if (!browser) return undefined;
    this.#browser = browser;
    try {
      const context = await openScrapeContext(browser.chromium.connection);
      return { result: await useContext(context, use, signal) };
    } catch (error) {
      await this.discard();
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
  async discard(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    if (browser) await this.#host.end(browser);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discard();
  }
}
