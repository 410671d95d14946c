import { setTimeout as sleep } from 'node:timers/promises';
import type { Chromium } from '../../fetch/browser/chromium/launch-chromium.ts';
import { MAX_BROWSER_MEMORY_GB, MAX_BROWSER_STORAGE_MB } from '../../schemas/session-end.ts';
import type { Logger } from '../../system/logger.ts';
import { measureTree, type TreeUsage } from '../../system/sandbox/process-tree.ts';
import { DirectoryLimit } from '../code/directory-limit.ts';
import type { SessionDirectory } from '../session-directory.ts';

/** The limits of a session's browser, for all its processes together. */
export interface BrowserLimits {
  memoryBytes: number;
  /** Size of its profile on the disk, in bytes. */
  profileBytes: number;
}

/** A limit that a browser has exceeded. */
export type ExceededLimit = 'memory' | 'disk';

/** The limits of the service. */
export const BROWSER_LIMITS: BrowserLimits = {
  memoryBytes: MAX_BROWSER_MEMORY_GB * 1024 ** 3,
  profileBytes: MAX_BROWSER_STORAGE_MB * 1024 ** 2,
};

/** Chromium has a file for each entry of its cache. */
const MAX_PROFILE_FILES = 50_000;
/** How often a browser is measured, in milliseconds. */
const MEASURE_MS = 2_000;
/**
 * A profile with many files is measured less often, so that this takes at most one part in so many of the
 * time.
 */
const MEASURE_SHARE = 10;

/** A browser, and what it may use. */
export interface WatchedBrowser {
  chromium: { pid: Chromium['pid']; connection: Pick<Chromium['connection'], 'closed'> };
  directory: Pick<SessionDirectory, 'profile'>;
  limits: BrowserLimits;
  /** Is called whenever its processes are measured. */
  onMeasured?(usage: TreeUsage): void;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Measures a browser until it ends. The kernel only limits each of its processes, and nothing limits what
 * pages store.
 * @returns a promise that resolves when the browser uses more than it may, and never if it does not
 */
export function watchBrowser(browser: WatchedBrowser): Promise<ExceededLimit> {
  const { chromium, directory, limits, onMeasured } = browser;
  const profile = new DirectoryLimit(directory.profile, limits.profileBytes, MAX_PROFILE_FILES);
  const isTooLarge = async () => {
    if (chromium.pid === undefined) return false;
    const usage = measureTree(chromium.pid);
    onMeasured?.(usage);
    return usage.writtenBytes > limits.memoryBytes;
  };
  return new Promise((resolve) => {
    void watch('memory', isTooLarge);
    void watch('disk', () => profile.isExceeded());

    async function watch(limit: ExceededLimit, isExceeded: () => Promise<boolean>): Promise<void> {
      let isOpen = true;
      void chromium.connection.closed.then(() => {
        isOpen = false;
      });
      for (let waitMs = MEASURE_MS; ; ) {
        await sleep(waitMs, undefined, { ref: false });
        if (!isOpen) return;
        const start = performance.now();
        const exceeded = await isExceeded().catch((error) => {
          browser.logger.warn({ err: error, limit }, 'the browser of a session was not measured');
          return false;
        });
        if (exceeded) return resolve(limit);
        waitMs = Math.max(MEASURE_MS, (performance.now() - start) * MEASURE_SHARE);
      }
    }
  });
}
