import { promises as fs } from 'node:fs';
import path from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { FileMigrationProvider, type Migration, Migrator } from 'kysely/migration';
import type { PoolClient } from 'pg';
import { ServiceError } from '../../errors.ts';
import type { Database } from './client.ts';

const migrationFolder = path.join(import.meta.dirname, '../../../migrations');
const provider = new FileMigrationProvider({ fs, path, migrationFolder });
/**
 * The end of the names of migrations that remove or rename what earlier versions use. All others only add, so that
 * processes of the version before go on and can be started beside newer ones.
 */
export const CONTRACT = '-contract';

/**
 * Migrates the database to the newest schema. Several processes may call it at once, because Kysely holds a
 * lock. What a newer version has added is left as it is.
 * @returns the names of the migrations that ran
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the database does not respond, `BAD_REQUEST` if a newer version has
 * removed what this one uses
 */
export async function migrate(db: Database): Promise<string[]> {
  const newer = await findNewerMigrations(db);
  const contract = newer.find((name) => name.endsWith(CONTRACT));
  if (contract !== undefined)
    throw new ServiceError(
      'BAD_REQUEST',
      `A newer version of Winnow has changed the database (${contract}) so that this version cannot work with it. Start the newer version, or restore a backup from before the upgrade.`,
    );
  const ran: Migration = { up: async () => undefined };
  const known = async () => ({
    ...(await provider.getMigrations()),
    ...Object.fromEntries(newer.map((name) => [name, ran])),
  });
  const migrator = new Migrator({ db: db.patient.query, provider: { getMigrations: known } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map((result) => result.migrationName);
}

/** Lists the migrations of the database that come after those of this version. */
async function findNewerMigrations({ patient: { pool } }: Database): Promise<string[]> {
  const last = (await listKnownMigrations()).at(-1) ?? '';
  return (await listMigrations(pool)).filter((name) => name > last);
}

/** Lists the migrations that have run in the current schema, in their order; none if it has no table of them. */
export async function listMigrations(client: Pick<PoolClient, 'query'>): Promise<string[]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass(quote_ident(current_schema()) || '.kysely_migration') is not null as exists`,
  );
  if (!found[0]?.exists) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
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
  if (error) throw error;
}
