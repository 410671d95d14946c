import { sql } from 'kysely';
import { arrayParameter, type Queryable } from '../client.ts';
import { MAX_CLAIMED_PAGES } from '../jobs/job-progress.ts';
import { preparedAtScale } from '../prepared-statements.ts';
import { availableCredits } from '../teams/available-credits.ts';
import { CLAIM_SECONDS, type Claim } from './claims.ts';
import { type HostRequests, STRIKE_SECONDS } from './host-limits.ts';
import { pendingHosts } from './pages.ts';

/** Maximum number of hosts considered in one call of `claimPages`. */
const MAX_HOSTS_PER_CLAIM = 64;
/**
 * Seconds for which a page worker counts as waiting for a host that had no capacity left, so that the other
 * page workers leave it its share.
 */
const HOST_WAIT_SECONDS = 5;

/** A job that the current transaction has locked, with what decides about claims. */
export interface LockedJob {
  id: string;
  status: string;
  paused: boolean;
  maxConcurrency: number | null;
  delayMs: number | null;
  /** Whether the job's delay since its last claim is over. */
  due: boolean;
  /** The size of the table of pages, see `PAGES_SCALE`. */
  scale: number;
}

/** The request of a page worker to claim pages. */
export interface ClaimRequest extends HostRequests {
  /** The unique name of the page worker. */
  pageWorker: string;
  /** Maximum number of pages to claim whose requests start at once. */
  maxPages: number;
  /**
   * Maximum number of pages to claim besides, whose requests start as others of their host end; 0 by default.
   */
  maxAhead?: number;
  /** Maximum number of simultaneous requests to one host, for jobs that set no `maxConcurrency`. */
  requestsPerHost: number;
}

/**
 * Returns how many more pages a job may claim. The number is limited by the job's `maxConcurrency` and by the
 * team's concurrency, each reduced by what is in use, and by its credits. Scrapes that wait for a slot of the
 * team also reduce it, so that they go first.
 */
async function countClaimable(query: Queryable, { id, scale }: LockedJob): Promise<number> {
  const { rows } = await sql<{ claimable: number }>`${preparedAtScale(scale)}
    select least(
        coalesce(max_concurrency, teams.concurrency) - (
          select count(*) from pages where team_id = teams.id and job_id = ${id} and status = 'claimed'),
        teams.concurrency - (
          select count(*) from pages where team_id = teams.id and status = 'claimed') - (
          select count(*) from slots where team_id = teams.id and expires_at > now()) - (
          select count(*) from slot_waits where team_id = teams.id and expires_at > now()),
        ${availableCredits()} / jobs.reserved
      )::int as claimable
    from job_progress join teams on teams.id = job_progress.team_id join jobs on jobs.id = job_id
    where job_id = ${id}`.execute(query);
  return rows[0]?.claimable ?? 0;
}

/**
 * The hosts that have due pages of a job, or pages that the page worker claimed ahead, and are not paused, as
 * a common table expression `claimable_host`. Each host gets a limited number of simultaneous requests:
 * `share` is the page worker's share of that number, `own` is how many requests the page worker has open, and
 * `free` is how many more the host may get. `ahead` is the number of pages that the page worker has claimed
 * ahead. The limit is shared among the page workers of all jobs, except that a `maxConcurrency` of the job is
 * shared only among the job's own page workers. Each strike of a host halves the limit.
 */
const claimableHosts = (
  job: LockedJob,
  { pageWorker, openRequests, ahead = new Map(), requestsPerHost }: ClaimRequest,
) => sql`
    claimable_host as (
      select name, own, ahead, greatest(1, max_requests / (1 + others)) as share, max_requests - taken - own as free
      from (
        select * from unnest(${arrayParameter([...ahead.keys()], 'text')}, ${arrayParameter([...ahead.values()], 'int')})
          as claimed_ahead (name, ahead)
        union all
        select name, 0 from host where name <> all(${arrayParameter([...ahead.keys()], 'text')})
      ) as considered cross join lateral (
        select greatest(1, coalesce(${job.maxConcurrency}::int, ${requestsPerHost}::int) >> coalesce((
            select greatest(0, strikes - floor(extract(epoch from now() - struck_at) / ${STRIKE_SECONDS}))::int
            from host_pauses where host_pauses.host = name), 0)) as max_requests,
          coalesce((
            select amount from unnest(${arrayParameter([...openRequests.keys()], 'text')}, ${arrayParameter([...openRequests.values()], 'int')})
              as held (host, amount) where held.host = name), 0) as own
      ) as limits cross join lateral (
        select count(*) filter (where wants and ${job.maxConcurrency}::int is null)::int as others,
          coalesce(sum(taken), 0)::int as taken
        from host_leases
        where host_leases.host = name and page_worker <> ${pageWorker} and expires_at > now()
          and (${job.maxConcurrency}::int is null or starts_with(page_worker, ${`${job.id}/`}))
      ) as leases
      where not exists (select from host_pauses where host_pauses.host = name and until > now())
        and not exists (
          select from robots_waits where robots_waits.job_id = ${job.id} and robots_waits.host = name and until > now())
        -- Postgres would read all pending pages of the job for a condition with \`exists\` beside another one.
        and (ahead > 0 or (
          select true from pages where job_id = ${job.id} and pages.host = name and status = 'pending' and due_at <= now()
          limit 1))
      limit ${MAX_HOSTS_PER_CLAIM}
    )`;

/**
 * The pages to claim, as a common table expression `picked`: due pages in the order of discovery. Of each
 * host, these are at most as many as the page worker may request at once, and as many again ahead. A page
 * that is claimed for the first time (`is_first`) counts against the page limit of the job.
 */
const pickedPages = (job: LockedJob, { maxPages, maxAhead }: { maxPages: number; maxAhead: number }) => sql`
    progress as (
      select greatest(0, ${MAX_CLAIMED_PAGES} - admitted) as first_claims_left from job_progress where job_id = ${job.id}
    ), candidate as (
      select page.*, row_number() over (partition by is_ahead order by ordinal) as place
      from claimable_host cross join lateral (
        select greatest(0, least(share, own + free)) as allowed
      ) as host_limit cross join lateral (
        select id, ordinal, not admitted as is_first,
          row_number() over (order by ordinal) > allowed - own - ahead as is_ahead
        from pages
        where job_id = ${job.id} and host = name and status = 'pending' and due_at <= now()
        order by ordinal
        limit greatest(0, allowed - own - ahead, case when ${maxAhead}::int > 0 then 2 * allowed - own - ahead else 0 end)
      ) as page
    ), chosen as (
      select id, is_first, count(*) filter (where is_first) over (order by is_ahead, ordinal) as first_claims
      from candidate where place <= case when is_ahead then ${maxAhead}::int else ${maxPages}::int end
    ), picked as (
      select id, is_first from chosen
      where not is_first or first_claims <= (select first_claims_left from progress)
    )`;

/**
 * Records that the page worker waits for hosts that have no capacity left, so that it gets its share of them
 * later.
 */
const hostWaits = (pageWorker: string) => sql`
    wait as (
      insert into host_leases (host, page_worker, expires_at)
      select name, ${pageWorker}, now() + make_interval(secs => ${HOST_WAIT_SECONDS}) from claimable_host
      where own = 0 and free < 1
      on conflict (host, page_worker) do update set expires_at = excluded.expires_at, taken = 0, wants = true
    )`;

/** Counts the pages that are claimed for the first time, and starts the delay of the job. */
const updatedProgress = (jobId: string) => sql`
    updated as (
      update job_progress set
        admitted = admitted + (select count(*) from picked where is_first),
        next_claim_at = case when delay_ms is null or not exists (select from picked) then next_claim_at
          else now() + make_interval(secs => delay_ms / 1000.0) end
      where job_id = ${jobId}
    )`;

/** The pages that a page worker has claimed, and what it may do at their hosts. */
interface ClaimedPages {
  claims: Claim[];
  /** How many requests the page worker may have open at each host; a paused host is absent. */
  allowed: Map<string, number>;
}

/**
 * Claims due pages within the limits of the job, the team and the hosts.
 * @returns `undefined` if the job or the team has no room for another page
 */
export async function claimPages(
  query: Queryable,
  job: LockedJob,
  request: ClaimRequest,
): Promise<ClaimedPages | undefined> {
  if (job.status !== 'scraping' || job.paused || (job.delayMs && !job.due)) return undefined;
  const claimable = await countClaimable(query, job);
  // A job with a delay claims one page at a time.
  const maxPages = Math.max(0, Math.min(request.maxPages, claimable, job.delayMs ? 1 : Infinity));
  // Half of what is left remains for other jobs of the team, because pages claimed ahead count as well.
  const left = Math.max(0, Math.floor((claimable - maxPages) / 2));
  const maxAhead = job.delayMs ? 0 : Math.min(request.maxAhead ?? 0, left);
  if (maxPages + maxAhead < 1) return undefined;
  const { rows } = await sql<
    { name: string; allowed: number } & (Claim | { id: null })
  >`${preparedAtScale(job.scale)}
    with recursive ${pendingHosts(job.id)}, ${claimableHosts(job, request)},
    ${pickedPages(job, { maxPages, maxAhead })},
    ${hostWaits(request.pageWorker)}, ${updatedProgress(job.id)},
    claimed as (
      update pages set status = 'claimed', admitted = true, extra_credits = 0, page_worker = ${request.pageWorker},
        claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
      from picked where pages.id = picked.id
      returning pages.id, ordinal, url, host, depth, attempts, losses, hidden,
        (extract(epoch from now() - due_at) * 1000)::float8 as "waitedMs"
    )
    select name, greatest(0, least(share, own + free)) as allowed, claimed.*
    from claimable_host left join claimed on claimed.host = name`.execute(query);
  const claims = rows.flatMap(({ name: _, allowed: __, ...claim }) => (claim.id === null ? [] : [claim]));
  return {
    claims: claims.sort((one, other) => one.ordinal - other.ordinal),
    allowed: new Map(rows.map(({ name, allowed }) => [name, allowed])),
  };
}
