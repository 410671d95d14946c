import { sql } from 'kysely';
import type { Database, Queryable } from './client.ts';

/**
 * Whether a team has as many browser sessions as it may have. Until the end of the transaction, other calls
 * for the team wait, so that two sessions that are stored at the same time do not exceed the limit.
 * @param query a transaction
 */
export async function hasMaxSessions(query: Queryable, teamId: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sessions ${teamId}`}, 0))`.execute(query);
  const { rows } = await sql<{ isFull: boolean }>`
    select (select count(*) from browser_sessions where team_id = ${teamId} and state <> 'destroyed')
      >= teams.sessions as "isFull"
    from teams where id = ${teamId}`.execute(query);
  return rows[0]?.isFull ?? false;
}

/**
 * Counts the sessions that have not ended of each team that has any, with the most that the team may have.
 */
export async function countSessionsByTeam(
  db: Database,
): Promise<{ team: string; active: number; limit: number }[]> {
  const rows = await db.query
    .selectFrom('browser_sessions')
    .innerJoin('teams', 'teams.id', 'browser_sessions.team_id')
    .where('state', '<>', 'destroyed')
    .groupBy('teams.id')
    .select(({ fn }) => ['teams.name as team', 'teams.sessions as limit', fn.countAll().as('active')])
    .execute();
  return rows.map(({ active, ...row }) => ({ ...row, active: Number(active) }));
}
