import type { DuringWait } from '../../fetch/browser/chromium/browser-pool.ts';
import type { DiskSpace } from '../../storage/blobs/disk-space.ts';

/** Limits how many pages a page worker may start, in addition to the limits in the database. */
export interface PageCapacity {
  /**
   * Reserves capacity for up to `wanted` pages, until it is returned.
   * @returns for how many pages there was capacity, which may be 0
   */
  reserve(wanted: number): number | Promise<number>;
  /** Returns reserved capacity for which there were no pages. */
  returnUnused(count: number): void;
  /** Returns the capacity of pages that have ended. */
  release(count: number): void;
}

/**
 * Creates the capacity of a page worker. There is none while the disk is full or one of its pages waits for
 * the browser.
 * @param browser the limit of a job whose pages are all opened in the browser
 * @returns the capacity, and the function that has to wrap every wait for the browser
 */
export function createPageCapacity(
  storage: DiskSpace,
  browser: PageCapacity | undefined,
): { capacity: PageCapacity; duringWait: DuringWait } {
  let waiting = 0;
  return {
    capacity: {
      async reserve(wanted) {
        if (waiting > 0 || !(await storage.hasSpace())) return 0;
        return browser ? browser.reserve(wanted) : wanted;
      },
      returnUnused: (count) => browser?.returnUnused(count),
      release: (count) => browser?.release(count),
    },
    async duringWait(wait) {
      waiting++;
      return wait().finally(() => waiting--);
    },
  };
}
