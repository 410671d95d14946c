import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import { MAX_CLAIMED_PAGES, OPEN_PAGES } from '../jobs/job-progress.ts';

/** Seconds after which a claim expires if its page worker does not renew it. */
const CLAIM_SECONDS = 30;
/** Maximum number of hosts considered in one call of `claimPages`. */
const MAX_HOSTS_PER_CLAIM = 64;
/**
 * Seconds for which a page worker counts as waiting for a host that had no capacity left, so that the other
 * page workers leave it its share.
 */
const HOST_WAIT_SECONDS = 5;
/** Seconds after which a host loses one strike. */
const STRIKE_SECONDS = 30;

/** A page that a page worker has claimed. */
export interface Claim {
  ordinal: number;
  /** The scrape id of the page. */
  id: string;
  url: string;
  host: string;
  depth: number;
  /** Whether only an earlier crawl found the page: nothing links to it now. */
  hidden: boolean;
  /** Number of earlier attempts to fetch the page. */
  attempts: number;
  /** Number of earlier claims that ended because the page worker was lost. */
  losses: number;
  /** Milliseconds that the page waited for a page worker after it became due. */
  waitedMs: number;
}

/** A job that the current transaction has locked, with the columns that decide about claims. */
export interface LockedJob {
  id: string;
  status: string;
  paused: boolean;
  max_concurrency: number | null;
  delay_ms: number | null;
  /** Whether the job's delay since its last claim is over. */
  due: boolean;
  /** Remaining credits of the team; `null` means unlimited. */
  creditsLeft: number | null;
}

/** The request of a page worker to claim pages. */
export interface ClaimRequest {
  /** The unique name of the page worker, stored in columns named `lane`. */
  pageWorker: string;
  /** Maximum number of pages to claim. */
  maxPages: number;
  /** Number of requests that the page worker has open at each host. */
  fetching: Map<string, number>;
  /** Maximum number of simultaneous requests to one host, for jobs that set no `maxConcurrency`. */
  requestsPerHost: number;
}

/**
 * The hosts of a job's pending pages, as a recursive common table expression `host`. Each host costs one index
 * lookup, however many pages it has. The recursion ends with a row whose name is null.
 */
const pendingHosts = (jobId: string) => sql`
    host (name) as (
      (select host from pages where job_id = ${jobId} and status = 'pending' order by host limit 1)
      union all
      select (
        select pages.host from pages
        where job_id = ${jobId} and status = 'pending' and pages.host > host.name order by pages.host limit 1)
      from host where name is not null
    )`;

/**
 * Returns how many more pages a job may claim. The number is limited by the job's `maxConcurrency` and by
 * the team's concurrency, each reduced by what is in use. Scrapes that wait for a slot of the team also
 * reduce it, so that they go first.
 */
async function countClaimable(query: Queryable, jobId: string): Promise<number> {
  const { rows } = await sql<{ claimable: number }>`
    select least(
        coalesce(max_concurrency, teams.concurrency) - (
          select count(*) from pages where team_id = teams.id and job_id = ${jobId} and status = 'claimed'),
        teams.concurrency - (
          select count(*) from pages where team_id = teams.id and status = 'claimed') - (
          select count(*) from slots where team_id = teams.id and expires_at > now()) - (
          select count(*) from slot_waits where team_id = teams.id and expires_at > now())
      )::int as claimable
    from job_progress join teams on teams.id = job_progress.team_id where job_id = ${jobId}`.execute(query);
  return rows[0]?.claimable ?? 0;
}

/**
 * The hosts that have due pages of a job and are not paused, as a common table expression `claimable_host`. Each
 * host gets a limited number of simultaneous requests: `share` is the page worker's share of that number, `own` is
 * how many requests the page worker has open, and `free` is how many more the host may get. The limit is shared
 * among the page workers of all jobs, except that a `maxConcurrency` of the job is shared only among the job's own
 * page workers. Each strike of a host halves the limit.
 */
const claimableHosts = (job: LockedJob, { pageWorker, fetching, requestsPerHost }: ClaimRequest) => sql`
    claimable_host as (
      select name, own, greatest(1, max_requests / (1 + others)) as share, max_requests - taken - own as free
      from host cross join lateral (
        select greatest(1, coalesce(${job.max_concurrency}::int, ${requestsPerHost}::int) >> coalesce((
            select greatest(0, strikes - floor(extract(epoch from now() - struck_at) / ${STRIKE_SECONDS}))::int
            from host_pauses where host_pauses.host = name), 0)) as max_requests,
          coalesce((
            select amount from unnest(${arrayParameter([...fetching.keys()], 'text')}, ${arrayParameter([...fetching.values()], 'int')})
              as held (host, amount) where held.host = name), 0) as own
      ) as limits cross join lateral (
        select count(*) filter (where wants and ${job.max_concurrency}::int is null)::int as others,
          coalesce(sum(taken), 0)::int as taken
        from host_leases
        where host_leases.host = name and lane <> ${pageWorker} and expires_at > now()
          and (${job.max_concurrency}::int is null or starts_with(lane, ${`${job.id}/`}))
      ) as leases
      where name is not null
        and not exists (select from host_pauses where host_pauses.host = name and until > now())
        and not exists (
          select from robots_waits where robots_waits.job_id = ${job.id} and robots_waits.host = name and until > now())
        and exists (
          select from pages where job_id = ${job.id} and pages.host = name and status = 'pending' and due_at <= now())
      limit ${MAX_HOSTS_PER_CLAIM}
    )`;

/**
 * The pages to claim, as a common table expression `picked`: due pages in the order of discovery, at most as many of
 * each host as the page worker may request at once. A page that is claimed for the first time (`is_first`) counts
 * against the page limit of the job.
 */
const pickedPages = (job: LockedJob, maxPages: number) => sql`
    progress as (
      select greatest(0, ${MAX_CLAIMED_PAGES} - admitted) as first_claims_left from job_progress where job_id = ${job.id}
    ), candidate as (
      select page.id, page.ordinal, page.is_first, row_number() over (order by page.ordinal) as n
      from claimable_host cross join lateral (
        select id, ordinal, not admitted as is_first from pages
        where job_id = ${job.id} and host = name and status = 'pending' and due_at <= now()
        order by ordinal
        limit greatest(0, least(share - own, free))
      ) as page
    ), picked as (
      select id, is_first from candidate
      where n <= ${maxPages} and (not is_first or (
        select count(*) from candidate as before where before.is_first and before.n <= candidate.n
      ) <= (select first_claims_left from progress))
    )`;

/** Records that the page worker waits for hosts that have no capacity left, so that it gets its share of them later. */
const hostWaits = (pageWorker: string) => sql`
    wait as (
      insert into host_leases (host, lane, expires_at)
      select name, ${pageWorker}, now() + make_interval(secs => ${HOST_WAIT_SECONDS}) from claimable_host
      where own = 0 and free < 1
      on conflict (host, lane) do update set expires_at = excluded.expires_at, taken = 0, wants = true
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

/** Claims due pages within the limits of the job, the team and the hosts. */
export async function claimPages(query: Queryable, job: LockedJob, request: ClaimRequest): Promise<Claim[]> {
  if (job.status !== 'scraping' || job.paused || (job.delay_ms && !job.due)) return [];
  const maxPages = Math.min(
    request.maxPages,
    await countClaimable(query, job.id),
    job.creditsLeft ?? Infinity,
    // A job with a delay claims one page at a time.
    job.delay_ms ? 1 : Infinity,
  );
  if (maxPages < 1) return [];
  const { rows } = await sql<Claim>`
    with recursive ${pendingHosts(job.id)}, ${claimableHosts(job, request)}, ${pickedPages(job, maxPages)},
    ${hostWaits(request.pageWorker)}, ${updatedProgress(job.id)}
    update pages set status = 'claimed', admitted = true, lane = ${request.pageWorker},
      claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    from picked where pages.id = picked.id
    returning pages.id, ordinal, url, host, depth, attempts, losses, hidden,
      (extract(epoch from now() - due_at) * 1000)::float8 as "waitedMs"`.execute(query);
  return rows.sort((one, other) => one.ordinal - other.ordinal);
}

/**
 * Records how many requests a page worker has open at each host, including those for the pages that it has just
 * claimed.
 */
export async function renewHostLeases(
  query: Queryable,
  request: ClaimRequest,
  claims: { host: string }[],
): Promise<void> {
  const { pageWorker, maxPages } = request;
  const taken = new Map(request.fetching);
  for (const { host } of claims) taken.set(host, (taken.get(host) ?? 0) + 1);
  await sql`
    with held as (
      select * from unnest(${arrayParameter([...taken.keys()], 'text')}, ${arrayParameter([...taken.values()], 'int')}) as held (host, amount)
    ), ended as (
      delete from host_leases where lane = ${pageWorker} and taken > 0 and host not in (select host from held)
    )
    insert into host_leases as lease (host, lane, taken, wants, expires_at)
    select host, ${pageWorker}, amount, ${maxPages > 0}, now() + make_interval(secs => ${CLAIM_SECONDS}) from held
    on conflict (host, lane) do update
      set taken = excluded.taken, wants = excluded.wants, expires_at = excluded.expires_at
      where (lease.taken, lease.wants) is distinct from (excluded.taken, excluded.wants)
        or lease.expires_at < now() + make_interval(secs => ${CLAIM_SECONDS * 0.7})`.execute(query);
}

/** The state of a job from which its workflow decides how many page workers to run, and when. */
export interface JobWorkload {
  /** Milliseconds until the next pending page may be claimed; `undefined` if no page is pending. */
  dueInMs: number | undefined;
  /** Number of hosts with pending pages, at most `MAX_COUNTED_HOSTS`. */
  hosts: number;
  /** Number of pages that have not ended. */
  open: number;
  maxConcurrency: number | null;
  delayMs: number | null;
  teamConcurrency: number;
}

const MAX_COUNTED_HOSTS = 64;

/** Releases the expired claims of a job, whose page workers are gone, and then reads its workload. */
export async function readJobWorkload(db: Database, jobId: string): Promise<JobWorkload> {
  const { rows } = await sql<Omit<JobWorkload, 'dueInMs'> & { due: number | null }>`
    with recursive released as (
      update pages set status = 'pending', lane = null, claimed_until = null, losses = losses + 1
      where job_id = ${jobId} and status = 'claimed' and claimed_until < now()
        and team_id = (select team_id from job_progress where job_id = ${jobId})
      returning 1
    ), ${pendingHosts(jobId)}, counted_host as (
      select name from host where name is not null limit ${MAX_COUNTED_HOSTS}
    ), due as (
      select case when exists (select from released) then now() else (
        select min(greatest((
            select min(due_at) from (
              select due_at from pages where job_id = ${jobId} and host = name and status = 'pending'
              order by ordinal limit 200) as first), until, (
            select max(robots_waits.until) from robots_waits
            where robots_waits.job_id = ${jobId} and robots_waits.host = name)))
        from counted_host left join host_pauses on host_pauses.host = name) end as at
    )
    select (extract(epoch from case when at is not null then greatest(at, next_claim_at) end - now()) * 1000)::float8
        as due,
      (select count(*) from counted_host)::int as hosts,
      ${OPEN_PAGES}::int as open, delay_ms as "delayMs",
      max_concurrency as "maxConcurrency", teams.concurrency as "teamConcurrency"
    from due, job_progress join teams on teams.id = job_progress.team_id
    where job_id = ${jobId}`.execute(db.query);
  const row = rows[0];
  if (!row) throw new ServiceError('NOT_FOUND', `Job ${jobId} does not exist (any more).`);
  const { due, ...workload } = row;
  return { ...workload, dueInMs: due === null ? undefined : Math.max(0, Math.round(due)) };
}

/** The column values of a page that no page worker has claimed. */
const UNCLAIMED = { status: 'pending', lane: null, claimed_until: null } as const;

/**
 * Releases the claims of all page workers whose names begin with `options.workerPrefix`.
 * @param options.isWorkerLost whether the process of the page workers was lost, which counts as a loss for each page
 */
export async function releaseClaims(
  db: Database,
  { jobId, workerPrefix, isWorkerLost }: { jobId: string; workerPrefix: string; isWorkerLost: boolean },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ ...UNCLAIMED, losses: sql<number>`losses + ${isWorkerLost ? 1 : 0}` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('lane', 'like', `${workerPrefix}%`)
    .where('team_id', '=', ({ selectFrom }) =>
      selectFrom('job_progress').select('team_id').where('job_id', '=', jobId),
    )
    .execute();
  await db.query.deleteFrom('host_leases').where('lane', 'like', `${workerPrefix}%`).execute();
}

/** Renews all claims of a page worker. */
export async function renewClaims(
  db: Database,
  { jobId, pageWorker }: { jobId: string; pageWorker: string },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ claimed_until: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('lane', '=', pageWorker)
    .execute();
  await db.query
    .updateTable('host_leases')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('lane', '=', pageWorker)
    .where('taken', '>', 0)
    .execute();
}

/**
 * Pauses hosts that asked us to slow down. No page of theirs is claimed during the pause, and a strike
 * reduces how many requests they get at once afterwards. Pauses within a second of the last strike count as
 * one strike.
 * @param pauses milliseconds by host
 */
export async function pauseHosts(db: Database, pauses: Map<string, number>): Promise<void> {
  await sql`
    insert into host_pauses (host, until)
    select host, now() + make_interval(secs => ms / 1000.0)
    from unnest(${[...pauses.keys()]}::text[], ${[...pauses.values()]}::int[]) as given (host, ms)
    on conflict (host) do update set until = greatest(host_pauses.until, excluded.until),
      strikes = case when host_pauses.struck_at > now() - interval '1 second' then host_pauses.strikes
        else least(3, greatest(0, host_pauses.strikes
          - floor(extract(epoch from now() - host_pauses.struck_at) / ${STRIKE_SECONDS})) + 1) end,
      struck_at = now()`.execute(db.query);
}
