import { setAutogroupNiceness } from '../../../system/child-processes/autogroup.ts';
import { setNicenessOfThreads } from '../../../system/child-processes/thread-priority.ts';
import type { Chromium } from './launch-chromium.ts';
import type { BrowserProcess } from './process-memory.ts';

/** Processor time that a page may take in full, in seconds; most pages take less than one. */
const FULL_SECONDS = 2;
/** The part of a processor that a page may take for as long as it is open. */
const LASTING_SHARE = 0.1;
/** How much the process of a busy page gives way to all others. It gets a ninth of their time then. */
const PAGE_NICENESS = 10;
/**
 * How much a browser with busy pages gives way to the rest of the service, where Linux shares the processors
 * between groups of processes. It gets a third of the usual share, so that its other pages go on.
 */
const BROWSER_NICENESS = 5;

/** How priorities are set; replaced in tests. */
interface Priorities {
  ofPage(pid: number, niceness: number): void;
  ofBrowser(niceness: number): void;
}

/** What is known of the process of a page. */
interface PageProcess {
  cpuTime: number;
  measuredAt: number;
  /** Processor time beyond {@link LASTING_SHARE}, in seconds. */
  excess: number;
}

/**
 * Lets pages that take the processors for long give way to all others: their scripts may run without an end,
 * a dozen at once, and the scrapes of other teams would wait for their share as long as for twelve services.
 */
export class BusyPages {
  readonly #priorities: Priorities;
  readonly #processes = new Map<number, PageProcess>();
  readonly #busy = new Set<number>();
  #hasGivenWay = false;

  constructor(priorities: Priorities) {
    this.#priorities = priorities;
  }

  /**
   * Takes note of the processes of a browser, of which those of pages have the type `renderer`.
   * @param measuredAt in milliseconds, by `performance.now()`
   */
  note(processes: readonly BrowserProcess[], measuredAt: number): void {
    const pages = processes.filter(({ type }) => type === 'renderer');
    const running = new Set(pages.map(({ id }) => id));
    for (const id of this.#processes.keys()) if (!running.has(id)) this.#forget(id);
    for (const page of pages) this.#notePage(page, measuredAt);
    const mustGiveWay = this.#busy.size > 0;
    if (mustGiveWay === this.#hasGivenWay) return;
    this.#hasGivenWay = mustGiveWay;
    this.#priorities.ofBrowser(mustGiveWay ? BROWSER_NICENESS : 0);
  }

  #notePage({ id, cpuTime }: BrowserProcess, measuredAt: number): void {
    // Chromium starts processes ahead, whose time so far was that of no page.
    const last = this.#processes.get(id) ?? { cpuTime, measuredAt, excess: 0 };
    const allowed = (LASTING_SHARE * (measuredAt - last.measuredAt)) / 1000;
    const excess = Math.max(0, last.excess + cpuTime - last.cpuTime - allowed);
    this.#processes.set(id, { cpuTime, measuredAt, excess });
    if (excess <= FULL_SECONDS) return;
    // Threads that other threads have started since have to give way, too.
    this.#busy.add(id);
    this.#priorities.ofPage(id, PAGE_NICENESS);
  }

  #forget(id: number): void {
    this.#processes.delete(id);
    this.#busy.delete(id);
  }
}

/** The busy pages of a browser, which give way by the priorities of Linux. */
export const busyPagesOf = ({ pid }: Pick<Chromium, 'pid'>): BusyPages =>
  new BusyPages({
    ofPage: setNicenessOfThreads,
    ofBrowser: (niceness) => void (pid && setAutogroupNiceness(pid, niceness)),
  });
