import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { KEY_NAMES, sizeOf } from '../../backup/manifest.ts';
import { openBackupFile } from '../../backup/places/open-place.ts';
import { writeBackup } from '../../backup/write-backup.ts';
import { type Config, readConfig } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { readKeyFiles } from '../../run/embedded/keys.ts';
import { runningDatabaseUrl } from '../../run/embedded/postgres.ts';
import { hasPostgres, withPostgresAlone } from '../../run/embedded/start-postgres.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { waitForInstance } from '../connection.ts';
import { formatBytes } from '../format-bytes.ts';
import { type Interrupt, onInterrupt } from '../interrupt.ts';
import { withOpenDatabase } from '../with-database.ts';

/** `backup`: writes all that the service has to a file, whether it runs or not. */
export const backupCommand = defineCommand({
  meta: { name: 'backup', description: 'write all that the service has to a file, while it runs' },
  args: {
    file: {
      type: 'positional',
      description: 'file of the backup, or s3://bucket/name.tar?endpoint=…; one that exists is replaced',
      required: true,
    },
    'without-keys': {
      type: 'boolean',
      description: 'leave out the keys of the data directory, which open the service and decrypt profiles',
    },
  },
  async run({ args }) {
    const config = readConfig();
    const dataDir = resolve(config.dataDir);
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const file = await openBackupFile(args.file);
    await withDatabaseUrl({ config, dataDir, progress, interrupt }, (url) =>
      withOpenDatabase(url, async (db) => {
        const keys = readKeyFiles(dataDir, KEY_NAMES);
        const manifest = await progress.step('Writing the backup', (step) =>
          writeBackup(file, {
            db,
            blobs: config.blobs,
            keys: args['without-keys'] ? new Map() : keys,
            secretKey: config.secretKey ?? keys.get('secret-key'),
            signal: interrupt.signal,
            onProgress: (part, bytes) => step.detail(`${part}, ${formatBytes(bytes)}`),
          }),
        );
        const jobs = manifest.rows.jobs?.count ?? 0;
        process.stdout.write(`${file.name} has ${jobs} jobs and ${formatBytes(sizeOf(manifest))}.\n`);
      }),
    );
  },
});

/**
 * Runs work with the URL of the database: the configured one, else that of the running instance, else that of an
 * embedded Postgres that is started without the rest.
 * @throws ServiceError `BAD_REQUEST` if there is no data
 */
async function withDatabaseUrl<T>(
  {
    config,
    dataDir,
    progress,
    interrupt,
  }: { config: Config; dataDir: string; progress: TerminalProgress; interrupt: Interrupt },
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl) return work(config.databaseUrl);
  if (!hasPostgres(dataDir))
    throw new ServiceError(
      'BAD_REQUEST',
      `There is no data of Winnow in ${dataDir}. Set WINNOW_DATA_DIR or DATABASE_URL to those of the service.`,
    );
  const running = await waitForInstance(dataDir, interrupt.signal);
  if (running) return work(runningDatabaseUrl(dataDir));
  return withPostgresAlone({ dataDir, progress, ...interrupt }, work);
}
