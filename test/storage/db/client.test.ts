import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { openEmptyDatabase } from '../../support/storage/database.ts';

it('a process has no more connections to the database than its setting says', async () => {
  await using empty = await openEmptyDatabase();
  const db = openDatabase(empty.url, () => undefined, { connections: 2 });
  try {
    const pidOf = async () => {
      const { rows } = await sql<{ pid: number }>`
        select pg_backend_pid() as pid, pg_sleep(0.05)::text as slept`.execute(db.query);
      return rows[0]!.pid;
    };
    const pids = await Promise.all(Array.from({ length: 8 }, pidOf));
    expect(new Set(pids).size).toBe(2);
    expect(db.pool.options.max).toBe(2);
  } finally {
    await db.close();
  }
});
