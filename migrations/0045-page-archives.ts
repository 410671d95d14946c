import { type Kysely, sql } from 'kysely';

/** The responses of the sites, which jobs with `archive` keep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table pages
      -- key of the blob with the requests and responses of the page
      add column archive text`.execute(db);
  await sql`
    alter table job_progress
      -- size of those blobs on the disk
      add column archived_bytes bigint not null default 0`.execute(db);
}
