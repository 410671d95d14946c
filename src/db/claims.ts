import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';
import { list, type Query } from './pages.ts';
import { CAPACITY, OPEN } from './progress.ts';

/** How long a claim holds without renewal. */
const CLAIM_SECONDS = 30;
/** Hosts looked at for one claim. */
const HOSTS_PER_CLAIM = 64;
/** A lane that found no room at a host is counted there so long, so that the others leave it its share. */
const WISH_SECONDS = 5;
/** A host that asked for rest is forgiven one strike after so long. */
const FORGIVEN_AFTER_SECONDS = 30;

/** A page in the hands of a lane. */
export interface Claim {
  ordinal: number;
  /** Its scrape id. */
  id: string;
  url: string;
  host: string;
  depth: number;
  /** Known from an earlier crawl alone. */
  hidden: boolean;
  /** Times that its target was asked before. */
  attempts: number;
  losses: number;
  /** Milliseconds since it could have been claimed, had there been room. */
  waitedMs: number;
}

/** A job whose row is locked. */
export interface ClaimingJob {
  id: string;
  status: string;
  paused: boolean;
  max_concurrency: number | null;
  delay_ms: number | null;
  /** The delay since the last page has passed. */
  due: boolean;
  /** Of the team; `null` is unlimited. */
  creditsLeft: number | null;
}

/** Who claims, and how much. */
export interface ClaimOrder {
  lane: string;
  /** Most pages to claim. */
  want: number;
  /** Requests that the lane has open at each host. */
  fetching: Map<string, number>;
  /** Requests that one host gets at once from all jobs together, where a job sets no `maxConcurrency`. */
  requestsPerHost: number;
}

/** Hosts that pages of a job wait for, as a recursive query `host`: one look into the index for each. The last is null. */
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
 * How many pages more a job may have in hand: its own limit and its team's, less what is taken. Scrapes that wait for
 * a slot of the team come first.
 */
async function roomOf(query: Query, jobId: string): Promise<number> {
  const { rows } = await sql<{ room: number }>`
    select least(
        coalesce(max_concurrency, teams.concurrency) - (
          select count(*) from pages where team_id = teams.id and job_id = ${jobId} and status = 'claimed'),
        teams.concurrency - (
          select count(*) from pages where team_id = teams.id and status = 'claimed') - (
          select count(*) from slots where team_id = teams.id and expires_at > now()) - (
          select count(*) from slot_waits where team_id = teams.id and expires_at > now())
      )::int as room
    from job_progress join teams on teams.id = job_progress.team_id where job_id = ${jobId}`.execute(query);
  return rows[0]?.room ?? 0;
}

/**
 * The hosts that pages of a job wait for, as a common table expression `open`: `fair` is the lane's share of the
 * requests that the host gets at once, `free` what is left of them, `mine` what the lane has open. A job that sets
 * `maxConcurrency` shares that among its own lanes, whatever other jobs do. A host that asked for rest gets half as many
 * requests for each strike.
 */
const openHosts = (job: ClaimingJob, { lane, fetching, requestsPerHost }: ClaimOrder) => sql`
    open as (
      select name, mine, greatest(1, most / (1 + others)) as fair, most - taken - mine as free
      from host cross join lateral (
        select greatest(1, coalesce(${job.max_concurrency}::int, ${requestsPerHost}::int) >> coalesce((
            select greatest(0, strikes - floor(extract(epoch from now() - struck_at) / ${FORGIVEN_AFTER_SECONDS}))::int
            from host_pauses where host_pauses.host = name), 0)) as most,
          coalesce((
            select amount from unnest(${list([...fetching.keys()], 'text')}, ${list([...fetching.values()], 'int')})
              as held (host, amount) where held.host = name), 0) as mine
      ) as limits cross join lateral (
        select count(*) filter (where wants and ${job.max_concurrency}::int is null)::int as others,
          coalesce(sum(taken), 0)::int as taken
        from host_leases
        where host_leases.host = name and lane <> ${lane} and expires_at > now()
          and (${job.max_concurrency}::int is null or starts_with(lane, ${`${job.id}/`}))
      ) as leases
      where name is not null
        and not exists (select from host_pauses where host_pauses.host = name and until > now())
        and not exists (
          select from robots_waits where robots_waits.job_id = ${job.id} and robots_waits.host = name and until > now())
        and exists (
          select from pages where job_id = ${job.id} and pages.host = name and status = 'pending' and due_at <= now())
      limit ${HOSTS_PER_CLAIM}
    )`;

/** Takes pages that are due, host by host, as the limits of job, team and hosts allow. */
export async function claim(query: Query, job: ClaimingJob, order: ClaimOrder): Promise<Claim[]> {
  if (job.status !== 'scraping' || job.paused || (job.delay_ms && !job.due)) return [];
  const room = await roomOf(query, job.id);
  // With a delay the pages come one by one.
  const want = Math.min(order.want, room, job.creditsLeft ?? order.want, job.delay_ms ? 1 : order.want);
  if (want < 1) return [];
  const { rows } = await sql<Claim>`
    with recursive progress as (
      select greatest(0, ${CAPACITY} - admitted) as left_over from job_progress where job_id = ${job.id}
    ), ${pendingHosts(job.id)}, ${openHosts(job, order)}, candidate as (
      select page.id, page.ordinal, page.first, row_number() over (order by page.ordinal) as n
      from open cross join lateral (
        select id, ordinal, not admitted as first from pages
        where job_id = ${job.id} and host = name and status = 'pending' and due_at <= now()
        order by ordinal
        limit greatest(0, least(fair - mine, free))
      ) as page
    ), picked as (
      select id, first from candidate
      where n <= ${want} and (not first or (
        select count(*) from candidate as before where before.first and before.n <= candidate.n
      ) <= (select left_over from progress))
    ), wish as (
      insert into host_leases (host, lane, expires_at)
      select name, ${order.lane}, now() + make_interval(secs => ${WISH_SECONDS}) from open
      where mine = 0 and free < 1
      on conflict (host, lane) do update set expires_at = excluded.expires_at, taken = 0, wants = true
    ), counted as (
      update job_progress set
        admitted = admitted + (select count(*) from picked where first),
        next_claim_at = case when delay_ms is null or not exists (select from picked) then next_claim_at
          else now() + make_interval(secs => delay_ms / 1000.0) end
      where job_id = ${job.id}
    )
    update pages set status = 'claimed', admitted = true, lane = ${order.lane},
      claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    from picked where pages.id = picked.id
    returning pages.id, ordinal, url, host, depth, attempts, losses, hidden,
      (extract(epoch from now() - due_at) * 1000)::float8 as "waitedMs"`.execute(query);
  return rows.sort((one, other) => one.ordinal - other.ordinal);
}

/** Writes down how many requests a lane has open at each host: those that it had, and those for the pages it took now. */
export async function holdHosts(query: Query, order: ClaimOrder, claims: { host: string }[]): Promise<void> {
  const { lane, want } = order;
  const taken = new Map(order.fetching);
  for (const { host } of claims) taken.set(host, (taken.get(host) ?? 0) + 1);
  await sql`
    with held as (
      select * from unnest(${list([...taken.keys()], 'text')}, ${list([...taken.values()], 'int')}) as held (host, amount)
    ), gone as (
      delete from host_leases where lane = ${lane} and taken > 0 and host not in (select host from held)
    )
    insert into host_leases as lease (host, lane, taken, wants, expires_at)
    select host, ${lane}, amount, ${want > 0}, now() + make_interval(secs => ${CLAIM_SECONDS}) from held
    on conflict (host, lane) do update
      set taken = excluded.taken, wants = excluded.wants, expires_at = excluded.expires_at
      where (lease.taken, lease.wants) is distinct from (excluded.taken, excluded.wants)
        or lease.expires_at < now() + make_interval(secs => ${CLAIM_SECONDS * 0.7})`.execute(query);
}

/** What a job's workflow plans its lanes by. */
export interface JobSurvey {
  /** Milliseconds until the next page is due; `undefined` when none waits for its time. */
  dueInMs: number | undefined;
  /** Hosts that pages wait for, counted up to a few. */
  hosts: number;
  /** Pages that have not ended. */
  open: number;
  maxConcurrency: number | null;
  delayMs: number | null;
  teamConcurrency: number;
}

const HOSTS_COUNTED = 64;

/** Frees what lanes hold that are gone for good, and looks around. */
export async function surveyJob(db: Database, jobId: string): Promise<JobSurvey> {
  const { rows } = await sql<Omit<JobSurvey, 'dueInMs'> & { due: number | null }>`
    with recursive freed as (
      update pages set status = 'pending', lane = null, claimed_until = null, losses = losses + 1
      where job_id = ${jobId} and status = 'claimed' and claimed_until < now()
        and team_id = (select team_id from job_progress where job_id = ${jobId})
      returning 1
    ), ${pendingHosts(jobId)}, few as (
      select name from host where name is not null limit ${HOSTS_COUNTED}
    ), due as (
      select case when exists (select from freed) then now() else (
        select min(greatest((
            select min(due_at) from (
              select due_at from pages where job_id = ${jobId} and host = name and status = 'pending'
              order by ordinal limit 200) as first), until, (
            select max(robots_waits.until) from robots_waits
            where robots_waits.job_id = ${jobId} and robots_waits.host = name)))
        from few left join host_pauses on host_pauses.host = name) end as at
    )
    select (extract(epoch from greatest(at, next_claim_at) - now()) * 1000)::float8 as due,
      (select count(*) from few)::int as hosts,
      ${OPEN}::int as open, delay_ms as "delayMs",
      max_concurrency as "maxConcurrency", teams.concurrency as "teamConcurrency"
    from due, job_progress join teams on teams.id = job_progress.team_id
    where job_id = ${jobId}`.execute(db.query);
  const row = rows[0];
  if (!row) throw new ServiceError('NOT_FOUND', `Job ${jobId} does not exist (any more).`);
  const { due, ...survey } = row;
  return { ...survey, dueInMs: due === null ? undefined : Math.max(0, Math.round(due)) };
}

/** A page that is in nobody's hands. */
const UNCLAIMED = { status: 'pending', lane: null, claimed_until: null } as const;

/**
 * Gives back what lanes hold whose name begins like this.
 * @param options.lost counts against the pages: whoever held them died with them
 */
export async function releaseLanes(
  db: Database,
  { jobId, lane, lost }: { jobId: string; lane: string; lost: boolean },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ ...UNCLAIMED, losses: sql<number>`losses + ${lost ? 1 : 0}` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('lane', 'like', `${lane}%`)
    .where('team_id', '=', ({ selectFrom }) =>
      selectFrom('job_progress').select('team_id').where('job_id', '=', jobId),
    )
    .execute();
  await db.query.deleteFrom('host_leases').where('lane', 'like', `${lane}%`).execute();
}

/** Holds on to what a lane has. */
export async function renewLane(
  db: Database,
  { jobId, lane }: { jobId: string; lane: string },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ claimed_until: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('lane', '=', lane)
    .execute();
  await db.query
    .updateTable('host_leases')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('lane', '=', lane)
    .where('taken', '>', 0)
    .execute();
}

/** A host that asked for rest: nobody claims its pages for so long, and afterwards fewer at once. */
export async function pauseHosts(db: Database, pauses: Map<string, number>): Promise<void> {
  await sql`
    insert into host_pauses (host, until)
    select host, now() + make_interval(secs => ms / 1000.0)
    from unnest(${[...pauses.keys()]}::text[], ${[...pauses.values()]}::int[]) as given (host, ms)
    on conflict (host) do update set until = greatest(host_pauses.until, excluded.until),
      strikes = case when host_pauses.struck_at > now() - interval '1 second' then host_pauses.strikes
        else least(3, greatest(0, host_pauses.strikes
          - floor(extract(epoch from now() - host_pauses.struck_at) / ${FORGIVEN_AFTER_SECONDS})) + 1) end,
      struck_at = now()`.execute(db.query);
}
