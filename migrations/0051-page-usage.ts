import { type Kysely, sql } from 'kysely';

/** The pages of each team by day, engine and outcome: counted as they end, because a report may not count all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table page_usage (
      team_id uuid not null references teams on delete cascade,
      day date not null,
      engine text not null,
      outcome text not null,
      pages bigint not null,
      primary key (team_id, day, engine, outcome)
    )`.execute(db);
}
