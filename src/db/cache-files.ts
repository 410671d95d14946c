import { type RawBuilder, sql } from 'kysely';
import type { Database } from './client.ts';

/** Each step deletes no more than so many copies, or what so many files have. */
const COPIES_AT_ONCE = 1_000;
const FILES_AT_ONCE = 100;

/** What a step deleted from the database; the files themselves are for the caller to delete. */
export interface DroppedCopies {
  copies: number;
  files: { hash: string; bytes: number }[];
}

/** Bytes that all copies take on the disk; what several copies share counts once. */
export async function cachedBytes(db: Database): Promise<number> {
  const row = await db.query
    .selectFrom('cache_files')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(row.bytes ?? 0);
}

/** Drops copies that were fetched before a time, a thousand at most: called again until nothing is left. */
export async function dropOldCopies(db: Database, before: Date): Promise<DroppedCopies> {
  return drop(
    db,
    sql`(key, fetched_at) in (
      select key, fetched_at from cache_entries where fetched_at < ${before}
      order by fetched_at limit ${COPIES_AT_ONCE})`,
  );
}

/** Drops a copy whose files cannot be read any more. */
export async function dropCopy(db: Database, key: Buffer, blob: string): Promise<void> {
  await drop(db, sql`key = ${key} and blob = ${blob}`);
}

/**
 * Drops the files that were not used for longest, and the copies that are lost without them, until so many bytes are
 * free; a hundred files at most: called again with what is still missing.
 */
export async function dropUnusedFiles(db: Database, bytes: number): Promise<DroppedCopies> {
  const oldest = await db.query
    .selectFrom('cache_files')
    .select(['hash', 'bytes'])
    .orderBy('used_at')
    .orderBy('hash')
    .limit(FILES_AT_ONCE)
    .execute();
  let freed = 0;
  const unused: string[] = [];
  for (const file of oldest) {
    if (freed >= bytes) break;
    freed += file.bytes;
    unused.push(file.hash);
  }
  return drop(db, sql`files && ${unused}::text[]`, unused);
}

/** Those of the keys that are files of the cache. */
export async function knownFiles(db: Database, hashes: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ hash: string }>`
    select hash from cache_files where hash = any(${hashes}::text[])`.execute(db.query);
  return new Set(rows.map(({ hash }) => hash));
}

/**
 * Deletes copies, and of their files those that no other copy has.
 * @param chosen the condition on `cache_entries`
 * @param files deleted too where no copy is left that has them
 */
async function drop(db: Database, chosen: RawBuilder<unknown>, files: string[] = []): Promise<DroppedCopies> {
  return db.query.transaction().execute(async (transaction) => {
    const { rows: gone } = await sql<{ files: string[] }>`
      delete from cache_entries where ${chosen} returning files`.execute(transaction);
    const candidates = [...new Set([...files, ...gone.flatMap((copy) => copy.files)])];
    // A file that is just being stored again is locked, and stays.
    const { rows } = await sql<{ hash: string; bytes: number }>`
      delete from cache_files where hash in (
        select hash from cache_files
        where hash = any(${candidates}::text[])
          and not exists (select from cache_entries where files @> array[cache_files.hash])
        for update skip locked)
      returning hash, bytes`.execute(transaction);
    return { copies: gone.length, files: rows };
  });
}
