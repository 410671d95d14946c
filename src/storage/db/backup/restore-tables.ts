import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { escapeIdentifier, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { ServiceError } from '../../../errors.ts';
import type { Database } from '../client.ts';
import { listKnownMigrations, listMigrations, migrateWithin } from '../migrate.ts';
import { type CopiedTable, columnList, listTables, usePortableText } from './copied-tables.ts';
import { deferIndexes } from './deferred-indexes.ts';
import { replaceTables } from './replace-tables.ts';
import { settleJobs } from './settle-jobs.ts';
import { takeRestoreLock } from './sweep-lock.ts';

/** What a database is restored from. */
export interface RestoredSnapshot {
  /** The migrations that had run when the rows were copied. */
  migrations: string[];
  tables: CopiedTable[];
  /** Replaces a database with jobs, too. */
  force: boolean;
}

/** Stores the rows of a table. @returns how many they were */
export type StoreRows = (table: CopiedTable, rows: AsyncIterable<Uint8Array>) => Promise<number>;

/** The tables are built here, beside those that they replace. */
const DRAFT_SCHEMA = 'winnow_restore';

/**
 * Checks that a backup can be restored by this version.
 * @throws ServiceError `BAD_REQUEST` if a newer version has made it
 */
export async function requireKnownMigrations(migrations: string[], version: string): Promise<void> {
  const known = new Set(await listKnownMigrations());
  if (migrations.every((name) => known.has(name))) return;
  throw new ServiceError(
    'BAD_REQUEST',
    `The backup was made by Winnow ${version}, whose database is newer than that of this version. Install that version or a later one, and restore with it.`,
  );
}

/**
 * Replaces the database by a snapshot, migrated to this version, in one transaction: whatever fails, the
 * database stays as it is.
 * @param load stores the rows of each table, and whatever belongs to them
 * @throws ServiceError `BAD_REQUEST` if the database is in use, restored by another process, or has jobs without
 * `force`
 */
export async function restoreTables(
  db: Database,
  snapshot: RestoredSnapshot,
  load: (store: StoreRows) => Promise<void>,
): Promise<void> {
  const client = await db.patient.pool.connect();
  try {
    await requireRoom(client, snapshot.force);
    await client.query('begin');
    await usePortableText(client);
    const { rows } = await client.query<{ schema: string }>('select current_schema() as schema');
    const schema = rows[0]?.schema ?? 'public';
    await client.query(`create schema ${DRAFT_SCHEMA}`);
    await client.query(`set local search_path to ${DRAFT_SCHEMA}`);
    await migrateWithin(client, { schema: DRAFT_SCHEMA, last: snapshot.migrations.at(-1) });
    await requireTables(client, snapshot.tables);
    const restoreIndexes = await deferIndexes(client);
    await load((table, content) => storeRows(client, table, content));
    await restoreIndexes();
    await migrateWithin(client, { schema: DRAFT_SCHEMA });
    await settleJobs(client);
    await replaceTables(client, { from: DRAFT_SCHEMA, to: schema });
    await client.query('commit');
  } finally {
    // Whatever is unfinished ends with the connection.
    client.release(true);
  }
}

async function requireRoom(client: PoolClient, force: boolean): Promise<void> {
  const refuse = (message: string) => {
    throw new ServiceError('BAD_REQUEST', message);
  };
  if (!(await untilClosed(() => takeRestoreLock(client))))
    refuse('Another restore works on the same database. Wait for its end, or stop it.');
  if (!(await untilClosed(async () => (await countOthers(client)) === 0)))
    refuse(
      `The database is in use: it has ${await countOthers(client)} other connections. Stop all API and worker processes (and other clients), and repeat the command.`,
    );
  const known = new Set(await listKnownMigrations());
  const migrations = await listMigrations(client);
  if (migrations.some((name) => !known.has(name)))
    refuse('The database belongs to a newer version of Winnow. Install that version, and restore with it.');
  if (force || !migrations.length) return;
  const { rows: jobs } = await client.query<{ exists: boolean }>(
    'select exists (select from jobs) as exists',
  );
  if (jobs[0]?.exists)
    refuse('The service already has jobs. --force replaces all that it has by what the backup has.');
}

/** Postgres lists a connection for a moment after its end. */
const CLOSING_MS = 2_000;
const POLL_MS = 100;

/** Repeats a check that connections which are just ending make fail. @returns whether it succeeded */
async function untilClosed(check: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + CLOSING_MS; ; await pause(POLL_MS)) {
    if (await check()) return true;
    if (performance.now() > deadline) return false;
  }
}

async function countOthers(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ others: number }>(`
    select count(*)::int as others from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
  return rows[0]?.others ?? 0;
}

/** @throws ServiceError `BAD_REQUEST` if the snapshot has a table or column that its migrations do not create */
async function requireTables(client: PoolClient, tables: CopiedTable[]): Promise<void> {
  const known = new Map((await listTables(client)).map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const missing = columns.find((column) => !known.get(name)?.has(column));
    if (known.has(name) && missing === undefined) continue;
    throw new ServiceError(
      'BAD_REQUEST',
      `The backup has the table ${name}${missing === undefined ? '' : ` with a column ${missing}`}, which is none of Winnow. Only Winnow may have tables in the schema of its database.`,
    );
  }
}

async function storeRows(
  client: PoolClient,
  { name, columns }: CopiedTable,
  rows: AsyncIterable<Uint8Array>,
): Promise<number> {
  const copy = client.query(copyFrom(`copy ${escapeIdentifier(name)} (${columnList(columns)}) from stdin`));
  await pipeline(rows, copy);
  return copy.rowCount;
}
