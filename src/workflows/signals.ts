import { defineSignal } from '@temporalio/workflow';

/** What can be changed of a job that runs, as in the API; what is left out stays. */
export interface Change {
  /** Most pages of a crawl. */
  limit?: number;
  maxConcurrency?: number;
  /** Seconds between two pages; 0 takes it away. */
  delay?: number;
}

/** No page is begun until `resume`. */
export const pause = defineSignal('pause');
export const resume = defineSignal('resume');
/** Changes limit, concurrency or delay of a job. */
export const retune = defineSignal<[Change]>('retune');
/** There may be new work in the database. */
export const wake = defineSignal('wake');
/** A lane has its hands full: there is work for another one. */
export const help = defineSignal('help');
