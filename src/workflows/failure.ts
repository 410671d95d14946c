import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { toServiceError } from '../errors.ts';
import { bookkeeping } from './activities.ts';
import { Outcome } from './search-attributes.ts';

/**
 * Writes down why a job failed that somebody waits for.
 * @param label absent where nothing of the job may be shown
 * @returns what its workflow is to throw: stated plainly instead of as the cause of a failed activity, because this is
 *   what the Temporal UI shows first
 */
export async function recordedFailure(
  { jobId, label }: { jobId: string; label?: string },
  error: unknown,
): Promise<ApplicationFailure> {
  const { code, message, details } = toServiceError(error);
  if (label) upsertSearchAttributes([{ key: Outcome, value: code }]);
  await bookkeeping.recordFailure(jobId, { code, message, details });
  return ApplicationFailure.create({
    message,
    type: code,
    nonRetryable: true,
    details: [details ?? null],
    ...(code !== 'UNKNOWN_ERROR' && { category: ApplicationFailureCategory.BENIGN }),
  });
}
