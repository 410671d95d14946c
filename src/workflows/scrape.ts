import { scrapeActivities } from './activities.ts';
import { recordedFailure } from './failure.ts';

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
export async function scrape(input: ScrapeInput): Promise<string | undefined> {
  const { jobId, timeoutMs, label } = input;
  try {
    return await scrapeActivities(timeoutMs).scrapePage.executeWithOptions(label ? { summary: label } : {}, [
      jobId,
    ]);
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}
