import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
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

/**
 * Scrapes one page. Its failure is written down before the workflow fails with the error's code.
 * @returns the blob with the document
 */
export async function scrape({ jobId, timeoutMs, label }: ScrapeInput): Promise<string | undefined> {
  try {
    return await scrapeActivities(timeoutMs).scrapePage.executeWithOptions(label ? { summary: label } : {}, [
      jobId,
    ]);
  } catch (error) {
    const { code, message, details } = toServiceError(error);
    if (label) upsertSearchAttributes([{ key: Outcome, value: code }]);
    await bookkeeping.recordFailure(jobId, { code, message, details });
    // Stated plainly instead of as the cause of a failed activity: this is what the Temporal UI shows first.
    throw ApplicationFailure.create({
      message,
      type: code,
      nonRetryable: true,
      details: [details ?? null],
      ...(code !== 'UNKNOWN_ERROR' && { category: ApplicationFailureCategory.BENIGN }),
    });
  }
}
