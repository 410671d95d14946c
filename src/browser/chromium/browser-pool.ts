import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { pause } from '../../pause.ts';
import { type BrowsingContext, openContext } from './browsing-context.ts';
import { Disconnected } from './cdp.ts';
import type { Chromium } from './launch-chromium.ts';
import { measureMemoryMb } from './process-memory.ts';

/** Wraps the wait for a browser, so that the caller can exclude it from the time limit of the page. */
export type DuringWait = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** Options of one lease. */
interface LeaseOptions {
  proxyUrl?: string;
  duringWait?: DuringWait | undefined;
}

/** A pool of contexts in one Chromium, which is started on first use and replaced when it dies or reaches its limits. */
export interface BrowserPool {
  /**
   * Runs `use` with its own context, which shares nothing with others. At most `contexts` run at once; others wait in
   * a queue until the signal fires.
   */
  lease<Result>(
    options: LeaseOptions,
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
  /** Resolves when a browser is running. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Options of a pool. */
export interface PoolOptions {
  launch(): Promise<Chromium>;
  logger: Logger;
  /** How many pages may be open at once. */
  contexts: number;
  /** Limits after which a browser is replaced. */
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  /** How many contexts one browser opens. */
  uses: 1_000,
  ageMs: 60 * 60_000,
  /** Resident memory of all its processes, in MiB. */
  memoryMb: 2_000,
  /** With less free memory on the machine, in MiB, only one page is open at a time. */
  minFreeMb: 300,
};

/** Reading the memory of a browser's processes costs a few milliseconds. */
const MEMORY_CHECK_INTERVAL_MS = 5_000;
const FREE_MEMORY_POLL_MS = 200;
/** How long a hung page may delay the release of its slot. */
const CONTEXT_CLOSE_TIMEOUT_MS = 5_000;

/** One browser with its usage counters. */
interface Generation {
  browser: Promise<Chromium>;
  startedAt: number;
  uses: number;
  open: number;
  memoryCheckedAt: number;
  memoryMb: number;
}

/** Creates a pool; the first browser is started on first use. */
export function createBrowserPool({ launch, logger, contexts, limits }: PoolOptions): BrowserPool {
  const effectiveLimits = { ...LIMITS, ...limits };
  const generations = new Set<Generation>();
  let current: Generation | undefined;
  let open = 0;
  const queue: (() => void)[] = [];

  function startBrowser(): Generation {
    const startedAt = performance.now();
    const generation: Generation = {
      ...{ browser: launch(), startedAt: startedAt, uses: 0, open: 0 },
      ...{ memoryCheckedAt: startedAt, memoryMb: 0 },
    };
    const forget = () => {
      generations.delete(generation);
      if (current === generation) current = undefined;
    };
    generation.browser.then((browser) => {
      void browser.connection.closed.then(() => {
        if (current === generation) logger.warn('Chromium ended; the next page starts another');
        forget();
      });
    }, forget);
    generations.add(generation);
    current = generation;
    return generation;
  }

  /** The browser for the next page. An old browser takes no more pages, and is closed after its last one. */
  function usableGeneration(): Generation {
    if (current && isOld(current)) {
      const old = current;
      current = undefined;
      closeIfUnused(old);
    }
    return current ?? startBrowser();
  }

  function isOld({ uses, startedAt, memoryMb }: Generation): boolean {
    return (
      uses >= effectiveLimits.uses ||
      performance.now() - startedAt > effectiveLimits.ageMs ||
      memoryMb > effectiveLimits.memoryMb
    );
  }

  function closeIfUnused(generation: Generation): void {
    if (generation === current || !generations.has(generation) || generation.open > 0) return;
    generation.browser
      .then((browser) => browser.close())
      .catch((error) => logger.warn({ err: error }, 'an old Chromium did not close in order'));
  }

  /** Measures memory at intervals, without delaying pages. */
  function measureMemory(generation: Generation, { connection }: Chromium): void {
    if (performance.now() - generation.memoryCheckedAt < MEMORY_CHECK_INTERVAL_MS) return;
    generation.memoryCheckedAt = performance.now();
    const setMemory = (mb: number) => {
      generation.memoryMb = mb;
    };
    // The browser may have ended meanwhile, which is logged elsewhere.
    measureMemoryMb(connection).then(setMemory, () => undefined);
  }

  async function acquireSlot(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (open < contexts) {
      open++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      const abandon = () => {
        queue.splice(queue.indexOf(proceed), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      queue.push(proceed);
    });
  }

  function releaseSlot(): void {
    const next = queue.shift();
    if (next) next();
    else open--;
  }

  /** Waits while the machine is short of memory and other pages are open that will free some. */
  async function waitForMemory(signal: AbortSignal): Promise<void> {
    const isShort = () => process.availableMemory() < effectiveLimits.minFreeMb * 1024 * 1024;
    const hasOpenPages = () => [...generations].some((generation) => generation.open > 0);
    while (isShort() && hasOpenPages()) {
      await pause(FREE_MEMORY_POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Waits for a slot, for memory and for a running browser. The caller has to call `release`. */
  async function acquire(signal: AbortSignal): Promise<{ browser: Chromium; leave(): void }> {
    await acquireSlot(signal);
    let generation: Generation | undefined;
    const release = () => {
      if (generation) {
        generation.open--;
        closeIfUnused(generation);
      }
      releaseSlot();
    };
    try {
      await waitForMemory(signal);
      generation = usableGeneration();
      generation.uses++;
      generation.open++;
      const browser = await generation.browser;
      measureMemory(generation, browser);
      return { browser, leave: release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function useContext<Result>(
    browser: Chromium,
    options: { proxyUrl?: string },
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const context = await openContext(browser.connection, options);
    const interrupted = Promise.withResolvers<never>();
    // The race below may have ended before this rejects.
    interrupted.promise.catch(() => undefined);
    const abort = () => interrupted.reject(signal.reason);
    void browser.connection.closed.then(() =>
      interrupted.reject(new Disconnected('Chromium ended under the page')),
    );
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([interrupted.promise, use(context)]);
    } finally {
      signal.removeEventListener('abort', abort);
      await Promise.race([
        context.close().catch(() => undefined),
        sleep(CONTEXT_CLOSE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
    }
  }

  return {
    async lease({ duringWait = (wait) => wait(), ...options }, use, signal) {
      const { browser, leave: release } = await duringWait(() => acquire(signal));
      try {
        return await useContext(browser, options, use, signal);
      } finally {
        release();
      }
    },
    async ready() {
      // A browser that dies during its start is started once more.
      await usableGeneration().browser.catch(() => usableGeneration().browser);
    },
    async close() {
      current = undefined;
      await Promise.all([...generations].map(async ({ browser }) => (await browser).close()));
    },
  };
}
