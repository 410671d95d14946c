import { defineSignal } from '@temporalio/workflow';
import type { Retuning } from '../schemas/page-job.ts';

/** No page is begun until `resume`. */
export const pause = defineSignal('pause');
export const resume = defineSignal('resume');
/** Changes limit, concurrency or delay of a job. */
export const retune = defineSignal<[Retuning]>('retune');
/** There may be new work in the database. */
export const wake = defineSignal('wake');
/** A lane has its hands full: there is work for another one. */
export const help = defineSignal('help');
