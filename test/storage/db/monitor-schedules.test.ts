import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  type MonitorSchedules,
  restoreSchedules,
  ScheduleCount,
} from '../../../src/jobs/monitors/schedules.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { storeMonitor } from '../../support/storage/monitors.ts';

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
  const add = () => storeMonitor(db, { team_id: team.id });
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
