import type { Database } from '../../storage/db/client.ts';
import { migrate } from '../../storage/db/migrate.ts';
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
  const alive = setInterval(() => process.connected && process.send?.({ starting: true }), ALIVE_EVERY_MS);
  try {
    await waitForDependency(() => migrate(db), logger);
  } finally {
    clearInterval(alive);
  }
}
