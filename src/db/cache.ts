import { sql } from 'kysely';
import type { Database } from './client.ts';

/** A copy in the cache: where its snapshot lies, and when it was fetched. */
export interface CacheEntry {
  key: Buffer;
  blob: string;
  fetchedAt: Date;
}

/** Which copy is wanted: one of at least and of less than this age, in milliseconds. */
export interface CacheQuestion {
  key: Buffer;
  minMs: number;
  maxMs: number;
}

/** The newest copy for each question, in order; `undefined` where there is none. */
export async function findCached(
  db: Database,
  asked: CacheQuestion[],
): Promise<({ blob: string } | undefined)[]> {
  const { rows } = await sql<{ place: number; blob: string }>`
    select place, copy.blob
    from unnest(${asked.map(({ key }) => key)}::bytea[], ${asked.map(({ minMs }) => minMs / 1000)}::float8[],
      ${asked.map(({ maxMs }) => maxMs / 1000)}::float8[]) with ordinality as asked (key, least, most, place)
    cross join lateral (
      select blob from cache_entries
      where cache_entries.key = asked.key
        and fetched_at <= now() - make_interval(secs => least)
        and fetched_at > now() - make_interval(secs => most)
      order by fetched_at desc limit 1
    ) as copy`.execute(db.query);
  const found = new Map(rows.map((row) => [row.place, row]));
  return asked.map((_, index) => found.get(index + 1));
}

/** Adds copies under their keys. */
export async function storeCached(db: Database, entries: CacheEntry[]): Promise<void> {
  await db.query
    .insertInto('cache_entries')
    .values(entries.map(({ key, blob, fetchedAt }) => ({ key, blob, fetched_at: fetchedAt })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Forgets copies older than this. @returns how many there were */
export async function forgetCached(db: Database, before: Date): Promise<number> {
  const { numDeletedRows } = await db.query
    .deleteFrom('cache_entries')
    .where('fetched_at', '<', before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
