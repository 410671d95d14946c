import { sql } from 'kysely';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import { PREPARED } from '../prepared-statements.ts';
import { CLAIM_SECONDS } from './claims.ts';

/** Seconds after which a host loses one strike. */
export const STRIKE_SECONDS = 30;
/**
 * Maximum number of strikes of a host. Each halves the limit of requests, which never falls below an eighth.
 */
const MAX_STRIKES = 3;
/** A lease is written again when less than this share of its time is left, or when it changes. */
const RENEWED_BELOW = 0.7;

/** The requests of a page worker to hosts. */
export interface HostRequests {
  /** Number of requests that are open at each host. */
  openRequests: Map<string, number>;
  /** Number of pages of each host that are claimed ahead and not begun with; none by default. */
  ahead?: Map<string, number>;
  /** How many requests the last claim allowed to be open at each host; none by default. */
  allowed?: ReadonlyMap<string, number>;
}

/**
 * Records how many requests a page worker may have open at each host until it records them again: those that
 * are open, and those that it may begin for the pages that it has claimed. While a claim runs, the page
 * worker still begins as many as the claim before it allowed.
 */
export async function renewHostLeases(
  query: Queryable,
  worker: HostRequests & { pageWorker: string; maxPages: number },
  { claims, allowed }: { claims: { host: string }[]; allowed: ReadonlyMap<string, number> },
): Promise<void> {
  const { pageWorker, maxPages, openRequests, ahead = new Map<string, number>() } = worker;
  const held = new Map(openRequests);
  const add = (host: string, count: number) => held.set(host, (held.get(host) ?? 0) + count);
  for (const [host, count] of ahead) add(host, count);
  for (const { host } of claims) add(host, 1);
  const taken = new Map(
    [...held].map(([host, count]) => {
      const limit = Math.max(allowed.get(host) ?? 0, worker.allowed?.get(host) ?? 0);
      return [host, Math.max(openRequests.get(host) ?? 0, Math.min(count, limit))];
    }),
  );
  await sql`${PREPARED}
    with held as (
      select * from unnest(${arrayParameter([...taken.keys()], 'text')}, ${arrayParameter([...taken.values()], 'int')}) as held (host, amount)
    ), ended as (
      delete from host_leases where page_worker = ${pageWorker} and taken > 0 and host not in (select host from held)
    )
    insert into host_leases as lease (host, page_worker, taken, wants, expires_at)
    select host, ${pageWorker}, amount, ${maxPages > 0}, now() + make_interval(secs => ${CLAIM_SECONDS}) from held
    on conflict (host, page_worker) do update
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
