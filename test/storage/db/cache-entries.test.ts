import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { addCacheEntries, findCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { useDatabase } from '../../support/storage/database.ts';

/** How the copies of pages in the cache are looked up. */

/** Postgres plans a prepared statement five times before it may keep a plan. */
const ALWAYS_PLANNED = 5;

const db = useDatabase();

const query = (key: Buffer) => ({ key, minMs: 0, maxMs: 60_000 });

it('copies are found in the order of the queries', async () => {
  const [one, other, missing] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const entry = {
    fetchedAt: new Date(Date.now() - 1_000),
    files: [{ hash: randomBytes(8).toString('hex'), bytes: 1 }],
  };
  await addCacheEntries(db, [
    { ...entry, key: one, blob: 'one' },
    { ...entry, key: other, blob: 'other' },
  ]);
  const found = await findCacheEntries(db, [other, missing, one].map(query));
  expect(found.map((copy) => copy?.blob)).toEqual(['other', undefined, 'one']);
});

it('the look-up of a copy is not planned anew each time, however many are looked up at once', async () => {
  const plans = await db.query.transaction().execute(async (transaction) => {
    const keys = Array.from({ length: 3 * ALWAYS_PLANNED }, () => randomBytes(32));
    for (const key of keys) await findCacheEntries({ query: transaction }, [query(key)]);
    await findCacheEntries({ query: transaction }, keys.map(query));
    const { rows } = await sql<{ custom_plans: number }>`
      select custom_plans from pg_prepared_statements where statement like '%from cache_entries%'`.execute(
      transaction,
    );
    return rows;
  });
  expect(plans).toEqual([{ custom_plans: ALWAYS_PLANNED }]);
});
