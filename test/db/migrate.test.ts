import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  ensureFirstTeam,
  findCaller,
  findFirstTeam,
  findTeam,
  listKeys,
  makeKey,
} from '../../src/db/teams.ts';
import { runningDatabaseUrl } from '../../src/embedded/postgres.ts';
import { openTestDatabase } from '../support/database.ts';

/** Opens a database of its own on the shared instance's server, empty, and drops it in the end. */
async function openEmptyDatabase() {
  const server = openTestDatabase();
  const name = `empty_${Date.now()}`;
  await sql`create database ${sql.id(name)}`.execute(server.query);
  const url = new URL(runningDatabaseUrl(inject('service').dataDir));
  url.pathname = `/${name}`;
  const open = () =>
    openDatabase(url.href, (error) => {
      throw error;
    });
  return {
    open,
    async [Symbol.asyncDispose]() {
      await sql`drop database ${sql.id(name)}`.execute(server.query);
      await server.close();
    },
  };
}

it('several processes that start at once make the schema once, and the first team once', async () => {
  await using empty = await openEmptyDatabase();
  const processes = [empty.open(), empty.open(), empty.open()];
  try {
    const ran = await Promise.all(processes.map(migrate));
    expect(ran.flat().filter((name) => name === '0001-spine')).toHaveLength(1);
    expect(await migrate(processes[0]!)).toEqual([]);

    const db = processes[0]!;
    const [key, newKey] = [makeKey(), makeKey()];
    await Promise.all(processes.map((each) => ensureFirstTeam(each, key, 10)));
    const first = await findCaller(db, key);
    expect(first).toMatchObject({ creditsRemaining: 10, creditsPlanned: 10, concurrency: 50 });
    expect((await findFirstTeam(db))?.teamId).toBe(first?.teamId);

    // A key given anew replaces the old one; credits that are left stay.
    await ensureFirstTeam(db, newKey, 99);
    expect(await findCaller(db, key)).toBeUndefined();
    expect(await findCaller(db, newKey)).toMatchObject({ teamId: first?.teamId, creditsRemaining: 10 });
    expect(await listKeys(db, (await findTeam(db, 'default')).id)).toHaveLength(1);
  } finally {
    await Promise.all(processes.map((each) => each.close()));
  }
});
