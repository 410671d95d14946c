import { promises as fs } from 'node:fs';
import path from 'node:path';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { type Database, translateDatabaseError } from './client.ts';

const migrationFolder = path.join(import.meta.dirname, '../../../migrations');

/**
 * Migrates the database to the newest schema. Several processes may call it at once, because Kysely holds a
 * lock.
 * @returns the names of the migrations that ran
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the database does not respond
 */
export async function migrate(db: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: db.query,
    provider: new FileMigrationProvider({ fs, path, migrationFolder }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw translateDatabaseError(error);
  return results.map((result) => result.migrationName);
}
