import { sql } from 'kysely';
import type { Database } from '../client.ts';
import { countOpenJobs } from './quotas.ts';
import { countSlots } from './slots.ts';

/** What a team uses at this moment, and its limits that are not those of each request. */
interface UsedLimits {
  requestsPerMinute: number;
  sessions: number;
  sessionLimit: number;
  monitors: number;
  modelTokens: number;
  /** `null` means unlimited. */
  modelTokenLimit: number | null;
}

/**
 * Reads what a team uses of its limits, apart from its credits and what its results take.
 * @param rateKey the key under which its requests are counted
 */
export async function readUsedLimits(db: Database, { teamId, rateKey }: { teamId: string; rateKey: string }) {
  const [{ rows }, openJobs, concurrency] = await Promise.all([
    sql<UsedLimits>`
      select
        coalesce((select points from rate_limits
          where key = ${rateKey} and expire > extract(epoch from now()) * 1000), 0)::int as "requestsPerMinute",
        (select count(*) from browser_sessions where team_id = teams.id and state <> 'destroyed')::int as sessions,
        teams.sessions as "sessionLimit",
        (select count(*) from monitors where team_id = teams.id and status <> 'deleted')::int as monitors,
        coalesce((select tokens from model_days
          where team_id = teams.id and day = (now() at time zone 'utc')::date), 0)::float8 as "modelTokens",
        teams.model_tokens_per_day::float8 as "modelTokenLimit"
      from teams where teams.id = ${teamId}`.execute(db.query),
    countOpenJobs(db.query, teamId),
    countSlots(db, teamId),
  ]);
  // The caller is one of the team, which is never deleted.
  return { ...rows[0]!, openJobs, concurrency };
}
