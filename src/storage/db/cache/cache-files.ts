import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../client.ts';

/** Maximum number of old copies, or of unused files, that one step deletes. */
const COPIES_AT_ONCE = 1_000;
const FILES_AT_ONCE = 100;

/**
 * The copies and files that one step deleted from the database. The caller deletes the files from the
 * store.
 */
export interface DeletedCopies {
  copies: number;
  files: { hash: string; bytes: number }[];
}

/** Returns the size of all cached files on disk in bytes. A file that several copies share counts once. */
export async function sumCachedBytes(db: Database): Promise<number> {
  const row = await db.query
    .selectFrom('cache_files')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(row.bytes ?? 0);
}

/** Deletes copies that were fetched before a time, at most 1,000. Call it again until it deletes none. */
export async function deleteOldCopies(db: Database, before: Date): Promise<DeletedCopies> {
  return deleteCopies(
    db,
    sql`(key, fetched_at) in (
      select key, fetched_at from cache_entries where fetched_at < ${before}
      order by fetched_at limit ${COPIES_AT_ONCE})`,
  );
}

/** Deletes a copy whose files cannot be read any more. */
export async function deleteCopy(db: Database, key: Buffer, blob: string): Promise<void> {
  await deleteCopies(db, sql`key = ${key} and blob = ${blob}`);
}

/**
 * Deletes the least recently used files, and the copies that need them, until the given number of bytes is
 * freed. It chooses at most 100 files. Call it again with the number of bytes that are still to be freed.
 */
export async function deleteLeastUsedFiles(db: Database, bytes: number): Promise<DeletedCopies> {
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
  return deleteCopies(db, sql`files && ${unused}::text[]`, unused);
}

/** Returns those of the hashes that belong to files of the cache. */
export async function findKnownFiles(db: Database, hashes: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ hash: string }>`
    select hash from cache_files where hash = any(${hashes}::text[])`.execute(db.query);
  return new Set(rows.map(({ hash }) => hash));
}

/**
 * Deletes copies, and those of their files that no other copy uses.
 * @param condition the condition on `cache_entries`
 * @param files further files to delete if no copy uses them
 */
async function deleteCopies(
  db: Database,
  condition: RawBuilder<unknown>,
  files: string[] = [],
): Promise<DeletedCopies> {
  return db.query.transaction().execute(async (transaction) => {
    const { rows: deleted } = await sql<{ files: string[] }>`
      delete from cache_entries where ${condition} returning files`.execute(transaction);
    const candidates = [...new Set([...files, ...deleted.flatMap((copy) => copy.files)])];
    // A file that another transaction is storing again is locked, and is kept.
    const { rows } = await sql<{ hash: string; bytes: number }>`
      delete from cache_files where hash in (
        select hash from cache_files
        where hash = any(${candidates}::text[])
          and not exists (select from cache_entries where files @> array[cache_files.hash])
        for update skip locked)
      returning hash, bytes`.execute(transaction);
    return { copies: deleted.length, files: rows };
  });
}
