import type { Database } from '../../storage/db/client.ts';
import { migrate } from '../../storage/db/migrate.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { waitForDependency } from './wait-for-dependency.ts';

const ALIVE_EVERY_MS = 5_000;

/**
 * Migrates the database of this process to the newest schema, or waits until another process has done so.
 * Large tables may take minutes. The parent process, which would end a start that takes too long, is told
 * meanwhile that this one lives.
 * @throws what `waitForDependency` and the migrations throw
 */
export async function migrateDatabase(db: Database, logger: Logger): Promise<void> {
  // Without a parent, the migration goes on.
  const alive = every(
    ALIVE_EVERY_MS,
    () => process.connected && process.send?.({ starting: true }),
    (error) => logger.debug({ err: error }, 'the parent process was not told that a migration runs'),
  );
  try {
    await waitForDependency(() => migrate(db), logger);
  } finally {
    clearInterval(alive);
  }
}
