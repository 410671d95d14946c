import type { Logger } from '../../../system/logger.ts';
import { availableMemory } from '../../../system/memory.ts';
import { pause } from '../../../system/pause.ts';
import { type BrowsingContext, openContext, useContext } from './browsing-context.ts';
import { KeptContexts } from './kept-contexts.ts';
import type { Chromium } from './launch-chromium.ts';
import { pageMemoryLimits } from './page-memory.ts';
import { PooledBrowser, type PooledBrowserLimits } from './pooled-browser.ts';
import { Slots } from './slots.ts';

/** Wraps the wait for a browser, so that the caller can exclude it from the time limit of the page. */
export type DuringWait = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** Options of one lease. */
interface LeaseOptions {
  /** On whose behalf the page is opened, such as a team; owners take turns. */
  owner?: string | undefined;
  proxyUrl?: string | undefined;
  /**
   * Leases with the same value may use the same context, one after the other, cleared of cookies and storage
   * in between. Without it, the context is for this lease alone.
   */
  sharedBy?: string | undefined;
  duringWait?: DuringWait | undefined;
}

/** Options of a pool. */
export interface PoolOptions {
  launch(): Promise<Chromium>;
  logger: Logger;
  /** How many pages may be open at once. */
  contexts: number;
  /** How many of these may be loading at once; by default all. */
  loading?: number;
  /** Whether {@link LeaseOptions.sharedBy} is heeded; true by default. */
  sharesContexts?: boolean;
  limits?: Partial<PoolLimits>;
  /** The memory in bytes that new processes may use; by default the system is asked. */
  availableMemory?(): number;
}

interface PoolLimits extends PooledBrowserLimits {
  /** With less free memory on the machine, in MiB, only one page is open at a time. */
  minFreeMb: number;
  /** Milliseconds without an open page after which the browser ends. */
  idleMs: number;
}

const LIMITS: Omit<PoolLimits, 'pages'> = {
  uses: 1_000,
  ageMs: 60 * 60_000,
  memoryMb: 2_000,
  minFreeMb: 300,
  idleMs: 60_000,
};

const FREE_MEMORY_POLL_MS = 200;

/**
 * A pool of contexts in one Chromium, which is started on first use, ends when it has not been used for a
 * while, and is replaced when it dies or reaches its limits.
 */
export class BrowserPool {
  readonly #launch: () => Promise<Chromium>;
  readonly #logger: Logger;
  readonly #limits: PoolLimits;
  readonly #availableMemory: () => number;
  readonly #openPages: Slots;
  readonly #loadingPages: Slots;
  /** Absent if contexts are not shared. */
  readonly #kept: KeptContexts | undefined;
  /** All browsers that run: the current one, and old ones that still have open pages. */
  readonly #browsers = new Set<PooledBrowser>();
  /** The browser that takes new pages. */
  #current: PooledBrowser | undefined;
  /** Ends the browser when it has not been used for a while. */
  #idleTimer: NodeJS.Timeout | undefined;
  /** Whether there is no browser because the last one was not used for a while. */
  #isResting = false;
  #starts = 0;
  #crashes = 0;

  constructor({
    launch,
    logger,
    contexts,
    loading = contexts,
    sharesContexts = true,
    limits,
    availableMemory: available = availableMemory,
  }: PoolOptions) {
    this.#launch = launch;
    this.#logger = logger;
    this.#limits = { ...LIMITS, pages: pageMemoryLimits(), ...limits };
    this.#availableMemory = available;
    this.#openPages = new Slots(contexts);
    this.#loadingPages = new Slots(loading);
    this.#kept = sharesContexts ? new KeptContexts(contexts) : undefined;
  }

  /**
   * Runs `use` with its own context, which shares nothing with others except by
   * {@link LeaseOptions.sharedBy}. About `contexts` run at once, see {@link Slots}; others wait until the signal
   * fires.
   * @param use may call `endLoading` when its page is only watched, so that another one may load before it
   * ends
   */
  async lease<Result>(
    { owner = '', duringWait = (wait) => wait(), proxyUrl, sharedBy }: LeaseOptions,
    use: (context: BrowsingContext, endLoading: () => void) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { browser, chromium, endLoading, release } = await duringWait(() => this.#acquire(owner, signal));
    try {
      const { connection, contextProxy = (url) => url } = chromium;
      const kept = sharedBy === undefined ? undefined : this.#kept?.between(sharedBy, connection);
      const context =
        kept?.take() ??
        (await openContext(connection, {
          proxyUrl: proxyUrl && contextProxy(proxyUrl),
          isShared: kept !== undefined,
          hasJustEndedPage: () => browser.hasJustEndedPage(),
        }));
      const useAndLoad = (given: BrowsingContext) => use(given, endLoading);
      return await useContext(context, useAndLoad, { signal, keep: kept && (() => kept.keep(context)) });
    } finally {
      release();
    }
  }

  /** How the pool is used at this moment, and how many browsers have started, and have ended by themselves. */
  get usage() {
    const memoryBytes = [...this.#browsers].reduce((sum, browser) => sum + browser.memoryBytes, 0);
    const { taken: open, waiting } = this.#openPages;
    return { open, waiting, memoryBytes, starts: this.#starts, crashes: this.#crashes };
  }

  /** Resolves when a browser is running, or when the last one ended only because it was not used. */
  async ready(): Promise<void> {
    if (this.#isResting) return;
    // A browser that dies during its start is started once more.
    await this.#browserForNextPage().chromium.catch(() => this.#browserForNextPage().chromium);
    this.#restLater();
  }

  /** Ends all browsers, also those that are still starting. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#current = undefined;
    this.#kept?.closeAll();
    await Promise.all([...this.#browsers].map(async ({ chromium }) => (await chromium).close()));
  }

  /**
   * Waits until another page may be open and load.
   * @returns functions that end its loading and, once, the whole turn
   */
  async #takeTurn(owner: string, signal: AbortSignal): Promise<{ endLoading(): void; endTurn(): void }> {
    await this.#openPages.acquire(owner, signal);
    try {
      await this.#loadingPages.acquire(owner, signal);
    } catch (error) {
      this.#openPages.release(owner);
      throw error;
    }
    let isLoading = true;
    const endLoading = () => {
      if (isLoading) this.#loadingPages.release(owner);
      isLoading = false;
    };
    return {
      endLoading,
      endTurn: () => {
        endLoading();
        this.#openPages.release(owner);
      },
    };
  }

  /** Waits for a turn, for memory and for a running browser. The caller has to call `release`. */
  async #acquire(
    owner: string,
    signal: AbortSignal,
  ): Promise<{ browser: PooledBrowser; chromium: Chromium; endLoading(): void; release(): void }> {
    const { endLoading, endTurn } = await this.#takeTurn(owner, signal);
    let browser: PooledBrowser | undefined;
    const release = () => {
      if (browser) {
        browser.removeContext();
        this.#closeIfUnused(browser);
        this.#restLater();
      }
      endTurn();
    };
    try {
      await this.#waitForMemory(signal);
      browser = this.#browserForNextPage();
      browser.addContext();
      const chromium = await browser.chromium;
      return { browser, chromium, endLoading, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Waits while the machine is short of memory and other pages are open that will free some. */
  async #waitForMemory(signal: AbortSignal): Promise<void> {
    const isShort = () => this.#availableMemory() < this.#limits.minFreeMb * 1024 * 1024;
    const hasOpenPages = () => [...this.#browsers].some((browser) => browser.hasOpenContexts);
    if (isShort()) this.#kept?.closeAll();
    while (isShort() && hasOpenPages()) {
      await pause(FREE_MEMORY_POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** An old browser takes no more pages, and is closed after its last one. */
  #browserForNextPage(): PooledBrowser {
    if (this.#current?.isWornOut) {
      const old = this.#current;
      this.#current = undefined;
      this.#closeIfUnused(old);
    }
    return this.#current ?? this.#startBrowser();
  }

  /** Ends the browser in a while, unless a page is opened until then. */
  #restLater(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      const unused = this.#current;
      if (!unused || unused.hasOpenContexts) return;
      this.#current = undefined;
      this.#isResting = true;
      this.#closeIfUnused(unused);
    }, this.#limits.idleMs).unref();
  }

  #startBrowser(): PooledBrowser {
    this.#isResting = false;
    this.#starts++;
    const browser = new PooledBrowser(this.#launch(), this.#limits, this.#logger);
    const forget = () => {
      this.#browsers.delete(browser);
      if (this.#current === browser) this.#current = undefined;
    };
    browser.chromium.then(({ connection }) => {
      void connection.closed.then(() => {
        if (this.#current === browser) {
          this.#crashes++;
          this.#logger.warn('Chromium ended; the next page starts another');
        }
        forget();
      });
    }, forget);
    this.#browsers.add(browser);
    this.#current = browser;
    return browser;
  }

  #closeIfUnused(browser: PooledBrowser): void {
    if (browser === this.#current || !this.#browsers.has(browser) || browser.hasOpenContexts) return;
    browser.closeLater();
  }
}
