import { every } from '../../../system/every.ts';
import type { Logger } from '../../../system/logger.ts';
import { watchBusyPages } from './busy-pages.ts';
import type { Chromium } from './launch-chromium.ts';
import { measureMemoryMb } from './process-memory.ts';

/** Limits after which a browser is replaced. */
export interface PooledBrowserLimits {
  /** How many contexts one browser opens. */
  uses: number;
  ageMs: number;
  /** Memory of all its processes without the program itself, in MiB. */
  memoryMb: number;
}

/** Reading the memory of a browser's processes costs a few milliseconds. */
const MEMORY_CHECK_INTERVAL_MS = 5_000;
/** How often it is looked for busy pages while pages are open. */
const BUSY_CHECK_INTERVAL_MS = 1_000;

/** One browser of a pool with its usage counters. */
export class PooledBrowser {
  /** Rejects when the browser could not be started. */
  readonly chromium: Promise<Chromium>;
  readonly #startedAt = performance.now();
  #uses = 0;
  #openContexts = 0;
  #memoryMb = 0;
  #memoryCheckedAt = this.#startedAt;
  readonly #checkBusyPages: Promise<() => Promise<void>>;
  #busyCheck: NodeJS.Timeout | undefined;

  constructor(chromium: Promise<Chromium>) {
    this.chromium = chromium;
    this.#checkBusyPages = chromium.then(watchBusyPages);
    // Whoever opens a page in it reports that it could not be started.
    this.#checkBusyPages.catch(() => undefined);
  }

  /** Memory of all its processes without the program itself in bytes, as it was last measured. */
  get memoryBytes(): number {
    return this.#memoryMb * 1024 * 1024;
  }

  get hasOpenContexts(): boolean {
    return this.#openContexts > 0;
  }

  /** Counts a context that is about to be opened. */
  addContext(): void {
    this.#uses++;
    this.#openContexts++;
    this.#busyCheck ??= every(
      BUSY_CHECK_INTERVAL_MS,
      () => this.#lookForBusyPages(),
      // The browser may have ended meanwhile, which is logged elsewhere.
      () => undefined,
    ).unref();
  }

  /** Looks once more when no page is open, so that the next one finds the browser with its usual priority. */
  async #lookForBusyPages(): Promise<void> {
    if (!this.hasOpenContexts) {
      clearInterval(this.#busyCheck);
      this.#busyCheck = undefined;
    }
    const check = await this.#checkBusyPages;
    await check();
  }

  /** Counts a context as closed. */
  removeContext(): void {
    this.#openContexts--;
  }

  /** Whether the browser has reached one of the limits, after which another one takes its place. */
  exceeds({ uses, ageMs, memoryMb }: PooledBrowserLimits): boolean {
    return this.#uses >= uses || performance.now() - this.#startedAt > ageMs || this.#memoryMb > memoryMb;
  }

  /** Measures memory at intervals, without delaying pages. */
  measureMemory({ connection }: Chromium): void {
    if (performance.now() - this.#memoryCheckedAt < MEMORY_CHECK_INTERVAL_MS) return;
    this.#memoryCheckedAt = performance.now();
    const setMemory = (mb: number) => {
      this.#memoryMb = mb;
    };
    // The browser may have ended meanwhile, which is logged elsewhere.
    measureMemoryMb(connection).then(setMemory, () => undefined);
  }

  /** Closes the browser in the background. */
  closeLater(logger: Logger): void {
    this.chromium
      .then((browser) => browser.close())
      .catch((error) => logger.warn({ err: error }, 'an old Chromium did not close in order'));
  }
}
