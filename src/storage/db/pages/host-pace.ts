import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Hosts that are listed at most. A batch may have as many hosts as pages. */
const MAX_LISTED = 100;

/** How quickly a host of a job responds, and what keeps its pages waiting. */
export interface HostPace {
  host: string;
  /** Number of fetches that have ended, also of pages that were tried again. */
  requests: number;
  /** `null` before the first fetch has ended. */
  averageMs: number | null;
  /** Until when it gets no requests, because it asked to slow down; `null` if it may get some. */
  pausedUntil: Date | null;
  /** When its robots.txt, which is unavailable, is requested again. */
  robotsUntil: Date | null;
}

/** Lists the hosts of a job: those that wait first, then the slowest ones. */
export async function listHostPace(db: Database, jobId: string): Promise<HostPace[]> {
  const { rows } = await sql<HostPace>`
    with waiting as (
      select host, max(until) as until from robots_waits
      where job_id = ${jobId} and not given_up and until > now() group by host
    )
    select host, coalesce(requests, 0) as requests, round(ms::numeric / nullif(requests, 0))::int as "averageMs",
      case when host_pauses.until > now() then host_pauses.until end as "pausedUntil", waiting.until as "robotsUntil"
    from (select host, requests, ms from host_times where job_id = ${jobId}) as times
      full join waiting using (host) left join host_pauses using (host)
    order by waiting.until is null, host_pauses.until > now() is not true, ms::numeric / nullif(requests, 0) desc nulls last, host
    limit ${MAX_LISTED}`.execute(db.query);
  return rows;
}
