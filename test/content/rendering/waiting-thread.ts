import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/** A thread that returns its id, and never ends a task for which it is to hang. */
export default async ({ hangs = false }: { hangs?: boolean }): Promise<number> => {
  while (hangs) await sleep(1000);
  return threadId;
};
