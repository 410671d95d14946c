import { sql } from 'kysely';
import type { Database } from './client.ts';

/** A copy in the cache: where its snapshot lies, and when it was fetched. */
export interface CacheEntry {
  blob: string;
  fetchedAt: Date;
}

/**
 * The newest copy under a key within bounds of age.
 * @param age least and greatest age in milliseconds
 */
export async function findCached(
  db: Database,
  key: Buffer,
  age: { minMs: number; maxMs: number },
): Promise<CacheEntry | undefined> {
  return db.query
    .selectFrom('cache_entries')
    .select(['blob', 'fetched_at as fetchedAt'])
    .where('key', '=', key)
    .where('fetched_at', '<=', sql<Date>`now() - make_interval(secs => ${age.minMs / 1000})`)
    .where('fetched_at', '>', sql<Date>`now() - make_interval(secs => ${age.maxMs / 1000})`)
    .orderBy('fetched_at', 'desc')
    .executeTakeFirst();
}

/** Adds a copy under a key. */
export async function storeCached(db: Database, key: Buffer, entry: CacheEntry): Promise<void> {
  await db.query
    .insertInto('cache_entries')
    .values({ key, blob: entry.blob, fetched_at: entry.fetchedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
