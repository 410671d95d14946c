import { type Kysely, sql } from 'kysely';

/** What callers say about the results of their jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table feedback (
      id uuid primary key default gen_random_uuid(),
      -- one for each job
      job_id uuid not null unique references jobs on delete cascade,
      team_id uuid not null references teams on delete cascade,
      endpoint text not null,
      rating text not null,
      content jsonb not null,
      credits_refunded integer not null default 0,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index feedback_team on feedback (team_id, created_at)`.execute(db);
}
