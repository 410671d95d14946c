import { escapeIdentifier, type PoolClient } from 'pg';

/**
 * Moves all tables and functions from one schema to another, where they take the place of those with the same
 * names, and deletes the schema that is empty then.
 */
export async function replaceTables(
  client: PoolClient,
  schemas: { from: string; to: string },
): Promise<void> {
  const from = escapeIdentifier(schemas.from);
  const to = escapeIdentifier(schemas.to);
  await continueIdentities(client);
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = $1::regnamespace`,
    [from],
  );
  const { rows: functions } = await client.query<{ signature: string }>(
    `select quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')' as signature
    from pg_proc where pronamespace = $1::regnamespace`,
    [from],
  );
  for (const name of tables.map((table) => escapeIdentifier(table.name))) {
    await client.query(`drop table if exists ${to}.${name} cascade`);
    await client.query(`alter table ${from}.${name} set schema ${to}`);
  }
  for (const { signature } of functions) {
    await client.query(`drop function if exists ${to}.${signature} cascade`);
    await client.query(`alter function ${from}.${signature} set schema ${to}`);
  }
  await client.query(`drop schema ${from}`);
}

/** Copied rows have their numbers; new ones of the current schema have to follow them. */
async function continueIdentities(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select relname as table, attname as column from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attidentity <> ''`);
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence(quote_ident($1), $2), greatest(max(${escapeIdentifier(column)}), 1))
      from ${escapeIdentifier(table)}`,
      [table, column],
    );
  }
}
