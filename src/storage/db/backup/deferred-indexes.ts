import { escapeIdentifier, type PoolClient } from 'pg';

/**
 * Removes the foreign keys and indexes of the current schema, all but those of primary keys and unique constraints:
 * a table is filled in a fraction of the time when its rows are checked and sorted at once.
 * @returns what makes them again
 */
export async function deferIndexes(client: PoolClient): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(`
    select relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where connamespace = current_schema()::regnamespace and contype = 'f'`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
    select relname as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid)`);
  for (const { table, name } of keys)
    await client.query(`alter table ${escapeIdentifier(table)} drop constraint ${escapeIdentifier(name)}`);
  for (const { name } of indexes) await client.query(`drop index ${escapeIdentifier(name)}`);
  return async () => {
    for (const { definition } of indexes) await client.query(definition);
    for (const { table, name, definition } of keys)
      await client.query(
        `alter table ${escapeIdentifier(table)} add constraint ${escapeIdentifier(name)} ${definition}`,
      );
  };
}
