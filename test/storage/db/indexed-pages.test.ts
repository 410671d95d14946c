import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { makePageEntry } from '../../../src/content/indexing/page-entry.ts';
import { queryTerms } from '../../../src/content/indexing/query-terms.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { migrate } from '../../../src/storage/db/migrate.ts';
import {
  addIndexedPage,
  addIndexedPages,
  deleteOldIndexedPages,
  findIndexedPages,
} from '../../../src/storage/db/pages/indexed-pages.ts';
import { createTeam } from '../../../src/storage/db/teams/teams.ts';
import { openEmptyDatabase } from '../../support/storage/database.ts';

/** More pages than are read for one word. */
const PAGES = 1_500;

/** Opens an empty index in a database of its own. */
async function openIndex() {
  const empty = await openEmptyDatabase();
  const db = empty.open();
  await migrate(db);
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await empty[Symbol.asyncDispose]();
    },
  };
}

/** Indexes pages that all have the word "harbour", each with a word of its own, for a new team. */
async function indexPages(db: Database, count = PAGES): Promise<string> {
  const teamId = await createTeam(db, 'team', null);
  const entries = Array.from({ length: count }, (_, number) =>
    makePageEntry({
      url: `https://a.test/${number}`,
      fetchedAt: number,
      documentType: undefined,
      metadata: {},
      fields: { markdown: `A harbour with the name${number} and a pier${number % 2} or quay${number % 3}.` },
    }),
  );
  await addIndexedPages(db.query, teamId, entries);
  return teamId;
}

/** The number of updates that changed no index (heap-only tuples). */
async function updatesWithoutIndexes(db: Database): Promise<number> {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ updates: number }>(
    `select n_tup_hot_upd::int as updates from pg_stat_user_tables where relname = 'indexed_pages'`,
  );
  return rows[0]!.updates;
}

const find = (db: Database, teamId: string, query: string) =>
  findIndexedPages(
    db,
    { teamId, terms: queryTerms(query, 'en'), includeDomains: [], excludeDomains: [], anyOf: undefined },
    5,
  );

it('pages are looked up by the rare words of a query, as soon as Postgres knows which ones are rare', async () => {
  await using index = await openIndex();
  const { db } = index;
  // Postgres itself would analyze the table at any time.
  await db.pool.query('alter table indexed_pages set (autovacuum_enabled = off)');
  const teamId = await indexPages(db);
  const query = 'harbour name7 name8 name1400';
  const lookups = async () => {
    const { pages, terms } = await find(db, teamId, query);
    const urls = pages.map(({ url }) => url).sort();
    return { urls: urls.slice(0, 5), lookedUp: terms.map(({ isInScore }) => isInScore) };
  };
  const before = await lookups();
  expect(before.lookedUp).toEqual([true, true, true, true]);
  expect(before.urls).toEqual(expect.arrayContaining(['https://a.test/7', 'https://a.test/8']));
  await db.pool.query('analyze indexed_pages');
  const { terms } = await find(db, teamId, query);
  expect((await lookups()).lookedUp).toEqual([false, true, true, true]);
  expect((await lookups()).urls).toEqual(['1400', '7', '8'].map((number) => `https://a.test/${number}`));
  const [common, rare] = terms.map(({ weight }) => weight);
  expect(common).toBeCloseTo(Math.log(2), 1);
  expect(rare).toBeGreaterThan(5);
  // A query of common words has nothing else to look pages up by.
  const { pages, terms: all } = await find(db, teamId, 'harbour');
  expect(pages).toHaveLength(5);
  expect(all.map(({ isInScore }) => isInScore)).toEqual([true]);
  // If no page has the rare words of a query, its common words are looked up.
  expect((await find(db, teamId, 'harbour unheard')).pages).toHaveLength(5);
});

it('no word is common in an index of a few pages', async () => {
  await using index = await openIndex();
  const { db } = index;
  const teamId = await indexPages(db, 5);
  await db.pool.query('analyze indexed_pages');
  const { terms } = await find(db, teamId, 'harbour name3');
  expect(terms.map(({ isInScore }) => isInScore)).toEqual([true, true]);
});

it('a page keeps the longest text of the same copy, and its text when a newer document has none', async () => {
  await using index = await openIndex();
  const { db } = index;
  const teamId = await createTeam(db, 'team', null);
  const add = (fetchedAt: number, fields: Record<string, unknown>) =>
    addIndexedPages(db.query, teamId, [
      makePageEntry({
        url: 'https://a.test/',
        documentType: undefined,
        metadata: { title: 'Lamps' },
        fetchedAt,
        fields,
      }),
    ]);
  const stored = async () => {
    const { pages } = await find(db, teamId, 'lamps');
    return pages.map(({ content, fetchedAt }) => [content, fetchedAt.getTime()]);
  };
  await add(1_000, { summary: 'Short.' });
  await add(1_000, { markdown: 'A lamp made of brass.' });
  await add(1_000, { links: [] });
  expect(await stored()).toEqual([['A lamp made of brass.', 1_000]]);
  await add(2_000, { links: [] });
  expect(await stored()).toEqual([['A lamp made of brass.', 2_000]]);
  expect((await find(db, teamId, 'brass')).pages).toHaveLength(1);
  // Its new date left the index of words as it was.
  expect(await updatesWithoutIndexes(db)).toBe(1);
  await add(3_000, { markdown: 'A lamp.' });
  await add(2_500, { markdown: 'An older and longer text.' });
  expect(await stored()).toEqual([['A lamp.', 3_000]]);
  expect((await find(db, teamId, 'brass')).pages).toHaveLength(0);
});

it('the entry of a scrape is found at once, and its commit does not wait for the disk', async () => {
  await using index = await openIndex();
  const { db } = index;
  const teamId = await createTeam(db, 'team', null);
  const page = { url: 'https://a.test/', documentType: undefined, metadata: {}, fetchedAt: 1_000 };
  const entry = makePageEntry({ ...page, fields: { markdown: 'A lamp made of brass.' } });
  const commitOf = async (query: Database['query']) => {
    const { rows } = await sql<{
      mode: string;
    }>`select current_setting('synchronous_commit') as mode`.execute(query);
    return rows[0]!.mode;
  };
  const inTransaction = await db.query.transaction().execute(async (query) => {
    await addIndexedPage({ ...db, query }, teamId, entry);
    return commitOf(query);
  });
  expect(inTransaction).toBe('off');
  expect((await find(db, teamId, 'brass')).pages).toHaveLength(1);
  const ofJob = await db.query.transaction().execute(async (query) => {
    await addIndexedPages(query, teamId, [{ ...entry, fetchedAt: 2_000 }]);
    return commitOf(query);
  });
  expect(ofJob).toBe('on');
  expect(await commitOf(db.query)).toBe('on');
});

it('pages that are too old or too many are deleted, the oldest first', async () => {
  await using index = await openIndex();
  const { db } = index;
  await indexPages(db);
  const remaining = async () => {
    const { rows } = await db.pool.query<{ pages: number; oldest: Date }>(
      'select count(*)::int as pages, min(fetched_at) as oldest from indexed_pages',
    );
    return [rows[0]!.pages, rows[0]!.oldest.getTime()];
  };
  expect(await deleteOldIndexedPages(db, new Date(100), PAGES)).toBe(100);
  expect(await remaining()).toEqual([PAGES - 100, 100]);
  expect(await deleteOldIndexedPages(db, new Date(0), 1_000)).toBe(PAGES - 1_100);
  expect(await remaining()).toEqual([1_000, PAGES - 1_000]);
  // More are too many than too old.
  expect(await deleteOldIndexedPages(db, new Date(PAGES - 900), 200)).toBe(800);
  expect(await remaining()).toEqual([200, PAGES - 200]);
  expect(await deleteOldIndexedPages(db, new Date(0), 200)).toBe(0);
});

it('the deletion of pages that are too many ends, though others are added all the time', async () => {
  await using index = await openIndex();
  const { db } = index;
  await indexPages(db);
  await db.pool.query(`
      create function add_page() returns trigger language plpgsql as $$ begin
        insert into indexed_pages (team_id, url_key, url, title, description, content, content_key, words, fetched_at)
        select team_id, sha256(url_key), url, title, description, content, content_key, words, now() from indexed_pages limit 1;
        return null;
      end $$;
      create trigger add_page after delete on indexed_pages execute function add_page()`);
  expect(await deleteOldIndexedPages(db, new Date(0), 1_000)).toBe(PAGES - 1_000);
});
