import { mapSteps } from './activities.ts';
import { recordedFailure } from './failure.ts';
import type { ScrapeInput } from './scrape.ts';

/**
 * Maps one site. A failure is recorded before the workflow fails with the code of the error.
 * @returns the key of the links
 */
export async function map(input: ScrapeInput): Promise<string | undefined> {
  const { jobId, timeoutMs, label } = input;
  try {
    return await mapSteps(timeoutMs).mapSite.executeWithOptions(label ? { summary: label } : {}, [jobId]);
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}
