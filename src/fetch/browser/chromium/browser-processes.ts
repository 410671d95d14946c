import { busyPagesOf } from './busy-pages.ts';
import type { Chromium } from './launch-chromium.ts';
import { type MeasuredMemory, PageMemory, type PageMemoryLimits } from './page-memory.ts';

/** The processes of a browser that are looked at again and again. */
export interface WatchedProcesses {
  /** Asks the browser for its processes, and has those of busy pages give way. */
  list(): Promise<void>;
  /** Measures the memory of the processes that were listed last, and ends those of pages that take too much. */
  measure(): Promise<MeasuredMemory>;
  /** Whether a page was ended so lately that its visit is about to hear of it. */
  hasJustEndedPage(): boolean;
}

/** Watches the processes of a browser, so that no page takes the machine from others. */
export function watchProcesses(chromium: Chromium, limits: PageMemoryLimits): WatchedProcesses {
  const busy = busyPagesOf(chromium);
  const memory = new PageMemory(limits);
  let isListing = false;
  return {
    async list() {
      // A browser whose pages leave it no time responds late.
      if (isListing) return;
      isListing = true;
      try {
        const { processInfo } = await chromium.connection.browser.send('SystemInfo.getProcessInfo');
        memory.note(processInfo);
        busy.note(processInfo, performance.now());
      } finally {
        isListing = false;
      }
    },
    measure: () => memory.check(),
    hasJustEndedPage: () => memory.hasJustEndedPage(),
  };
}
