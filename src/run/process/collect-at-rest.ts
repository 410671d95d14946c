import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A process whose main thread worked for less than this share of an interval is at rest. */
const RESTING_SHARE = 0.05;

/**
 * Collects once what the start of this process left in memory, as soon as the process rests. V8 collects only
 * while a program allocates memory: one that has started and then waits for work would keep all garbage of
 * its start, up to 50 MB. After the first collection, V8 collects again by itself whenever there is little to
 * do.
 * @param intervalMs for which the process must rest, in milliseconds
 * @returns a promise that resolves after the collection, and does not keep the process running
 */
export async function collectAtRest(intervalMs = 15_000): Promise<void> {
  let share: number;
  do {
    const before = performance.eventLoopUtilization();
    await sleep(intervalMs, undefined, { ref: false });
    share = performance.eventLoopUtilization(before).utilization;
  } while (share > RESTING_SHARE);
  setFlagsFromString('--expose-gc');
  const collect: (options: { type: 'major'; execution: 'async' }) => Promise<void> = runInNewContext('gc');
  // With other flags than before, V8 would refuse the compiled code in the cache, and new threads would
  // compile theirs again.
  setFlagsFromString('--no-expose-gc');
  await collect({ type: 'major', execution: 'async' });
}
