import { sql } from 'kysely';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import { CLAIM_SECONDS } from './claims.ts';

/** Seconds after which a host loses one strike. */
export const STRIKE_SECONDS = 30;
/** Maximum number of strikes of a host. Each halves the limit of requests, which never falls below an eighth. */
const MAX_STRIKES = 3;
/** A lease is written again when less than this share of its time is left, or when it changes. */
const RENEWED_BELOW = 0.7;

/**
 * Records how many requests a page worker has open at each host, including those for the pages that it has just
 * claimed.
 */
export async function renewHostLeases(
  query: Queryable,
  worker: { pageWorker: string; maxPages: number; openRequests: Map<string, number> },
  claims: { host: string }[],
): Promise<void> {
  const { pageWorker, maxPages } = worker;
  const taken = new Map(worker.openRequests);
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
        or lease.expires_at < now() + make_interval(secs => ${CLAIM_SECONDS * RENEWED_BELOW})`.execute(query);
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
        else least(${MAX_STRIKES}::int, greatest(0, host_pauses.strikes
          - floor(extract(epoch from now() - host_pauses.struck_at) / ${STRIKE_SECONDS})) + 1) end,
      struck_at = now()`.execute(db.query);
}
