import { type Kysely, sql } from 'kysely';

/** Feedback on a page of a batch or crawl, beside that on whole jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table feedback add column page_id uuid`.execute(db);
  await sql`alter table feedback drop constraint feedback_job_id_key`.execute(db);
  // One for each job, and one for each page.
  await sql`create unique index feedback_subject on feedback (coalesce(page_id, job_id))`.execute(db);
  await sql`create index feedback_job on feedback (job_id)`.execute(db);
}
