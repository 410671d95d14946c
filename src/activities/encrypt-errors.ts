import { CancelledFailure } from '@temporalio/common';
import { ServiceError, toServiceError } from '../errors.ts';
import { encryptError, type JobCipher } from '../system/encryption/job-cipher.ts';

/**
 * Runs a step of a job. For a job with zero data retention, the text of an error is encrypted, because the
 * error passes through the history of Temporal, the log and the database on its way to the user.
 */
export async function withEncryptedErrors<Result>(
  cipher: JobCipher,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!cipher.encrypts) return work();
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    const plain = toServiceError(error);
    const { code, message } = encryptError(plain, cipher);
    throw new ServiceError(code, message, { isRetryable: plain.isRetryable });
  }
}
