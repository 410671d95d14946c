import { escapeIdentifier, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ServiceError } from '../../../errors.ts';
import type { Database } from '../client.ts';
import { listMigrations } from '../migrate.ts';
import { type CopiedTable, columnList, listTables, usePortableText } from './copied-tables.ts';
import { whileNotSwept } from './sweep-lock.ts';

/** The state of the database at one moment, however long it takes to read. */
export interface DatabaseSnapshot {
  /** The migrations that have run, in their order. */
  migrations: string[];
  tables: CopiedTable[];
  /** Streams the rows of a table as the text format of COPY, without those of jobs with zero data retention. */
  copy(table: CopiedTable): AsyncIterable<Buffer> & { readonly rowCount: number };
  /** Lists the keys of blobs that belong to jobs with zero data retention. */
  listWithheldBlobs(): Promise<string[]>;
}

/**
 * Reads the database at one moment.
 * @param read gets the snapshot, which ends with it
 * @param afterwards runs while files are still kept from being deleted, so that it finds all that the rows name
 * @throws ServiceError `BAD_REQUEST` if the database has no schema of this service
 */
export async function withSnapshot(
  db: Database,
  read: (snapshot: DatabaseSnapshot) => Promise<void>,
  afterwards: () => Promise<void>,
): Promise<void> {
  await whileNotSwept(db, async () => {
    await readAtOnce(db, read);
    // Old versions of rows can be removed again, while files are copied.
    await afterwards();
  });
}

async function readAtOnce(db: Database, read: (snapshot: DatabaseSnapshot) => Promise<void>): Promise<void> {
  const client = await db.patient.pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await usePortableText(client);
    await read(await openSnapshot(client));
    await client.query('commit');
  } finally {
    // The connection may be in the middle of a copy.
    client.release(true);
  }
}

async function openSnapshot(client: PoolClient): Promise<DatabaseSnapshot> {
  const migrations = await listMigrations(client);
  if (!migrations.length)
    throw new ServiceError(
      'BAD_REQUEST',
      'The database has no tables of Winnow, so there is nothing to back up. Check DATABASE_URL and WINNOW_DATA_DIR.',
    );
  const tables = await listTables(client);
  const conditions = await findWithheld(client);
  return {
    migrations,
    tables,
    copy({ name, columns }) {
      const rows = `select ${columnList(columns)} from ${escapeIdentifier(name)} ${conditions.get(name) ?? ''}`;
      return client.query(copyTo(`copy (${rows}) to stdout`));
    },
    async listWithheldBlobs() {
      const { rows } = await client.query<{ blob: string }>(WITHHELD_BLOBS);
      return rows.map(({ blob }) => blob);
    },
  };
}

const WITHHELD_BLOBS = ['results', 'pages', 'agent_steps', 'uploads']
  .map(
    (table) =>
      `select blob from ${table} join jobs on jobs.id = job_id where wrapped_key is not null and blob is not null`,
  )
  .join(' union ');

/**
 * Finds the tables with rows that belong to jobs with zero data retention.
 * @returns the condition that leaves them out, by table. The ledger keeps what such a job has cost.
 */
async function findWithheld(client: PoolClient): Promise<Map<string, string>> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select relname as table, attname as column from pg_class
      join pg_attribute on attrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'credit_entries'
      and (attname = 'job_id' or exists (
        select from pg_constraint where conrelid = pg_class.oid and conkey = array[attnum]
          and contype = 'f' and confrelid = 'jobs'::regclass))`);
  const conditions = new Map([['jobs', 'where wrapped_key is null']]);
  for (const { table, column } of rows) {
    const name = `${escapeIdentifier(table)}.${escapeIdentifier(column)}`;
    const isKept = `not exists (select from jobs as withheld where withheld.id = ${name} and withheld.wrapped_key is not null)`;
    const known = conditions.get(table);
    conditions.set(table, known ? `${known} and ${isKept}` : `where ${isKept}`);
  }
  return conditions;
}
