import type { Database } from '../../storage/db/client.ts';
import { migrate } from '../../storage/db/migrate.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { tellParent } from './tell-parent.ts';
import { waitForDependency } from './wait-for-dependency.ts';

const ALIVE_EVERY_MS = 5_000;
/** The first sign of life is logged, and then every sixth, which is one in half a minute. */
const LOGGED_TURNS = 6;

/**
 * Migrates the database of this process to the newest schema, or waits until another process has done so.
 * Large tables may take minutes. The parent process, which would end a start that takes too long, is told
 * meanwhile that this one lives, and so is the log.
 * @throws what `waitForDependency` and the migrations throw
 */
export async function migrateDatabase(db: Database, logger: Logger): Promise<void> {
  const startedAt = performance.now();
  const onFault = (error: unknown) =>
    logger.debug({ err: error }, 'the parent process was not told that a migration runs');
  let turns = 0;
  const signOfLife = () => {
    // Without a parent, the migration goes on.
    tellParent({ starting: true }, onFault);
    if (turns++ % LOGGED_TURNS > 0) return;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    logger.info({ seconds }, 'the database is being migrated, by this process or by one that it waits for');
  };
  const alive = every(ALIVE_EVERY_MS, signOfLife, onFault);
  try {
    await waitForDependency(() => migrate(db), logger);
  } finally {
    clearInterval(alive);
  }
}
