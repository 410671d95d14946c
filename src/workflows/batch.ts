import { type PageJobInput, runPageJob } from './page-jobs.ts';

/** Scrapes a list of pages. */
export const batch = (input: PageJobInput) => runPageJob(input);
