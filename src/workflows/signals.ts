import { defineSignal } from '@temporalio/workflow';

/** What can be changed of a job that runs; what is left out stays. `delayMs` null takes the delay away. */
export interface Change {
  limit?: number;
  maxConcurrency?: number;
  delayMs?: number | null;
}

/** No page is begun until `resume`. */
export const pause = defineSignal('pause');
export const resume = defineSignal('resume');
/** Changes limit, concurrency or delay of a job. */
export const retune = defineSignal<[Change]>('retune');
/** There may be new work in the database. */
export const wake = defineSignal('wake');
