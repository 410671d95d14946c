import { sql } from 'kysely';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import type { Database } from './client.ts';

/** The crawl that a robots.txt is read for. */
export interface RobotsCrawl {
  jobId: string;
  /** The encryption of the crawl's data. */
  cipher: JobCipher;
}

/** Seconds after which a crawl fetches a robots.txt again. */
const FRESH_SECONDS = 3_600;
/** Days for which the last copy replaces a robots.txt that is unavailable (RFC 9309 2.3.1.4). */
const KEPT_DAYS = 30;

/**
 * Finds the latest copy of a robots.txt, which may come from another crawl or another worker.
 * @param crawl `undefined` for requests outside a crawl, for which no copy counts as fresh
 * @returns the copy, and whether it is fresh: fetched after the crawl began and within the last hour;
 *   `undefined` if there is no copy from the last 30 days
 */
export async function findRobotsFile(
  db: Database,
  origin: string,
  crawl: RobotsCrawl | undefined,
): Promise<{ file: Buffer; isFresh: boolean } | undefined> {
  const keys = [...new Set([origin, crawl?.cipher.hash(origin) ?? origin])];
  const { rows } = await sql<{ file: Buffer; isEncrypted: boolean; isFresh: boolean | null }>`
    select file, robots_files.job_id is not null as "isEncrypted",
      fetched_at > now() - make_interval(secs => ${FRESH_SECONDS})
        and fetched_at >= (select created_at from jobs where id = ${crawl?.jobId ?? null}) as "isFresh"
    from robots_files
    where key = any(${keys}::text[]) and fetched_at > now() - make_interval(days => ${KEPT_DAYS})
    order by fetched_at desc limit 1`.execute(db.query);
  const [found] = rows;
  if (!found) return undefined;
  const file = found.isEncrypted && crawl ? crawl.cipher.decryptBytes(found.file) : found.file;
  return { file, isFresh: found.isFresh ?? false };
}

/**
 * Stores the robots.txt of a host in place of the earlier copy. A crawl with zero data retention stores an
 * encrypted copy of its own, which other crawls cannot read.
 */
export async function storeRobotsFile(
  db: Database,
  { origin, crawl, file }: { origin: string; crawl: RobotsCrawl | undefined; file: Buffer },
): Promise<void> {
  const isEncrypted = crawl?.cipher.encrypts ?? false;
  const row = {
    key: crawl?.cipher.hash(origin) ?? origin,
    job_id: crawl && isEncrypted ? crawl.jobId : null,
    file: crawl?.cipher.encryptBytes(file) ?? file,
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

/** Deletes copies that are too old to replace an unavailable robots.txt. */
export async function deleteOldRobotsFiles(db: Database): Promise<void> {
  await sql`delete from robots_files where fetched_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(
    db.query,
  );
}

/** A host of a crawl, identified by the URL of one of its pages. */
export interface RobotsHost extends RobotsCrawl {
  url: URL;
}

/** The wait of a crawl for a host's robots.txt that is unavailable and of which there is no copy. */
export interface RobotsWait {
  /** Milliseconds until the next request for it; 0 if the request is due. */
  waitMs: number;
  /** Whether the crawl has given up the host, because its robots.txt was unavailable for too long. */
  isGivenUp: boolean;
  tries: number;
  /** Why the last request for it failed. */
  reason: string;
}

/**
 * Reads the wait of a crawl for the robots.txt of a host; `undefined` if the crawl does not wait for it.
 */
export async function findRobotsWait(
  db: Database,
  { jobId, cipher, url }: RobotsHost,
): Promise<RobotsWait | undefined> {
  const row = await db.query
    .selectFrom('robots_waits')
    .select(['tries', 'given_up as isGivenUp', 'reason'])
    .select(sql<number>`greatest(0, extract(epoch from until - now()) * 1000)::float8`.as('waitMs'))
    .where('job_id', '=', jobId)
    .where('host', '=', cipher.hash(url.host))
    .where('scheme', '=', url.protocol)
    .executeTakeFirst();
  return row && { ...row, waitMs: Math.ceil(row.waitMs), reason: cipher.decrypt(row.reason) };
}

/** Seconds between the first two requests. Each later pause is twice as long, up to the maximum below. */
const MIN_PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 30;

/**
 * Records a failed request for a robots.txt. No page of the host is claimed until the next request is due.
 * Requests of several workers that fail at the same time count once.
 * @param failure.retryAfterMs how long the host asked us to wait, in milliseconds; 0 if it did not ask
 * @param failure.maxWaitMs milliseconds after the first failure until the crawl gives up the host
 */
export async function recordRobotsFailure(
  db: Database,
  { jobId, cipher, url }: RobotsHost,
  failure: { reason: string; retryAfterMs: number; maxWaitMs: number },
): Promise<void> {
  const retryAfter = failure.retryAfterMs / 1000;
  const maxWait = sql`make_interval(secs => ${failure.maxWaitMs / 1000})`;
  const seconds = (value: unknown) => sql`make_interval(secs => greatest(${retryAfter}::float8, ${value}))`;
  await sql`
    insert into robots_waits as known (job_id, host, scheme, reason, until)
    values (${jobId}, ${cipher.hash(url.host)}, ${url.protocol}, ${cipher.encrypt(failure.reason)},
      now() + ${seconds(sql`${MIN_PAUSE_SECONDS}::float8`)})
    on conflict (job_id, host, scheme) do update set
      reason = excluded.reason,
      tries = known.tries + 1,
      given_up = now() - known.since >= ${maxWait},
      until = case when now() - known.since >= ${maxWait} then known.until else now() + ${seconds(sql`
        least(${MAX_PAUSE_SECONDS}::float8, ${MIN_PAUSE_SECONDS}::float8 * 2 ^ known.tries,
          extract(epoch from known.since + ${maxWait} - now()))`)} end
    where known.until <= now() and not known.given_up`.execute(db.query);
}

/** Ends the wait of a crawl, after the robots.txt was read. */
export async function endRobotsWait(db: Database, { jobId, cipher, url }: RobotsHost): Promise<void> {
  await db.query
    .deleteFrom('robots_waits')
    .where('job_id', '=', jobId)
    .where('host', '=', cipher.hash(url.host))
    .where('scheme', '=', url.protocol)
    .execute();
}
