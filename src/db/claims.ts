import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';
import { list, type Query } from './pages.ts';
import { CAPACITY } from './progress.ts';

/** How long a claim holds without renewal. */
const CLAIM_SECONDS = 30;
/** Hosts looked at for one claim. */
const HOSTS_PER_CLAIM = 64;
/** Requests that one host gets at once, from all jobs together, where a job asks for nothing else. */
export const REQUESTS_PER_HOST = 8;
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
  /** Requests that this lane may have open at the host. */
  share: number;
}

/** A job whose row is locked, and how many pages more it may have in hand. */
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
  room: number;
}

/** Who claims, and how much. */
export interface ClaimOrder {
  lane: string;
  /** Most pages to claim. */
  want: number;
  /** Pages that the lane has of each host. */
  inHand: Map<string, number>;
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

/** Takes pages that are due, host by host, as the limits of job, team and hosts allow. */
export async function claim(query: Query, job: ClaimingJob, order: ClaimOrder): Promise<Claim[]> {
  // With a delay the pages come one by one.
  const want = Math.min(order.want, job.room, job.creditsLeft ?? order.want, job.delay_ms ? 1 : order.want);
  if (want < 1 || job.status !== 'scraping' || job.paused) return [];
  if (job.delay_ms && !job.due) return [];
  const hosts = [...order.inHand.keys()];
  const { rows } = await sql<Claim>`
    with recursive progress as (
      select greatest(0, ${CAPACITY} - admitted) as left_over from job_progress where job_id = ${job.id}
    ), ${pendingHosts(job.id)}, open as (
      select name, greatest(1, (case when ${job.max_concurrency}::int is null
          then ${REQUESTS_PER_HOST} / (1 + (
            select count(*) from host_leases
            where host_leases.host = name and lane <> ${order.lane} and expires_at > now()))
          else ${job.max_concurrency}::int end)::int
          >> coalesce((
            select greatest(0, strikes - floor(extract(epoch from now() - struck_at) / ${FORGIVEN_AFTER_SECONDS}))::int
            from host_pauses where host_pauses.host = name), 0)) as share
      from host
      where name is not null
        and not exists (select from host_pauses where host_pauses.host = name and until > now())
        and not exists (
          select from robots_waits where robots_waits.job_id = ${job.id} and robots_waits.host = name and until > now())
        and exists (
          select from pages where job_id = ${job.id} and pages.host = name and status = 'pending' and due_at <= now())
      limit ${HOSTS_PER_CLAIM}
    ), candidate as (
      select page.id, page.ordinal, page.first, share, row_number() over (order by page.ordinal) as n
      from open cross join lateral (
        select id, ordinal, not admitted as first from pages
        where job_id = ${job.id} and host = name and status = 'pending' and due_at <= now()
        order by ordinal
        limit greatest(0, 2 * share - coalesce((
          select amount from unnest(${list(hosts, 'text')}, ${list([...order.inHand.values()], 'int')})
            as held (host, amount) where held.host = name), 0))
      ) as page
    ), picked as (
      select id, share, first from candidate
      where n <= ${want} and (not first or (
        select count(*) from candidate as before where before.first and before.n <= candidate.n
      ) <= (select left_over from progress))
    ), lease as (
      insert into host_leases (host, lane, expires_at)
      select distinct host, ${order.lane}, now() + make_interval(secs => ${CLAIM_SECONDS})
      from picked join pages on pages.id = picked.id
      on conflict (host, lane) do update set expires_at = excluded.expires_at
      where host_leases.expires_at < now() + make_interval(secs => ${CLAIM_SECONDS * 0.7})
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
    returning pages.id, ordinal, url, host, depth, attempts, losses, hidden, share,
      (extract(epoch from now() - due_at) * 1000)::float8 as "waitedMs"`.execute(query);
  return rows.sort((one, other) => one.ordinal - other.ordinal);
}

/** What a job's workflow plans its lanes by. */
export interface JobSurvey {
  /** Milliseconds until the next page is due; `undefined` when none waits for its time. */
  dueInMs: number | undefined;
  /** Hosts that pages wait for, counted up to a few. */
  hosts: number;
  maxConcurrency: number | null;
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
    .execute();
}

/** Gives back pages that a lane has not begun. */
export async function giveBack(db: Database, lane: string, ids: string[]): Promise<void> {
  await db.query
    .updateTable('pages')
    .set(UNCLAIMED)
    .where('id', 'in', ids)
    .where('status', '=', 'claimed')
    .where('lane', '=', lane)
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
