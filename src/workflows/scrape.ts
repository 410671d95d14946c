import { setCurrentDetails } from '@temporalio/workflow';
import type { ScrapeReport } from '../activities/scrape-report.ts';
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
 * @returns the blob with the document, with how it was made unless the job has zero data retention
 */
export async function scrape(input: ScrapeInput): Promise<string | ScrapeReport | undefined> {
  const { jobId, timeoutMs, label } = input;
  try {
    const result = await scrapeActivities(timeoutMs).scrapePage.executeWithOptions(
      label ? { summary: label } : {},
      [jobId],
    );
    if (typeof result === 'object') setCurrentDetails(describe(result));
    return result;
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}

/** What the Temporal UI shows of a scrape that is done. */
function describe({ engine, proxy, statusCode, fallbacks, ms }: ScrapeReport): string {
  const stages = Object.entries(ms).map(([stage, took]) => `${stage} ${took}`);
  return [
    `**HTTP ${statusCode} from ${engine}**${proxy ? ` by ${proxy} proxy` : ''}`,
    '',
    ...fallbacks.map(({ from, to, reason, afterMs }) => `- ${from} → ${to} after ${afterMs} ms: ${reason}`),
    `- milliseconds: ${stages.join(', ')}`,
  ].join('\n');
}
