import { type Kysely, sql } from 'kysely';

/** Which engines were tried for each page, so that it can be told why it went as it did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column trace jsonb`.execute(db);
  await sql`alter table pages add column trace jsonb`.execute(db);
}
