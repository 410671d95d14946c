import { type Kysely, sql } from 'kysely';

/** What a language model thinks of the change of a page, and whether it has still to be asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table monitor_pages
      add column judgment jsonb,
      add column is_judgment_due boolean not null default false`.execute(db);
  await sql`create index monitor_pages_unjudged on monitor_pages (check_id, ordinal) where is_judgment_due`.execute(
    db,
  );
}
