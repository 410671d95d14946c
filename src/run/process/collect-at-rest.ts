import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A process whose main thread used the processor for less than this share of an interval is at rest. */
const RESTING_SHARE = 0.05;

/** For how long a process must rest before it collects, in milliseconds. */
const REST_MS = 15_000;
/**
 * Milliseconds of processor time of the main thread that are worth a collection, which takes a twentieth of a second.
 */
const WORTH_MS = 2_000;

/**
 * Collects what the start of this process left in memory, and later what its work left, as soon as the
 * process rests. V8 collects only while a program allocates memory: one that waits for work would keep all
 * garbage, 50 MB after its start and more than 100 MB after some thousand pages.
 * @returns a promise that never resolves, and does not keep the process running
 */
export async function collectWheneverAtRest(): Promise<never> {
  await collectAtRest(REST_MS);
  for (;;) await collectAtRest(REST_MS, WORTH_MS);
}

/**
 * Collects once, as soon as this process rests.
 * @param restMs for which the process must rest, in milliseconds
 * @param worthMs milliseconds of processor time that must come before
 * @returns a promise that resolves after the collection, and does not keep the process running
 */
export async function collectAtRest(restMs: number, worthMs = 0): Promise<void> {
  let share: number;
  let workedMs = 0;
  do {
    const startMs = performance.now();
    // The utilization of the event loop would count the time for which a busy machine lets the thread wait.
    const before = process.threadCpuUsage();
    await sleep(restMs, undefined, { ref: false });
    const { user, system } = process.threadCpuUsage(before);
    const activeMs = (user + system) / 1000;
    share = activeMs / (performance.now() - startMs);
    workedMs += activeMs;
  } while (share > RESTING_SHARE || workedMs < worthMs);
  setFlagsFromString('--expose-gc');
  const collect: (options: { type: 'major'; execution: 'async' }) => Promise<void> = runInNewContext('gc');
  // With other flags than before, V8 would refuse the compiled code in the cache, and new threads would
  // compile theirs again.
  setFlagsFromString('--no-expose-gc');
  await collect({ type: 'major', execution: 'async' });
}
