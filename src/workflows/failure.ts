import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import {
  CancellationScope,
  isCancellation,
  log,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { policyOf, ServiceError, toServiceError } from '../errors.ts';
import { bookkeeping } from './activities.ts';
import { Outcome } from './search-attributes.ts';

/**
 * Logs why a job failed. Only a fault of the service is a warning: that a site is down or a page takes too
 * long is expected.
 */
export function logFailure(error: ServiceError): ServiceError {
  const { code, message } = error;
  const level = policyOf(code).isServiceFault ? 'warn' : 'info';
  log[level](`${workflowInfo().workflowId} failed: ${code}: ${message}`, { code });
  return error;
}

/**
 * Records why a scrape or map failed.
 * @param label absent if nothing of the job may be shown
 * @returns the error that the workflow has to throw. It is a new error instead of the failure of the
 *   activity, because the Temporal UI shows the outermost error first
 */
export async function recordedFailure(
  { jobId, label }: { jobId: string; label?: string },
  error: unknown,
): Promise<ApplicationFailure> {
  const { code, message, details } = logFailure(isCancellation(error) ? cancelled() : toServiceError(error));
  if (label) upsertSearchAttributes([{ key: Outcome, value: code }]);
  // A job whose workflow is cancelled has ended as well.
  await CancellationScope.nonCancellable(() => bookkeeping.recordFailure(jobId, { code, message, details }));
  return toFailure({ code, message, details });
}

const cancelled = () => new ServiceError('SCRAPE_JOB_CANCELLED', 'The job was cancelled.');

/** The failure that a workflow has to throw for an error. */
export const toFailure = ({ code, message, details }: Pick<ServiceError, 'code' | 'message' | 'details'>) =>
  ApplicationFailure.create({
    message,
    type: code,
    nonRetryable: true,
    details: [details ?? null],
    ...(code !== 'UNKNOWN_ERROR' && { category: ApplicationFailureCategory.BENIGN }),
  });
