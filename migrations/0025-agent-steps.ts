import { type Kysely, sql } from 'kysely';

/** The steps of agents and extracts: turns of the model and calls of tools. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent_steps (
      job_id uuid not null references jobs on delete cascade,
      sequence integer not null,
      turn integer not null,
      -- think, plan, unknown, or the name of a tool
      tool text not null,
      summary text not null,
      input jsonb not null,
      state text not null check (state in ('running', 'done', 'failed')),
      -- the scrape, map or search that does the work of the step
      child_id uuid references jobs on delete set null,
      credits integer not null default 0,
      blob text,
      error text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (job_id, sequence)
    )`.execute(db);
  await sql`create index agent_steps_child on agent_steps (child_id) where child_id is not null`.execute(db);
}
