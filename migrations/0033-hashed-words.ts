import { type Kysely, sql } from 'kysely';

/**
 * The index of `POST /v2/search` has hashes of words instead of words, which Postgres sorts and compares in half of the time. They
 * are those of `hashTerm`: FNV-1a of the UTF-16 code units, without its offset.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function pg_temp.hash_term(term text) returns int4 language plpgsql as $$
    declare
      hash bigint := 0;
      code int;
    begin
      for at in 1 .. length(term) loop
        code := ascii(substr(term, at, 1));
        if code > 65535 then
          hash := ((hash # (55232 + (code >> 10))) * 16777619) & 4294967295;
          code := 56320 + (code & 1023);
        end if;
        hash := ((hash # code) * 16777619) & 4294967295;
      end loop;
      return case when hash > 2147483647 then hash - 4294967296 else hash end;
    end $$`.execute(db);
  await sql`create temporary table term_hashes on commit drop as
    select term, pg_temp.hash_term(term) as hash
    from (select distinct unnest(tsvector_to_array(words)) as term from indexed_pages) as terms`.execute(db);
  await sql`create index on term_hashes (term)`.execute(db);
  await sql`analyze term_hashes`.execute(db);
  await sql`
    create function pg_temp.hash_terms(words tsvector) returns int4[] language sql as $$
      select array_agg(hash order by hash) from unnest(tsvector_to_array(words)) as terms (term) join term_hashes using (term)
    $$`.execute(db);
  await sql`drop index indexed_pages_words`.execute(db);
  // Hashes cannot be compressed.
  await sql`
    alter table indexed_pages
      alter words type int4[] using pg_temp.hash_terms(words),
      alter words set storage external`.execute(db);
  // A short list of pending entries is merged quickly, which the transaction that fills it has to wait for.
  await sql`
    create index indexed_pages_words on indexed_pages using gin (words) with (gin_pending_list_limit = 4096)`.execute(
    db,
  );
  // Searches look pages up by the words that are rare according to the statistics.
  await sql`analyze indexed_pages`.execute(db);
  await sql`drop function pg_temp.hash_terms, pg_temp.hash_term`.execute(db);
}
