import { setCurrentDetails } from '@temporalio/workflow';
import type { ScrapeReport } from '../activities/scrape/scrape-report.ts';
import type { JobStart } from '../jobs/direct-start/protocol.ts';
import { scrapeSteps, untrackedSteps } from './activities.ts';
import { recordedFailure } from './failure.ts';

/** The input of the workflow of a scrape or map. */
export interface ScrapeInput extends Pick<JobStart, 'jobId' | 'timeoutMs' | 'label' | 'isQuick'> {
  /** The result of a scrape that ended before its workflow was started, which only records it. */
  ended?: string | ScrapeReport;
}

/**
 * Scrapes one page. A failure is recorded before the workflow fails with the code of the error.
 * @returns the key of the document, in a report unless the job has zero data retention
 */
export async function scrape(input: ScrapeInput): Promise<string | ScrapeReport | undefined> {
  try {
    const result = input.ended ?? (await scrapePage(input));
    if (typeof result === 'object') setCurrentDetails(describe(result));
    return result;
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}

async function scrapePage({ jobId, timeoutMs, label, isQuick }: ScrapeInput) {
  const options = label ? { summary: label } : {};
  const ended = isQuick ? await untrackedSteps.beginPage.executeWithOptions(options, [jobId]) : undefined;
  if (ended) return ended.result;
  return scrapeSteps(timeoutMs).scrapePage.executeWithOptions(options, [jobId]);
}

/** The text that the Temporal UI shows after a scrape. */
function describe({ engine, proxy, statusCode, document, fallbacks, ms }: ScrapeReport): string {
  const stages = Object.entries(ms).map(([stage, durationMs]) => `${stage} ${durationMs}`);
  return [
    `**HTTP ${statusCode} from ${engine}**${proxy ? ` by ${proxy} proxy` : ''}`,
    '',
    ...(document ? [`- ${describeDocument(document)}`] : []),
    ...fallbacks.map(({ from, to, reason, afterMs }) => `- ${from} → ${to} after ${afterMs} ms: ${reason}`),
    `- milliseconds: ${stages.join(', ')}`,
  ].join('\n');
}

const describeDocument = ({ type, numPages, totalPages }: NonNullable<ScrapeReport['document']>) =>
  numPages === undefined ? type : `${type}, ${numPages} of ${totalPages ?? numPages} pages read`;
