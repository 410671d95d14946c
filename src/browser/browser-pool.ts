import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { pause } from '../pause.ts';
import { Disconnected } from './cdp.ts';
import { type BrowsingContext, openContext } from './browsing-context.ts';
import type { Chromium } from './launch-chromium.ts';
import { measureMemoryMb } from './process-memory.ts';

/** Runs a wait for the browser: whoever waits may leave it out of the time that its page has. */
export type DuringWait = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** What a context is opened with. */
interface LeaseOptions {
  proxyUrl?: string;
  duringWait?: DuringWait | undefined;
}

/** Contexts of one Chromium, which is started when first needed, and again when it dies or has grown old. */
export interface BrowserPool {
  /**
   * Runs `use` with a context of its own, which shares nothing with any other; at most `contexts` at once, others
   * wait their turn until the signal fires.
   */
  lease<Result>(
    options: LeaseOptions,
    use: (context: BrowsingContext) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
  /** Resolves when a browser runs. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** What a pool is made from. */
export interface PoolOptions {
  launch(): Promise<Chromium>;
  logger: Logger;
  /** How many pages may be open at once. */
  contexts: number;
  /** When a browser is replaced by a new one. */
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  /** Contexts that one browser opens. */
  uses: 1_000,
  ageMs: 60 * 60_000,
  /** Of all its processes. */
  memoryMb: 2_000,
  /** With less memory free on the machine, only one page is open at a time. */
  minFreeMb: 300,
};

/** Reading the memory of a browser's processes costs a few milliseconds. */
const MEMORY_CHECK_INTERVAL_MS = 5_000;
const FREE_MEMORY_POLL_MS = 200;
/** A hung page does not hold its turn longer. */
const CONTEXT_CLOSE_TIMEOUT_MS = 5_000;

/** A browser, for as long as it is young enough. */
interface Generation {
  browser: Promise<Chromium>;
  startedAt: number;
  uses: number;
  open: number;
  memoryCheckedAt: number;
  memoryMb: number;
}

/** Opens a pool; no browser is started before one is needed. */
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

  /** The browser for the next page: an old one takes no more, and ends with its last. */
  function usableGeneration(): Generation {
    if (current && isOld(current)) {
      const old = current;
      current = undefined;
      closeIfUnused(old);
    }
    return current ?? startBrowser();
  }

  function isOld({ uses, startedAt, memoryMb }: Generation): boolean {
    return uses >= effectiveLimits.uses || performance.now() - startedAt > effectiveLimits.ageMs || memoryMb > effectiveLimits.memoryMb;
  }

  function closeIfUnused(generation: Generation): void {
    if (generation === current || !generations.has(generation) || generation.open > 0) return;
    generation.browser
      .then((browser) => browser.close())
      .catch((error) => logger.warn({ err: error }, 'an old Chromium did not close in order'));
  }

  /** Now and then, beside the pages that are open. */
  function measureMemory(generation: Generation, { connection }: Chromium): void {
    if (performance.now() - generation.memoryCheckedAt < MEMORY_CHECK_INTERVAL_MS) return;
    generation.memoryCheckedAt = performance.now();
    const setMemory = (mb: number) => {
      generation.memoryMb = mb;
    };
    // One that ended meanwhile needs no weight, and its end is told elsewhere.
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

  /** Waits while the machine is short of memory and other pages are open, which will give some back. */
  async function waitForMemory(signal: AbortSignal): Promise<void> {
    const isShort = () => process.availableMemory() < effectiveLimits.minFreeMb * 1024 * 1024;
    const hasOpenPages = () => [...generations].some((generation) => generation.open > 0);
    while (isShort() && hasOpenPages()) {
      await pause(FREE_MEMORY_POLL_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Waits for a turn, for memory and for a browser that runs; whoever comes in leaves again. */
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
    // Nobody may be there to hear of it any more.
    interrupted.promise.catch(() => undefined);
    const abort = () => interrupted.reject(signal.reason);
    void browser.connection.closed.then(() => interrupted.reject(new Disconnected('Chromium ended under the page')));
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
      // Killed while it starts, it is started once more, as after any other death.
      await usableGeneration().browser.catch(() => usableGeneration().browser);
    },
    async close() {
      current = undefined;
      await Promise.all([...generations].map(async ({ browser }) => (await browser).close()));
    },
  };
}
