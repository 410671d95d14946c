import { type Kysely, sql } from 'kysely';

/** How long the hosts of a batch or crawl took to respond, for the summary of the job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_times (
      job_id uuid not null references job_progress on delete cascade,
      host text not null,
      requests integer not null,
      ms bigint not null,
      primary key (job_id, host)
    )`.execute(db);
}
