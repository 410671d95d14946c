import { sql } from 'kysely';
import type { PageUsageOutcome } from '../../../schemas/team.ts';
import type { Database } from '../client.ts';

/** Days of which pages are counted. */
const KEPT_DAYS = 90;

/** How many pages of a team ended in one way on one day. */
export interface PageCount {
  teamId: string;
  /** In UTC, such as `2026-01-31`. */
  day: string;
  engine: string;
  outcome: PageUsageOutcome;
  pages: number;
}

/** Adds counts to those of their days. Counts of a team that does not exist any more are left out. */
export async function addPageCounts(db: Database, counts: PageCount[]): Promise<void> {
  // In one order, because workers that add to the same rows at once would wait for each other.
  await sql`
    insert into page_usage (team_id, day, engine, outcome, pages)
    select teams.id, day, engine, outcome, pages
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
        as added("teamId" uuid, day date, engine text, outcome text, pages bigint)
      join teams on teams.id = added."teamId"
    order by teams.id, day, engine, outcome
    on conflict (team_id, day, engine, outcome) do update set pages = page_usage.pages + excluded.pages`.execute(
    db.query,
  );
}

/** Lists the pages of a team by day, engine and outcome, oldest first. */
export async function listPageCounts(db: Database, teamId: string): Promise<Omit<PageCount, 'teamId'>[]> {
  const { rows } = await sql<Omit<PageCount, 'teamId'>>`
    select to_char(day, 'YYYY-MM-DD') as day, engine, outcome, pages::float8 as pages from page_usage
    where team_id = ${teamId} and day > (now() at time zone 'utc')::date - ${KEPT_DAYS}::int
    order by 1, engine, outcome`.execute(db.query);
  return rows;
}

/** Deletes the counts of days that are not reported any more. */
export async function deleteOldPageCounts(db: Database): Promise<void> {
  await sql`delete from page_usage where day <= (now() at time zone 'utc')::date - ${KEPT_DAYS}::int`.execute(
    db.query,
  );
}
