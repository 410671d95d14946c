import { Context } from '@temporalio/activity';
import { writeDailyBackup } from '../backup/daily-backups.ts';
import { sizeOf } from '../backup/manifest.ts';
import type { BackupPlace } from '../backup/places/backup-place.ts';
import type { BackupSource } from '../backup/write-backup.ts';
import type { Database } from '../storage/db/client.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Where backups are written, and what they are made of; absent if the operator wants none. */
interface DailyBackupSettings extends Pick<BackupSource, 'blobs' | 'secretKey'> {
  place: BackupPlace;
  /** Reads the keys of the data directory, which may have changed since the start. */
  readKeys(): BackupSource['keys'];
}

/** What the activity of daily backups needs. */
export interface BackupDeps {
  db: Database;
  backups: DailyBackupSettings | undefined;
}

/** The activity that writes the backup of a day. */
export function backupActivities({ db, backups }: BackupDeps) {
  return {
    /** Writes a backup. It may be repeated: each attempt writes a file of its own. @returns what it did, for people */
    async writeDailyBackup(): Promise<string> {
      if (!backups) return 'Nothing was written, because WINNOW_BACKUPS is not set any more.';
      using _ = startHeartbeat();
      const { place, blobs, secretKey, readKeys } = backups;
      const { name, manifest, deleted } = await writeDailyBackup(place, {
        db,
        blobs,
        secretKey,
        keys: readKeys(),
        signal: Context.current().cancellationSignal,
        onProgress: () => undefined,
      });
      const written = `${name} has ${manifest.rows.jobs?.count ?? 0} jobs in ${sizeOf(manifest)} bytes.`;
      return deleted.length ? `${written} Deleted: ${deleted.join(', ')}.` : written;
    },
  };
}
