import { expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import {
  ensureFirstTeam,
  findCaller,
  findFirstTeam,
  findTeam,
  listKeys,
  makeKey,
} from '../../src/db/teams.ts';
import { openEmptyDatabase } from '../support/database.ts';

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
