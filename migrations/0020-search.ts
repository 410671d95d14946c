import { type Kysely, sql } from 'kysely';

/** The index of `POST /v2/search`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table indexed_pages (
      id bigint generated always as identity primary key,
      team_id uuid not null references teams on delete cascade,
      -- hash of the normalized URL
      url_key bytea not null,
      url text not null,
      title text not null,
      description text not null,
      content text not null,
      -- hash of the text columns
      content_key bytea not null,
      -- the words of the page, its team, its hosts and the words of its title, without positions
      words tsvector not null,
      fetched_at timestamptz not null,
      unique (team_id, url_key)
    )`.execute(db);
  // Compression by LZ4 takes half the time of the default one, but not every build of Postgres has it.
  await sql`
    do $$ begin
      alter table indexed_pages alter content set compression lz4, alter words set compression lz4;
    exception when feature_not_supported or invalid_parameter_value then null;
    end $$`.execute(db);
  // A short list of pending entries is merged quickly, which the transaction that fills it has to wait for.
  await sql`
    create index indexed_pages_words on indexed_pages using gin (words) with (gin_pending_list_limit = 4096)`.execute(
    db,
  );
  await sql`create index indexed_pages_fetched_at on indexed_pages (fetched_at)`.execute(db);
}
