import { type Kysely, sql } from 'kysely';

/** Calls of language models, without their content, and the tokens that teams may use. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      -- tokens of language models in a day (UTC); null is unlimited
      add column model_tokens_per_day bigint`.execute(db);
  await sql`
    create table model_calls (
      id bigint generated always as identity primary key,
      team_id uuid not null references teams on delete cascade,
      api_key_id uuid,
      -- the job may be deleted earlier
      job_id uuid not null,
      feature text not null,
      model text not null,
      prompt_tokens integer not null,
      output_tokens integer not null,
      ms integer not null,
      -- ok, or why the response could not be used
      outcome text not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index model_calls_created_at on model_calls (created_at)`.execute(db);
  await sql`create index model_calls_job on model_calls (job_id)`.execute(db);
  await sql`
    create table model_days (
      team_id uuid not null references teams on delete cascade,
      day date not null,
      tokens bigint not null,
      primary key (team_id, day)
    )`.execute(db);
}
