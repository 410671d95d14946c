import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { type CheckedBackup, checkBackup } from '../../backup/archive-reader.ts';
import { KEY_NAMES, type KeyName } from '../../backup/manifest.ts';
import { openBackupFile } from '../../backup/places/open-place.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { requireRestoreRoom } from '../../backup/restore-room.ts';
import { fingerprintSecret } from '../../backup/secret-fingerprint.ts';
import { type Config, readConfig } from '../../config.ts';
import { readKeyFiles, replaceKeyFiles } from '../../run/embedded/keys.ts';
import { withPostgresAlone } from '../../run/embedded/start-postgres.ts';
import { temporalDatabaseFile } from '../../run/embedded/temporal/temporal-server.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { formatBytes } from '../format-bytes.ts';
import { onInterrupt } from '../interrupt.ts';
import { withOpenDatabase } from '../with-database.ts';

/** `restore`: fills a service that does not run with what a backup has. */
export const restoreCommand = defineCommand({
  meta: { name: 'restore', description: 'fill a service that does not run with what a backup has' },
  args: {
    file: {
      type: 'positional',
      description: 'file of the backup, or s3://bucket/name.tar?endpoint=…',
      required: true,
    },
    force: { type: 'boolean', description: 'replace a service that already has jobs' },
  },
  async run({ args }) {
    const config = readConfig();
    const dataDir = resolve(config.dataDir);
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const file = await openBackupFile(args.file);
    const backup = await progress.step('Checking the backup', (step) =>
      checkBackup(file, (bytes) => step.detail(formatBytes(bytes))),
    );
    await requireRestoreRoom(backup.manifest, {
      dataDir,
      blobs: config.blobs,
      hasOwnPostgres: config.databaseUrl === undefined,
    });
    const restore = (url: string) =>
      withOpenDatabase(url, (db) =>
        progress.step('Restoring', (step) =>
          restoreBackup(file, backup, {
            db,
            blobs: config.blobs,
            force: args.force ?? false,
            signal: interrupt.signal,
            onProgress: (part, bytes) => step.detail(`${part}, ${formatBytes(bytes)}`),
          }),
        ),
      );
    const keys = config.databaseUrl
      ? await restore(config.databaseUrl)
      : await withPostgresAlone({ dataDir, progress, ...interrupt }, restore);
    replaceKeyFiles(dataDir, keys);
    // Its workflows belong to jobs that were replaced. Those of restored jobs are started again.
    if (!config.temporalAddress) forgetWorkflows(dataDir);
    tellOtherSecret({ config, dataDir, backup, note: progress.note });
    const { createdAt, version } = backup.header;
    process.stdout.write(
      `Restored ${backup.manifest.rows.jobs?.count ?? 0} jobs as of ${createdAt}, from Winnow ${version}.\n`,
    );
  },
});

function forgetWorkflows(dataDir: string): void {
  const file = temporalDatabaseFile(dataDir);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
}

/** Tells that what the backup has encrypted can be read only with another key. */
function tellOtherSecret({
  config,
  dataDir,
  backup,
  note,
}: {
  config: Config;
  dataDir: string;
  backup: CheckedBackup;
  note: (text: string) => void;
}): void {
  const { secretFingerprint } = backup.header;
  const stored: Map<KeyName, string> = readKeyFiles(dataDir, KEY_NAMES);
  const secret = config.secretKey ?? stored.get('secret-key');
  if (secretFingerprint === null || (secret && fingerprintSecret(secret) === secretFingerprint)) return;
  note(
    'The secret key of this service is not that of the backup, so saved profiles and uploaded files cannot be decrypted, and URLs of files are no longer valid. Set WINNOW_SECRET_KEY to that of the service that was backed up.',
  );
}
