import { type Kysely, sql } from 'kysely';

/** The files of the cache, with their size and last use. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cache_files (
      -- the key of the blob, or of the pack that contains several copies
      hash text primary key,
      -- size on the disk
      bytes bigint not null,
      used_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index cache_files_use on cache_files (used_at)`.execute(db);
  // The files that a copy needs: its pack, and its screenshots, which other copies may need too.
  await sql`alter table cache_entries add column files text[] not null default '{}'`.execute(db);
  await sql`update cache_entries set files = array[left(blob, 64)]`.execute(db);
  // The end of the last copy in a pack is the size of the pack; the key of the copy contains it.
  await sql`
    insert into cache_files (hash, bytes, used_at)
    select left(blob, 64), max(split_part(blob, '+', 2)::bigint + split_part(blob, '+', 3)::bigint), max(fetched_at)
    from cache_entries where blob like '%+%+%' group by 1`.execute(db);
  await sql`create index cache_entries_files on cache_entries using gin (files)`.execute(db);
}
