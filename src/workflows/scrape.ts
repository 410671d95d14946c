import { upsertSearchAttributes } from '@temporalio/workflow';
import { toServiceError } from '../errors.ts';
import { bookkeeping, scrapeActivities } from './activities.ts';
import { Outcome } from './search-attributes.ts';

/** What a scrape's workflow is given; everything else stands in the database. */
export interface ScrapeInput {
  jobId: string;
  timeoutMs: number;
  /** What the Temporal UI shows for the page; absent where nothing of the page may be shown. */
  label?: string;
}

/** Scrapes one page. Its failure is written down before the workflow fails with the error's code. */
export async function scrape({ jobId, timeoutMs, label }: ScrapeInput): Promise<void> {
  try {
    await scrapeActivities(timeoutMs).scrapePage.executeWithOptions(label ? { summary: label } : {}, [jobId]);
    if (label) upsertSearchAttributes([{ key: Outcome, value: 'completed' }]);
  } catch (error) {
    const { code, message, details } = toServiceError(error);
    if (label) upsertSearchAttributes([{ key: Outcome, value: code }]);
    await bookkeeping.recordFailure(jobId, { code, message, details });
    throw error;
  }
}
