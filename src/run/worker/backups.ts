import type { BackupPlace } from '../../backup/places/backup-place.ts';
import { openBackupPlace } from '../../backup/places/open-place.ts';
import { requireBackupPlace } from '../../backup/places/require-place.ts';
import type { Logger } from '../../system/logger.ts';
import type { WorkerConfig } from './worker-config.ts';

/**
 * Opens the place of daily backups. A worker that writes them checks that it can.
 * @returns `undefined` if the operator wants none
 * @throws ServiceError that says what to do if no backup can be written there
 */
export async function openBackups(
  { backups, workerRoles }: Pick<WorkerConfig, 'backups' | 'workerRoles'>,
  logger: Logger,
): Promise<BackupPlace | undefined> {
  if (backups === undefined) return undefined;
  const place = await openBackupPlace(backups);
  if (workerRoles.includes('scrape'))
    await requireBackupPlace(place, (error) =>
      logger.warn({ err: error }, 'the place of backups does not respond at the moment'),
    );
  return place;
}
