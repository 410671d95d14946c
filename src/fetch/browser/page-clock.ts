import { setTimeout as sleep } from 'node:timers/promises';
import type { Tab } from './tab.ts';

/**
 * How long requests of timers are waited for here, in milliseconds. Afterwards the caller sees that they are
 * open.
 */
const MAX_REQUEST_WAIT_MS = 100;
/**
 * A script that runs for longer after the clock was set forward may wait in a loop for the time, which stands
 * still.
 */
const MAX_SCRIPT_MS = 5_000;
/** How often the clock is set forward while it runs as fast as ours. */
const TICK_MS = 20;
/**
 * How far it is set forward at a time at most. Where the processors are busy, this process comes to it late; by all of
 * that at once, limits of time in the page would end before anything else has had a turn.
 */
const MAX_TICK_MS = 100;

/** The clock of a page that is only read. */
export interface PageClock {
  /**
   * Sets the clock forward by `ms` milliseconds, so that the timers that are due until then run at once.
   * Afterwards it stands still outside of these functions.
   */
  skip(ms: number): Promise<void>;
  /** Lets the clock run as fast as ours until `work` has ended, or slower where the processors are busy. */
  runDuring<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * The clock of a page, which is Chromium's virtual time. Chromium cannot give a page its real clock back, so
 * this is only for pages that are closed once they were read.
 */
export function createPageClock(tab: Pick<Tab, 'session' | 'network' | 'nextDocument'>): PageClock {
  const { session, network } = tab;
  let isHeld = false;

  /**
   * @returns whether the time has passed, which takes as long as the scripts that run in it, but at most
   * `maxMs`
   */
  async function pass(policy: 'advance' | 'pauseIfNetworkFetchesPending', ms: number, maxMs: number) {
    const { promise: passed, resolve } = Promise.withResolvers<true>();
    const onPassed = () => resolve(true);
    session.on('Emulation.virtualTimeBudgetExpired', onPassed);
    const command = session.send('Emulation.setVirtualTimePolicy', { policy, budget: ms });
    try {
      return await Promise.race([command.then(() => passed), sleep(maxMs, false, { ref: false })]);
    } finally {
      session.off('Emulation.virtualTimeBudgetExpired', onPassed);
      // A page whose script does not end responds when it is closed.
      command.catch(() => undefined);
    }
  }

  async function skip(ms: number): Promise<void> {
    if (await pass('pauseIfNetworkFetchesPending', ms, MAX_REQUEST_WAIT_MS)) return;
    // The rest of the time passes once the requests have ended; it does not wait for those of images and the
    // like.
    if (!network.isIdle() || (await pass('advance', ms, MAX_SCRIPT_MS))) return;
    await session.send('Runtime.terminateExecution');
  }

  return {
    async skip(ms) {
      isHeld = true;
      await Promise.race([skip(ms), tab.nextDocument()]);
    },
    async runDuring(work) {
      if (!isHeld) return work();
      let isOver = false;
      const result = work().finally(() => {
        isOver = true;
      });
      const ended = result.then(
        () => undefined,
        () => undefined,
      );
      for (let last = performance.now(); !isOver; ) {
        await Promise.race([ended, sleep(TICK_MS)]);
        const now = performance.now();
        await Promise.race([ended, pass('advance', Math.min(now - last, MAX_TICK_MS), MAX_SCRIPT_MS)]);
        last = now;
      }
      return result;
    },
  };
}

/**
 * Does `work` while the clock of the page runs as fast as ours.
 * @param clock absent for a page that keeps its real clock
 */
export const runWithClock = <Result>(
  clock: PageClock | undefined,
  work: () => Promise<Result>,
): Promise<Result> => (clock ? clock.runDuring(work) : work());
