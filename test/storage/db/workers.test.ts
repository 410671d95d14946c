import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { chooseSessionHost, reportWorker } from '../../../src/storage/db/workers.ts';
import { useOwnDatabase } from '../../support/storage/database.ts';

const db = useOwnDatabase();

it('a new session goes to a host with memory for it, and not to one that failed to start it', async () => {
  expect(await chooseSessionHost(db)).toBeUndefined();
  const ids: Record<string, string> = { full: randomUUID(), free: randomUUID(), other: randomUUID() };
  const report = (queue: string, hasRoom: boolean) =>
    reportWorker(db, { id: ids[queue]!, roles: [], host: { url: `http://${queue}`, queue }, hasRoom });
  for (const [queue, hasRoom] of [
    ['full', false],
    ['free', true],
    ['other', true],
  ] as const)
    await report(queue, hasRoom);
  const choose = async (excluded: string[]) => (await chooseSessionHost(db, excluded))?.queue;
  expect(await choose(['other'])).toBe('free');
  expect(await choose(['free'])).toBe('other');
  // Its memory may have become free since it reported.
  expect(await choose(['free', 'other'])).toBe('full');
  expect(await choose(['free', 'other', 'full'])).toBeUndefined();
  await report('free', false);
  expect(await choose([])).toBe('other');
});
