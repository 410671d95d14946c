import { every } from '../../../system/every.ts';
import type { Logger } from '../../../system/logger.ts';
import { type WatchedProcesses, watchProcesses } from './browser-processes.ts';
import type { Chromium } from './launch-chromium.ts';
import type { PageMemoryLimits } from './page-memory.ts';

/** Limits after which a browser is replaced, and those of its pages. */
export interface PooledBrowserLimits {
  /** How many contexts one browser opens. */
  uses: number;
  ageMs: number;
  /** Memory of all its processes without the program itself, in MiB. */
  memoryMb: number;
  pages: PageMemoryLimits;
}

/**
 * How often the memory of processes is measured while pages are open: a script fills half a gigabyte in that
 * time. Reading it costs a tenth of a millisecond for each process.
 */
const MEASURE_INTERVAL_MS = 250;
/** The browser is asked for its processes once in so many measurements, because that costs it some time. */
const MEASUREMENTS_PER_LIST = 2;

/** One browser of a pool with its usage counters. */
export class PooledBrowser {
  /** Rejects when the browser could not be started. */
  readonly chromium: Promise<Chromium>;
  readonly #startedAt = performance.now();
  readonly #limits: PooledBrowserLimits;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #processes: Promise<WatchedProcesses>;
  #started: WatchedProcesses | undefined;
  #uses = 0;
  #openContexts = 0;
  #memoryMb = 0;
  #measurements = 0;
  #watch: NodeJS.Timeout | undefined;
  #isFull = false;

  constructor(chromium: Promise<Chromium>, limits: PooledBrowserLimits, logger: Pick<Logger, 'warn'>) {
    this.chromium = chromium;
    this.#limits = limits;
    this.#logger = logger;
    this.#processes = chromium.then((started) => {
      this.#started = watchProcesses(started, limits.pages);
      return this.#started;
    });
    // Whoever opens a page in it reports that it could not be started.
    this.#processes.catch(() => undefined);
  }

  /** Memory of all its processes without the program itself in bytes, as it was last measured. */
  get memoryBytes(): number {
    return this.#memoryMb * 1024 * 1024;
  }

  get hasOpenContexts(): boolean {
    return this.#openContexts > 0;
  }

  /** Whether the browser has reached one of the limits, after which another one takes its place. */
  get isWornOut(): boolean {
    const { uses, ageMs, memoryMb } = this.#limits;
    const isOld = this.#uses >= uses || performance.now() - this.#startedAt > ageMs;
    return isOld || this.#isFull || this.#memoryMb > memoryMb;
  }

  /** Whether it has ended a page for its memory so lately that its visit is about to hear of it. */
  hasJustEndedPage(): boolean {
    return this.#started?.hasJustEndedPage() ?? false;
  }

  /** Counts a context that is about to be opened. */
  addContext(): void {
    this.#uses++;
    this.#openContexts++;
    this.#watch ??= every(
      MEASURE_INTERVAL_MS,
      () => this.#look(),
      // The browser may have ended meanwhile, which is logged elsewhere.
      () => undefined,
    ).unref();
  }

  /** Counts a context as closed. */
  removeContext(): void {
    this.#openContexts--;
  }

  /** Closes the browser in the background. */
  closeLater(): void {
    this.chromium
      .then((browser) => browser.close())
      .catch((error) => this.#logger.warn({ err: error }, 'an old Chromium did not close in order'));
  }

  /**
   * Looks at its processes, and once more when no page is open, so that the next one finds the browser with its
   * usual priority.
   */
  async #look(): Promise<void> {
    const isLast = !this.hasOpenContexts;
    if (isLast) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
    const processes = await this.#processes;
    const isListed = isLast || this.#measurements++ % MEASUREMENTS_PER_LIST === 0;
    const [{ totalMb, isBrowserFull }] = await Promise.all([
      processes.measure(),
      isListed ? processes.list() : undefined,
    ]);
    this.#memoryMb = totalMb;
    if (isBrowserFull && !this.#isFull) await this.#end();
  }

  /**
   * Ends the browser with its pages, because nothing tells which of them have filled the process that they
   * share. Their requests are repeated in another browser.
   */
  async #end(): Promise<void> {
    this.#isFull = true;
    this.#logger.warn(
      { memoryMb: Math.round(this.#memoryMb) },
      'Chromium is ended: pages have filled its memory',
    );
    const { close } = await this.chromium;
    await close(0);
  }
}
