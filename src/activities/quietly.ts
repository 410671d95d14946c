import { CancelledFailure } from '@temporalio/common';
import { translateDatabaseError } from '../db/client.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { closeError, type Seal } from '../seal.ts';

/**
 * Does the work of a job. Whatever a job with zero data retention fails with leaves it encrypted: on its way to who asked
 * it passes the history of Temporal, the log and the database.
 */
export async function quietly<Result>(seal: Seal, work: () => Promise<Result>): Promise<Result> {
  if (!seal.isSealed) return work();
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    const { code, message } = closeError(toServiceError(translateDatabaseError(error)), seal);
    throw new ServiceError(code, message);
  }
}
