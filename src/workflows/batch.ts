import { type PageJobInput, runPageJob } from './pages.ts';

/** Scrapes a list of pages. */
export const batch = (input: PageJobInput) => runPageJob(input);
