import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '../../../src/storage/db/client.ts';
import { chooseSessionHost, reportWorker } from '../../../src/storage/db/workers.ts';
import { useDatabase } from '../../support/storage/database.ts';

const db = useDatabase();

const ROLLBACK = new Error('the workers of the service are back');

it('a new session goes to a host with memory for it, and not to one that failed to start it', async () => {
  const tested = db.query.transaction().execute(async (query) => {
    const own: Database = { ...db, query };
    // The workers of the service report again when the test is over.
    await sql`lock table workers in share row exclusive mode`.execute(query);
    await sql`delete from workers`.execute(query);
    expect(await chooseSessionHost(own)).toBeUndefined();
    const ids: Record<string, string> = { full: randomUUID(), free: randomUUID(), other: randomUUID() };
    const report = (queue: string, hasRoom: boolean) =>
      reportWorker(own, { id: ids[queue]!, roles: [], host: { url: `http://${queue}`, queue }, hasRoom });
    for (const [queue, hasRoom] of [
      ['full', false],
      ['free', true],
      ['other', true],
    ] as const)
      await report(queue, hasRoom);
    const choose = async (excluded: string[]) => (await chooseSessionHost(own, excluded))?.queue;
    expect(await choose(['other'])).toBe('free');
    expect(await choose(['free'])).toBe('other');
    // Its memory may have become free since it reported.
    expect(await choose(['free', 'other'])).toBe('full');
    expect(await choose(['free', 'other', 'full'])).toBeUndefined();
    await report('free', false);
    expect(await choose([])).toBe('other');
    throw ROLLBACK;
  });
  await expect(tested).rejects.toBe(ROLLBACK);
});
