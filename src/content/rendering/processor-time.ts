import { threadId, type Worker } from 'node:worker_threads';
import { every } from '../../system/every.ts';

/** Tells which thread works on a task: the id of the thread, or 0 before the task has begun. */
export type TaskThread = Int32Array<SharedArrayBuffer>;

/** Creates the sign of a task, which is sent to the thread with the task. */
export const createTaskThread = (): TaskThread => new Int32Array(new SharedArrayBuffer(4));

/** Tells that the current thread begins the task. */
export function beginTask(sign: TaskThread): void {
  Atomics.store(sign, 0, threadId);
}

/** Returns the thread that works on a task; `undefined` before the task has begun. */
export const findThread = (threads: readonly Worker[], sign: TaskThread): Worker | undefined =>
  threads.find((thread) => thread.threadId === Atomics.load(sign, 0));

/** Milliseconds between two looks at the processor time of a thread. Most tasks end before the first one. */
const CHECK_MS = 250;

/**
 * Watches the processor time that a thread takes for a task, from the first look on.
 * @param options.findThread returns the thread once it has begun
 * @param options.onExceeded called once when the task has taken more than `maxMs` milliseconds
 * @returns the function that ends the watch
 */
export function watchProcessorTime({
  findThread,
  maxMs,
  onExceeded,
}: {
  findThread: () => Worker | undefined;
  maxMs: number;
  onExceeded: () => void;
}): () => void {
  let atFirstLook: number | undefined;
  let hasEnded = false;
  const stop = () => {
    hasEnded = true;
    clearInterval(timer);
  };
  const compare = (usedMs: number) => {
    // The response of a thread that has ended this task is about its next one.
    if (hasEnded) return;
    atFirstLook ??= usedMs;
    if (usedMs - atFirstLook <= maxMs) return;
    stop();
    onExceeded();
  };
  const look = async () => {
    const usage = await findThread()?.cpuUsage();
    if (usage) compare((usage.user + usage.system) / 1_000);
  };
  // A thread that has ended takes no more time, and whoever waits for its task learns about it.
  const timer = every(CHECK_MS, look, stop);
  return stop;
}
