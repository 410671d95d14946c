import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openEmptyDatabase } from '../../support/storage/database.ts';

/** The lock that Kysely holds while it migrates. */
const MIGRATION_LOCK = sql.lit(3853314791062309107n);

const PROGRAM = `
import { openDatabase } from './src/storage/db/client.ts';
import { createLogger } from './src/system/logger.ts';
import { migrateDatabase } from './src/run/process/migrate-database.ts';
const db = openDatabase(process.env.DATABASE_URL, console.error);
await migrateDatabase(db, createLogger('worker', 'info'));
await db.close();
process.disconnect();
`;

it('a process says to its parent and to the log that it lives until another one has migrated the database', async () => {
  await using empty = await openEmptyDatabase();
  const db = empty.open();
  let log: Promise<string> | undefined;
  const child = await db.query.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection);
    const started = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, DATABASE_URL: empty.url },
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    log = text(started.stderr!);
    expect((await once(started, 'message'))[0]).toEqual({ starting: true });
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection);
    return started;
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await log).toContain('the database is being migrated');
  expect((await sql`select 1 from jobs`.execute(db.query)).rows).toEqual([]);
  await db.close();
});
