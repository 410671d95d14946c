import { sql } from 'kysely';
import type { Seal } from '../seal.ts';
import type { Database } from './client.ts';

/** The crawl that asks for a robots.txt. */
export interface RobotsReader {
  jobId: string;
  /** How the crawl is written down. */
  seal: Seal;
}

/** A crawl reads a file again that is older than this. */
const FRESH_SECONDS = 3_600;
/** So long the last copy stands in for a file that is unavailable (RFC 9309 2.3.1.4). */
const KEPT_DAYS = 30;

/**
 * Finds the last copy of a robots.txt, be it from another crawl or another worker.
 * @param reader `undefined`: the copy is for somebody to whom no copy is fresh
 * @returns the copy, and whether it was read since the crawl began and within the last hour; `undefined` where there is
 *   none of the last thirty days
 */
export async function findRobotsFile(
  db: Database,
  origin: string,
  reader: RobotsReader | undefined,
): Promise<{ file: Buffer; isFresh: boolean } | undefined> {
  const keys = [...new Set([origin, reader?.seal.hash(origin) ?? origin])];
  const { rows } = await sql<{ file: Buffer; isSealed: boolean; isFresh: boolean | null }>`
    select file, robots_files.job_id is not null as "isSealed",
      fetched_at > now() - make_interval(secs => ${FRESH_SECONDS})
        and fetched_at >= (select created_at from jobs where id = ${reader?.jobId ?? null}) as "isFresh"
    from robots_files
    where key = any(${keys}::text[]) and fetched_at > now() - make_interval(days => ${KEPT_DAYS})
    order by fetched_at desc limit 1`.execute(db.query);
  const [found] = rows;
  if (!found) return undefined;
  const file = found.isSealed && reader ? reader.seal.openBytes(found.file) : found.file;
  return { file, isFresh: found.isFresh ?? false };
}

/** Keeps what a host answered in place of its earlier copy; that of a sealed crawl is the crawl's own. */
export async function keepRobotsFile(
  db: Database,
  { origin, reader, file }: { origin: string; reader: RobotsReader | undefined; file: Buffer },
): Promise<void> {
  const isSealed = reader?.seal.isSealed ?? false;
  const row = {
    key: reader?.seal.hash(origin) ?? origin,
    job_id: reader && isSealed ? reader.jobId : null,
    file: reader?.seal.closeBytes(file) ?? file,
    fetched_at: sql<Date>`now()`,
  };
  await db.query
    .insertInto('robots_files')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ file: row.file, fetched_at: row.fetched_at }),
    )
    .execute();
}

/** Deletes copies that stand in for nothing any more. */
export async function forgetRobotsFiles(db: Database): Promise<void> {
  await sql`delete from robots_files where fetched_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(
    db.query,
  );
}

/** The host of some pages of a crawl. */
export interface RobotsPlace extends RobotsReader {
  url: URL;
}

/** A host of a crawl whose robots.txt is unavailable, and of which there is no copy. */
export interface RobotsWait {
  /** Milliseconds until it is asked for again; 0 when that is due. */
  waitMs: number;
  /** The time for it is over. */
  isGivenUp: boolean;
  tries: number;
  /** What the last request for it met. */
  reason: string;
}

/** Finds out whether a crawl waits for the robots.txt of a host. */
export async function findRobotsWait(
  db: Database,
  { jobId, seal, url }: RobotsPlace,
): Promise<RobotsWait | undefined> {
  const row = await db.query
    .selectFrom('robots_waits')
    .select(['tries', 'given_up as isGivenUp', 'reason'])
    .select(sql<number>`greatest(0, extract(epoch from until - now()) * 1000)::float8`.as('waitMs'))
    .where('job_id', '=', jobId)
    .where('host', '=', seal.hash(url.host))
    .where('scheme', '=', url.protocol)
    .executeTakeFirst();
  return row && { ...row, waitMs: Math.ceil(row.waitMs), reason: seal.open(row.reason) };
}

/** The first pause; each one after it is twice as long. */
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;

/**
 * Notes that a robots.txt was asked for in vain: no page of the host is claimed until it is asked for again. Workers
 * that asked at the same time count once.
 * @param failure.restMs how long the host itself wants to be left alone
 * @param failure.patienceMs after so long the host is given up
 */
export async function noteRobotsWait(
  db: Database,
  { jobId, seal, url }: RobotsPlace,
  failure: { reason: string; restMs: number; patienceMs: number },
): Promise<void> {
  const rest = failure.restMs / 1000;
  const patience = sql`make_interval(secs => ${failure.patienceMs / 1000})`;
  const seconds = (value: unknown) => sql`make_interval(secs => greatest(${rest}::float8, ${value}))`;
  await sql`
    insert into robots_waits as known (job_id, host, scheme, reason, until)
    values (${jobId}, ${seal.hash(url.host)}, ${url.protocol}, ${seal.close(failure.reason)},
      now() + ${seconds(sql`${FIRST_PAUSE_SECONDS}::float8`)})
    on conflict (job_id, host, scheme) do update set
      reason = excluded.reason,
      tries = known.tries + 1,
      given_up = now() - known.since >= ${patience},
      until = case when now() - known.since >= ${patience} then known.until else now() + ${seconds(sql`
        least(${LONGEST_PAUSE_SECONDS}::float8, ${FIRST_PAUSE_SECONDS}::float8 * 2 ^ known.tries,
          extract(epoch from known.since + ${patience} - now()))`)} end
    where known.until <= now() and not known.given_up`.execute(db.query);
}

/** The host has said what it allows. */
export async function endRobotsWait(db: Database, { jobId, seal, url }: RobotsPlace): Promise<void> {
  await db.query
    .deleteFrom('robots_waits')
    .where('job_id', '=', jobId)
    .where('host', '=', seal.hash(url.host))
    .where('scheme', '=', url.protocol)
    .execute();
}
