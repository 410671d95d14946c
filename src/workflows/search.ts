import { log, type ParentClosePolicy, setCurrentDetails, sleep, startChild } from '@temporalio/workflow';
import type { ResultScrape } from '../activities/search.ts';
import { JOB_KINDS, workflowIdOf } from '../job-kinds.ts';
import { searchSteps } from './activities.ts';
import { recordedFailure } from './failure.ts';
import type { ScrapeInput, scrape } from './scrape.ts';
import { Host, JobKind, TeamId } from './search-attributes.ts';

/** The scrapes continue when the search ends before them, because their ids are known. */
const ABANDON: ParentClosePolicy = 'ABANDON';

/**
 * Searches, and scrapes the results if the request asks for it. A failure is recorded before the workflow
 * fails with the code of the error.
 * @returns the key of the results
 */
export async function search(input: ScrapeInput): Promise<string | undefined> {
  const { jobId, timeoutMs, label } = input;
  const summary = label ? { summary: label } : {};
  const steps = searchSteps(timeoutMs);
  try {
    const found = await steps.findResults.executeWithOptions(summary, [jobId]);
    if (typeof found !== 'object') return found;
    const { blob, scrapes, waitMs } = found;
    setCurrentDetails(`${scrapes.length} results to scrape`);
    const ends = await Promise.all(scrapes.map(startScrape));
    if (waitMs !== undefined) await Promise.race([Promise.all(ends.map((end) => end())), sleep(waitMs)]);
    return await steps.addDocuments.executeWithOptions(summary, [jobId, blob]);
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}

/** Starts the scrape of a result. @returns a function that waits for its end, whatever its outcome */
async function startScrape({ teamId, ...input }: ResultScrape): Promise<() => Promise<unknown>> {
  const { workflow, priority } = JOB_KINDS.scrape;
  const host = URL.parse(input.label)?.host;
  const child = await startChild<typeof scrape>(workflow, {
    workflowId: workflowIdOf('scrape', input.jobId),
    args: [input],
    parentClosePolicy: ABANDON,
    priority: { priorityKey: priority, fairnessKey: teamId },
    staticSummary: `Scrape ${input.label}`.slice(0, 200),
    typedSearchAttributes: [
      { key: TeamId, value: teamId },
      { key: JobKind, value: 'scrape' },
      ...(host ? [{ key: Host, value: host }] : []),
    ],
  });
  return () =>
    child
      .result()
      .catch((error) =>
        log.debug('the scrape of a result failed', { jobId: input.jobId, error: String(error) }),
      );
}
