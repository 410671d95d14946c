import { sql } from 'kysely';
import { type Database, UNSYNCED_COMMIT } from '../client.ts';
import { PREPARED } from '../prepared-statements.ts';

/** A copy of a page in the cache. `blob` is the key of its snapshot in the store. */
export interface CacheEntry {
  key: Buffer;
  /** The team that fetched the page. */
  teamId: string;
  blob: string;
  fetchedAt: Date;
  /** The files that the copy needs. Without any one of them, it is unusable. */
  files: CacheFile[];
}

/** A file of the cache. `hash` is the key of its blob. Several copies may share a file. */
export interface CacheFile {
  hash: string;
  /** Size on disk. */
  bytes: number;
}

/** Query for a copy that is at least `minMs` old and younger than `maxMs`, both in milliseconds. */
export interface CacheQuery {
  key: Buffer;
  /** The team that asks. */
  teamId: string;
  minMs: number;
  maxMs: number;
}

/**
 * A century. No copy is older, and Postgres cannot subtract every number of milliseconds from a timestamp.
 */
const MAX_SECONDS = 3_155_760_000;
const toSeconds = (ms: number) => Math.min(ms / 1000, MAX_SECONDS);

/**
 * Finds the newest matching copy for each query, in order; `undefined` if there is none. It records when
 * the files of the copies were last used, to the hour.
 * @param options.isShared whether a team also finds the copies of all others, and those that belong to none
 */
export async function findCacheEntries(
  db: Pick<Database, 'query'>,
  queries: CacheQuery[],
  { isShared }: { isShared: boolean },
): Promise<({ blob: string } | undefined)[]> {
  // Postgres sees the lengths of arrays, but not through a subquery. With them, a plan for one query looks so
  // much better than one for any number that Postgres would plan each time.
  const { rows } = await sql<{ place: number; blob: string }>`${PREPARED}
    with found as (
      select place, copy.blob, copy.files
      from unnest((select ${queries.map(({ key }) => key)}::bytea[]),
        (select ${queries.map(({ teamId }) => teamId)}::uuid[]),
        (select ${queries.map(({ minMs }) => toSeconds(minMs))}::float8[]),
        (select ${queries.map(({ maxMs }) => toSeconds(maxMs))}::float8[])
      ) with ordinality as requested (key, team_id, min_seconds, max_seconds, place)
      cross join lateral (
        select blob, files from cache_entries
        where cache_entries.key = requested.key
          ${isShared ? sql`` : sql`and cache_entries.team_id = requested.team_id`}
          and fetched_at <= now() - make_interval(secs => min_seconds)
          and fetched_at > now() - make_interval(secs => max_seconds)
        order by fetched_at desc limit 1
      ) as copy
    ), used as (
      update cache_files set used_at = now() where hash in (
        select hash from cache_files
        where hash in (select unnest(files) from found) and used_at < now() - interval '1 hour'
        for update skip locked)
    )
    select place, blob from found`.execute(db.query);
  const found = new Map(rows.map((row) => [row.place, row]));
  return queries.map((_, index) => found.get(index + 1));
}

/** Adds copies under their keys. Their files count as used now. */
export async function addCacheEntries(db: Database, entries: CacheEntry[]): Promise<void> {
  const files = new Map(entries.flatMap((entry) => entry.files.map((file) => [file.hash, file])));
  await db.query
    .with('stored', (query) =>
      query
        .insertInto('cache_files')
        // The order is always the same, so that transactions that store the same files wait for each other
        // instead of deadlocking.
        .values([...files.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1)))
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ used_at: sql`now()` })),
    )
    .insertInto('cache_entries')
    .values(
      entries.map(({ key, teamId, blob, fetchedAt, files: entryFiles }) => ({
        key,
        team_id: teamId,
        blob,
        // A worker whose clock is ahead must not make a copy that stays new.
        fetched_at: sql<Date>`least(${fetchedAt}::timestamptz, now())`,
        files: entryFiles.map(({ hash }) => hash),
      })),
    )
    // Pages of jobs and look-ups of the page wait for this statement, but not for the disk: a copy that is
    // lost is fetched again.
    .returning(UNSYNCED_COMMIT.as('commit'))
    .execute();
}
