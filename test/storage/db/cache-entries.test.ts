import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { addCacheEntries, findCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

/** How the copies of pages in the cache are looked up. */

/** Postgres plans a prepared statement five times before it may keep a plan. */
const ALWAYS_PLANNED = 5;

const db = useDatabase();

let teamId: string;
beforeAll(async () => {
  teamId = (await makeTeam(db)).id;
});

const query = (key: Buffer) => ({ key, teamId, minMs: 0, maxMs: 60_000 });

const sharing = [
  ['of a team', false],
  ['of all teams', true],
] as const;

it.each(sharing)('copies %s are found in the order of the queries', async (_whose, isShared) => {
  const [one, other, missing] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const entry = {
    teamId,
    fetchedAt: new Date(Date.now() - 1_000),
    files: [{ hash: randomBytes(8).toString('hex'), bytes: 1 }],
  };
  await addCacheEntries(db, [
    { ...entry, key: one, blob: 'one' },
    { ...entry, key: other, blob: 'other' },
  ]);
  const found = await findCacheEntries(db, [other, missing, one].map(query), { isShared });
  expect(found.map((copy) => copy?.blob)).toEqual(['other', undefined, 'one']);
});

it.each(sharing)(
  'the look-up of copies %s is not planned anew each time, however many are looked up at once',
  async (_whose, isShared) => {
    const plans = await db.query.transaction().execute(async (transaction) => {
      const keys = Array.from({ length: 3 * ALWAYS_PLANNED }, () => randomBytes(32));
      for (const key of keys) await findCacheEntries({ query: transaction }, [query(key)], { isShared });
      await findCacheEntries({ query: transaction }, keys.map(query), { isShared });
      const { rows } = await sql<{ custom_plans: number }>`
      select custom_plans from pg_prepared_statements where statement like '%from cache_entries%'
        and statement ${sql.raw(isShared ? 'not like' : 'like')} '%cache_entries.team_id%'`.execute(
        transaction,
      );
      return rows;
    });
    expect(plans).toEqual([{ custom_plans: ALWAYS_PLANNED }]);
  },
);

it('a copy by a worker whose clock is ahead is as old as all that are stored at that moment', async () => {
  const key = randomBytes(32);
  const fetchedAt = new Date(Date.now() + 86_400_000);
  const files = [{ hash: randomBytes(8).toString('hex'), bytes: 1 }];
  await addCacheEntries(db, [{ teamId, key, blob: 'ahead', fetchedAt, files }]);
  const stored = db.query
    .selectFrom('cache_entries')
    .select(sql<boolean>`fetched_at <= now()`.as('isPast'))
    .where('key', '=', key)
    .executeTakeFirst();
  expect(await stored).toEqual({ isPast: true });
});
