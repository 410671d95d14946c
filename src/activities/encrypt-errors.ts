import { CancelledFailure } from '@temporalio/common';
import { translateDatabaseError } from '../db/client.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { closeError, type Seal } from '../seal.ts';

/**
 * Runs a step of a job. For a job with zero data retention, the text of an error is encrypted, because the
 * error passes through the history of Temporal, the log and the database on its way to the user.
 */
export async function withEncryptedErrors<Result>(seal: Seal, work: () => Promise<Result>): Promise<Result> {
  if (!seal.isSealed) return work();
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    const { code, message } = closeError(toServiceError(translateDatabaseError(error)), seal);
    throw new ServiceError(code, message);
  }
}
