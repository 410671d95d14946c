import { type RawBuilder, sql } from 'kysely';
import { PROMPTED_SESSION_MINUTE, SESSION_MINUTE } from '../../../credits.ts';
import { RUN_CREDITS } from '../../agent-steps/step.ts';
import type { Database, Queryable } from '../client.ts';

/** A job whose own credits do not reduce those that it may use: an id, or an SQL expression for one. */
type OwnJob = RawBuilder<string> | undefined;

const unless = (column: string, own: OwnJob) => (own ? sql`and ${sql.ref(column)} <> ${own}` : sql``);

/** Agents and extracts: what their calls have cost, what those that are running may cost, and the result. */
const reservedByRuns = (own: OwnJob) => sql`
  select sum(${sql.lit(RUN_CREDITS)} + coalesce((
    select sum(case state when 'running' then reserved else credits end) from agent_steps where job_id = run.id), 0))
  from jobs as run
  where run.team_id = teams.id and run.status = 'scraping' and run.kind in ('agent', 'extract') ${unless('run.id', own)}`;

/**
 * Scrapes, maps, searches and questions about monitors that are billed by themselves, and the judgments of checks. The
 * scrapes of the job that asks are its own, too.
 */
const reservedByRequests = (own: OwnJob) => sql`
  select sum(reserved) from jobs as request
  where request.team_id = teams.id and request.status = 'scraping'
    and request.kind in ('scrape', 'map', 'search', 'review', 'monitor')
    ${unless('request.id', own)} ${own ? sql`and request.parent_id is distinct from ${own}` : sql``} and not exists (
      select from jobs as parent
      where parent.id = request.parent_id and parent.kind in ('support', 'agent', 'extract'))`;

/** Pages of batches and crawls that are being scraped. */
const reservedByPages = sql`
  select sum(page_job.reserved + pages.extra_credits) from pages join jobs as page_job on page_job.id = pages.job_id
  where pages.team_id = teams.id and pages.status = 'claimed'`;

/** Browser sessions, by the time that they have been open; see `priceOfSession`. */
const reservedBySessions = (own: OwnJob) => sql`
  select sum(ceil(case when prompted then ${sql.lit(PROMPTED_SESSION_MINUTE)} else ${sql.lit(SESSION_MINUTE)} end
    * greatest(1, ceil(extract(epoch from now() - opened_at)) / 60.0)))
  from browser_sessions
  where browser_sessions.team_id = teams.id and state <> 'destroyed' ${unless('browser_sessions.id', own)}`;

/**
 * The credits of `teams` that running work has not reserved, as an SQL expression; `null` means unlimited. A
 * page or request reserves what it is expected to cost, a call of an agent the most.
 * @param own the job that asks
 */
export const availableCredits = (own?: OwnJob) => sql<number | null>`
  case when teams.credits_remaining is null then null else teams.credits_remaining
    - coalesce((${reservedByRuns(own)}), 0) - coalesce((${reservedBySessions(own)}), 0)
    - coalesce((${reservedByRequests(own)}), 0) - coalesce((${reservedByPages}), 0) end::int`;

/**
 * Locks the credits of a team until the transaction ends, so that whoever else wants to reserve some of them
 * waits. Jobs of the team may be added meanwhile, so the lock is not one that their foreign keys wait for.
 */
export async function lockCredits(query: Queryable, teamId: string): Promise<void> {
  await sql`select from teams where id = ${teamId} for no key update`.execute(query);
}

/**
 * Reads the credits of a team that its running work has not reserved.
 * @param own the id of the job that asks, which does not count
 * @returns `undefined` if the team has no limit
 */
export async function readAvailableCredits(
  { query }: Pick<Database, 'query'>,
  teamId: string,
  own?: string,
): Promise<number | undefined> {
  const team = await query
    .selectFrom('teams')
    .select(availableCredits(own === undefined ? undefined : sql<string>`${own}::uuid`).as('credits'))
    .where('id', '=', teamId)
    .executeTakeFirst();
  return team?.credits ?? undefined;
}

/**
 * Reads the credits that a running scrape may cost.
 * @returns infinity if the team has no limit, or if the scrape is a part of a job that pays for it
 */
export async function readScrapeCredits({ query }: Pick<Database, 'query'>, jobId: string): Promise<number> {
  const { rows } = await sql<{ credits: number | null }>`
    select ${availableCredits(sql<string>`jobs.id`)} as credits
    from jobs join teams on teams.id = jobs.team_id
    where jobs.id = ${jobId} and not exists (
      select from jobs as parent
      where parent.id = jobs.parent_id and parent.kind in ('support', 'agent', 'extract'))`.execute(query);
  return rows[0]?.credits ?? Number.POSITIVE_INFINITY;
}
