import { reviewSteps } from './activities.ts';
import { recordedFailure } from './failure.ts';

/** The input of the workflow of a question about a monitor. Everything else is in the database. */
export interface ReviewInput {
  jobId: string;
}

/**
 * Looks into what checks of a monitor have found.
 * @returns the key of the answer
 */
export async function review(input: ReviewInput): Promise<string | undefined> {
  try {
    return await reviewSteps.reviewMonitor(input.jobId);
  } catch (error) {
    throw await recordedFailure(input, error);
  }
}
