import { resolve } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { runningDatabaseUrl } from '../run/embedded/postgres.ts';
import { TerminalProgress } from '../run/embedded/terminal-progress.ts';
import { type Database, openDatabase, translateDatabaseError } from '../storage/db/client.ts';
import { migrate } from '../storage/db/migrate.ts';
import { withInstance } from './connection.ts';
import { onInterrupt } from './interrupt.ts';

/**
 * Runs work on the configured database, else on that of the running instance, which is started if necessary.
 */
export async function withDatabase<T>(work: (db: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
  if (config.databaseUrl) return runOnDatabase(config.databaseUrl, config, work);
  const progress = new TerminalProgress();
  const interrupt = onInterrupt(progress.note);
  return withInstance({ config, progress, interrupt }, () =>
    runOnDatabase(runningDatabaseUrl(resolve(config.dataDir)), config, work),
  );
}

const runOnDatabase = <T>(
  url: string,
  config: Config,
  work: (db: Database, config: Config) => Promise<T>,
): Promise<T> =>
  withOpenDatabase(url, async (db) => {
    await migrate(db);
    return work(db, config);
  });

/** Runs work on a database, whose schema stays as it is. */
export async function withOpenDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, (error) =>
    process.stderr.write(`Database connection lost: ${error.message}\n`),
  );
  try {
    return await work(db);
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    await db.close();
  }
}
