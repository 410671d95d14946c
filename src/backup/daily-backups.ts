import { setTimeout as pause } from 'node:timers/promises';
import type { Manifest } from './manifest.ts';
import type { BackupPlace } from './places/backup-place.ts';
import { type BackupSource, writeBackup } from './write-backup.ts';

/** Number of backups that are kept. */
const KEPT = 7;
/** What was written for so many milliseconds was left by a process that ended. */
const LOST_DRAFT_MS = 24 * 3_600_000;
const NAME = /^winnow-\d{4}-\d\d-\d\dT\d{6}Z\.tar$/;

/** A backup that was written. */
export interface DailyBackup {
  name: string;
  manifest: Manifest;
  /** Names of the older ones that were deleted. */
  deleted: string[];
}

/**
 * Writes a backup that is named by the time, and deletes all but the newest seven. Other files stay.
 * @throws ServiceError that says what to do if the place cannot be written
 */
export async function writeDailyBackup(place: BackupPlace, source: BackupSource): Promise<DailyBackup> {
  await place.requireWritable();
  await place.removeDrafts((name) => NAME.test(name), new Date(Date.now() - LOST_DRAFT_MS));
  const name = `winnow-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`;
  const manifest = await writeBackup(place.file(name), source);
  const deleted = (await listBackups(place)).slice(0, -KEPT).map((old) => old.name);
  for (const old of deleted) await place.remove(old);
  return { name, manifest, deleted };
}

/** The daily backups, oldest first. */
const listBackups = async (place: BackupPlace) =>
  (await place.list()).filter(({ name }) => NAME.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));

/** Milliseconds after which the newest backup is looked up again, because a bucket charges for its lists. */
const LOOKUP_MS = 60_000;
/** Milliseconds that a lookup is waited for; a bucket that does not respond must not hold up other metrics. */
const WAIT_MS = 1_000;

/**
 * Watches when the newest backup was written.
 * @returns what tells the time; `undefined` if there is none. It is that of the last lookup while the place
 * does not respond, so that an alert tells that no backup becomes newer.
 */
export function watchNewestBackup(place: BackupPlace): () => Promise<Date | undefined> {
  let newest: Date | undefined;
  let lookup: Promise<void> | undefined;
  let lookedUpAt = 0;
  const look = async () => {
    newest = (await listBackups(place)).at(-1)?.writtenAt;
    lookedUpAt = performance.now();
  };
  return async () => {
    if (newest && performance.now() - lookedUpAt < LOOKUP_MS) return newest;
    lookup ??= look()
      .catch(() => undefined)
      .finally(() => {
        lookup = undefined;
      });
    await Promise.race([lookup, pause(WAIT_MS, undefined, { ref: false })]);
    return newest;
  };
}
