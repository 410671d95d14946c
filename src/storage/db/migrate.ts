import { promises as fs } from 'node:fs';
import path from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import type { PoolClient } from 'pg';
import { type Database, translateDatabaseError } from './client.ts';

const migrationFolder = path.join(import.meta.dirname, '../../../migrations');
const provider = new FileMigrationProvider({ fs, path, migrationFolder });

/**
 * Migrates the database to the newest schema. Several processes may call it at once, because Kysely holds a
 * lock.
 * @returns the names of the migrations that ran
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the database does not respond
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results = [] } = await new Migrator({ db: db.query, provider }).migrateToLatest();
  if (error) throw translateDatabaseError(error);
  return results.map((result) => result.migrationName);
}

/** Lists the names of all migrations of this version, in their order. */
export const listKnownMigrations = async (): Promise<string[]> =>
  Object.keys(await provider.getMigrations()).sort();

/**
 * Migrates a schema of the database within the transaction of a connection, whose search path it is.
 * @param target.last the last migration to run; without it, all run
 */
export async function migrateWithin(
  client: PoolClient,
  { schema, last }: { schema: string; last?: string | undefined },
): Promise<void> {
  // Every statement runs on the same connection, which stays that of the caller.
  const connection = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => connection, end: async () => undefined, options: {} };
  const migrator = new Migrator({
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }),
    provider,
    migrationTableSchema: schema,
    disableTransactions: true,
  });
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw translateDatabaseError(error);
}
