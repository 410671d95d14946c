import { type Kysely, sql } from 'kysely';

/**
 * Jobs that run as a part of another job, and what is known about support questions while they are answered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A job with a parent is not listed and not billed by itself.
  await sql`alter table jobs add column parent_id uuid references jobs on delete cascade`.execute(db);
  await sql`create index jobs_children on jobs (parent_id) where parent_id is not null`.execute(db);
  await sql`
    create table support_notes (
      job_id uuid not null references jobs on delete cascade,
      topic text not null,
      note jsonb not null,
      primary key (job_id, topic)
    )`.execute(db);
}
