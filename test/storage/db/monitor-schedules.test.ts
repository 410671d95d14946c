import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  type MonitorSchedules,
  restoreSchedules,
  ScheduleCount,
} from '../../../src/jobs/monitors/schedules.ts';
import { insertMonitor } from '../../../src/storage/db/monitors/monitors.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';

const db = useOwnDatabase();

it('upkeep lists the schedules of monitors again only if their number is wrong', async () => {
  const team = await makeTeam(db);
  const stored = new Set<string>();
  let listings = 0;
  const schedules: MonitorSchedules = {
    put: async ({ id }) => void stored.add(id),
    remove: async (id) => void stored.delete(id),
    async *list() {
      listings++;
      yield* [...stored];
    },
    count: async () => stored.size,
  };
  const faults: unknown[] = [];
  const count = new ScheduleCount();
  const round = () => restoreSchedules(db, schedules, { count, onFault: (error) => faults.push(error) });
  const add = () =>
    insertMonitor(
      db.query,
      {
        id: randomUUID(),
        team_id: team.id,
        api_key_id: null,
        tags: [],
        name: 'x',
        cron: '0 9 * * *',
        timezone: 'UTC',
        runs_per_month: 30,
        targets: '[]',
        webhook: null,
        notification: null,
        base_url: 'http://winnow.test',
        retention_days: 1,
        goal: null,
        judge_enabled: false,
        check_credits: 1,
      },
      100,
    );
  const { id } = await add();
  await round();
  await round();
  expect([...stored]).toEqual([id]);
  const before = listings;
  // New monitors are stored as such, and need no listing.
  await add();
  await round();
  await round();
  expect([stored.size, listings]).toEqual([2, before]);
  stored.delete(id);
  await round();
  expect(stored.has(id)).toBe(true);
  stored.add(randomUUID());
  await round();
  expect(stored.size).toBe(2);
  expect(faults).toEqual([]);
});
