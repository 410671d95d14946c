import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';
import { type BackupSource, writeBackup } from './write-backup.ts';

/** Number of backups that are kept. */
const KEPT = 7;
/** A file that was written for so many milliseconds was left by a process that ended. */
const LOST_DRAFT_MS = 24 * 3_600_000;
const NAME = /^winnow-\d{4}-\d\d-\d\dT\d{6}Z\.tar$/;
const DRAFT = '.part';

/** A backup that was written. */
export interface DailyBackup {
  name: string;
  manifest: Manifest;
  /** Names of the older ones that were deleted. */
  deleted: string[];
}

/**
 * Writes a backup to a directory, named by the time, and deletes all but the newest seven. Other files stay.
 * @throws ServiceError `BAD_REQUEST` if the directory cannot be written
 */
export async function writeDailyBackup(directory: string, source: BackupSource): Promise<DailyBackup> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeLostDrafts(directory);
  const name = `winnow-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`;
  const manifest = await writeBackup(join(directory, name), source);
  const deleted = (await listBackups(directory)).slice(0, -KEPT);
  for (const old of deleted) await rm(join(directory, old));
  return { name, manifest, deleted };
}

/** When the newest backup of a directory was written; `undefined` if it has none, or cannot be read. */
export async function findNewestBackup(directory: string): Promise<Date | undefined> {
  try {
    const newest = (await listBackups(directory)).at(-1);
    return newest === undefined ? undefined : (await stat(join(directory, newest))).mtime;
  } catch {
    return undefined; // The metric is absent then, as before the first backup.
  }
}

/** The names of the backups, oldest first. */
const listBackups = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => NAME.test(name)).sort();

async function removeLostDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(DRAFT) || !NAME.test(name.slice(0, -DRAFT.length))) continue;
    const { mtimeMs } = await stat(join(directory, name));
    if (Date.now() - mtimeMs > LOST_DRAFT_MS) await rm(join(directory, name));
  }
}
