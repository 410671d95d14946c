import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { Database } from '../client.ts';
import { OPEN_PAGES } from '../jobs/job-progress.ts';
import { pendingHosts } from './pages.ts';

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
      update pages set status = 'pending', page_worker = null, claimed_until = null, losses = losses + 1
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
