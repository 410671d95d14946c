import { type Kysely, sql } from 'kysely';

/** How much the cache takes on the disk, and when each of its files was last used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cache_files (
      -- the key of the blob; of copies that are packed into one file, the key of the pack
      hash text primary key,
      -- on the disk
      bytes bigint not null,
      used_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index cache_files_use on cache_files (used_at)`.execute(db);
  // The files that a copy is lost without: its pack, and its pictures, which other copies may have too.
  await sql`alter table cache_entries add column files text[] not null default '{}'`.execute(db);
  await sql`update cache_entries set files = array[left(blob, 64)]`.execute(db);
  // A pack ends with the last copy in it: its key says where.
  await sql`
    insert into cache_files (hash, bytes, used_at)
    select left(blob, 64), max(split_part(blob, '+', 2)::bigint + split_part(blob, '+', 3)::bigint), max(fetched_at)
    from cache_entries where blob like '%+%+%' group by 1`.execute(db);
  await sql`create index cache_entries_files on cache_entries using gin (files)`.execute(db);
}
