import { previewSteps } from './activities.ts';
import { recordedFailure } from './failure.ts';

/** The input of the workflow of a preview. Everything else is in the database. */
export interface PreviewInput {
  jobId: string;
}

/**
 * Asks a model which options the prompt of a crawl describes.
 * @returns the key of the options
 */
export async function preview(input: PreviewInput): Promise<string | undefined> {
  try {
    return await previewSteps.previewCrawl(input.jobId);
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}
