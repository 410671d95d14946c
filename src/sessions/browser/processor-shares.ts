import { availableParallelism } from 'node:os';
import { setAutogroupNiceness } from '../../system/child-processes/autogroup.ts';

/**
 * A browser is busy if it has used more than this part of a processor since it was last measured. It is
 * small, because forty browsers get at most a twentieth of a processor each where there are two.
 */
const BUSY_SHARE = 0.02;
/** As many busy browsers per processor may have the share that every other process has. */
const FULL_SHARES_PER_PROCESSOR = 2;
/** Each step of niceness divides a share by this. */
const NICENESS_STEP = 1.25;
const MAX_NICENESS = 10;

/** Options of {@link ProcessorShares}. */
export interface ProcessorSharesOptions {
  processors: number;
  /** Sets the share of a browser by its niceness. */
  setNiceness(pid: number, niceness: number): Promise<void>;
}

/** The load of a browser and the share that it has. */
interface BrowserLoad {
  /** Processor time until it was last measured, in milliseconds. */
  processorMs: number;
  /** When that was, by `performance.now()`. */
  measuredAt: number;
  isBusy: boolean;
  niceness: number;
}

/**
 * Shares the processors between the browsers of sessions and the processes by which all users reach the
 * service. Linux gives each browser as much as the whole API, so that twenty pages that move all the time
 * would leave a twentieth to it. Busy browsers together therefore get the share of a few. A browser that is
 * used beside few others keeps its whole share, because otherwise its page would load slowly beside a batch
 * of scrapes.
 */
export class ProcessorShares {
  readonly #options: ProcessorSharesOptions;
  readonly #browsers = new Map<number, BrowserLoad>();

  constructor(
    options: ProcessorSharesOptions = {
      processors: availableParallelism(),
      setNiceness: setAutogroupNiceness,
    },
  ) {
    this.#options = options;
  }

  /**
   * Takes note of how much a browser has used so far.
   * @param processorMs processor time of its processes that still run
   */
  note(pid: number, processorMs: number, measuredAt = performance.now()): void {
    const last = this.#browsers.get(pid);
    const isBusy =
      last !== undefined && processorMs - last.processorMs > BUSY_SHARE * (measuredAt - last.measuredAt);
    this.#browsers.set(pid, { processorMs, measuredAt, isBusy, niceness: last?.niceness ?? 0 });
    this.#share();
  }

  /** Forgets a browser that has ended. */
  forget(pid: number): void {
    this.#browsers.delete(pid);
    this.#share();
  }

  #share(): void {
    const busy = Array.from(this.#browsers.values()).filter(({ isBusy }) => isBusy).length;
    const shares = busy / (FULL_SHARES_PER_PROCESSOR * this.#options.processors);
    const niceness = Math.min(
      MAX_NICENESS,
      Math.max(0, Math.round(Math.log(shares) / Math.log(NICENESS_STEP))),
    );
    for (const [pid, load] of this.#browsers) {
      const wanted = load.isBusy ? niceness : 0;
      if (load.niceness === wanted) continue;
      load.niceness = wanted;
      void this.#options.setNiceness(pid, wanted);
    }
  }
}
