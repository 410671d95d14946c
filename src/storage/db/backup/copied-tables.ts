import { escapeIdentifier, type PoolClient } from 'pg';

/** A table of a backup, with the columns in the order of its rows. */
export interface CopiedTable {
  name: string;
  columns: string[];
}

/**
 * Settings of a session in which rows are copied as text, so that the text means the same to another server.
 * No statement may be ended because it takes long.
 */
const PORTABLE_TEXT = `
  set local client_encoding to 'UTF8'; set local datestyle to 'ISO'; set local intervalstyle to 'postgres';
  set local extra_float_digits to 1; set local timezone to 'UTC'; set local statement_timeout to 0; set local lock_timeout to 0;
  set local idle_in_transaction_session_timeout to 0; set local idle_session_timeout to 0`;

/** Prepares a transaction for copying rows. */
export const usePortableText = (client: PoolClient) => client.query(PORTABLE_TEXT);

/**
 * Lists the tables of the current schema that are to be copied, each behind those that it refers to. Unlogged
 * tables have what is valid only while the service runs.
 */
export async function listTables(client: PoolClient): Promise<CopiedTable[]> {
  const { rows: tables } = await client.query<CopiedTable>(`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      and attgenerated = ''
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
      and relname not in ('kysely_migration', 'kysely_migration_lock')
    group by relname order by relname`);
  const { rows: references } = await client.query<{ source: string; target: string }>(`
    select source.relname as source, target.relname as target
    from pg_constraint
      join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace`);
  const sorted = new Map<string, CopiedTable>();
  const add = (table: CopiedTable, above: string[]) => {
    if (sorted.has(table.name) || above.includes(table.name)) return;
    const targets = references.filter(({ source }) => source === table.name).map(({ target }) => target);
    for (const each of tables.filter(({ name }) => targets.includes(name))) add(each, [...above, table.name]);
    sorted.set(table.name, table);
  };
  for (const table of tables) add(table, []);
  return [...sorted.values()];
}

/** Writes the names of columns as a list in SQL. */
export const columnList = (columns: string[]) => columns.map(escapeIdentifier).join(', ');
