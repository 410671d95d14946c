import { ServiceError } from '../../errors.ts';
import { withTimeLimit } from '../../system/time-limit.ts';
import type { BackupPlace } from './backup-place.ts';

/** Milliseconds that a start waits for a bucket, which may be starting too. */
const CHECK_MS = 10_000;

/**
 * Checks at the start of a service that backups can be written, in place of at night.
 * @param onUnavailable told that a bucket does not respond, which may last for a moment only
 * @throws ServiceError that says what to do otherwise
 */
export async function requireBackupPlace(
  place: BackupPlace,
  onUnavailable: (error: unknown) => void,
): Promise<void> {
  const check = place.requireWritable();
  try {
    await withTimeLimit(check, CHECK_MS);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'SERVICE_UNAVAILABLE') return onUnavailable(error);
    throw new ServiceError(error.code, `WINNOW_BACKUPS cannot be used. ${error.message}`, { cause: error });
  }
}
