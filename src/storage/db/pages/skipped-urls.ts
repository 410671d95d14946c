import { sql } from 'kysely';
import type { JobCipher } from '../../../system/encryption/job-cipher.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';

/** URLs that a crawl found and does not visit. */
export interface SkippedUrls {
  /** URLs that robots.txt excludes. */
  blocked: string[];
  /** Home pages of other sites. */
  homepages: string[];
}

/** The error code with which home pages of other sites are listed. */
export const EXTERNAL_HOMEPAGE_CODE = 'EXTERNAL_LINK';
/** Maximum number of URLs of each kind that are listed. */
const MAX_LISTED = 1_000;
/**
 * Maximum number of URLs excluded by robots.txt that are stored for each job. Further ones are not counted.
 */
const MAX_STORED = 100_000;

/** Records URLs that a job skips, each once. The caller must have locked the job. */
export async function addSkipped(
  query: Queryable,
  jobId: string,
  { blocked = [], homepages = [] }: Partial<SkippedUrls>,
  cipher: JobCipher,
): Promise<void> {
  if (blocked.length) {
    await sql`
      with added as (${insertSkipped(jobId, blocked, null, cipher)}
        where (select blocked from job_progress where job_id = ${jobId}) < ${MAX_STORED}
        on conflict do nothing returning 1
      )
      update job_progress set blocked = blocked + (select count(*) from added)
      where job_id = ${jobId}`.execute(query);
  }
  if (homepages.length) {
    await sql`${insertSkipped(jobId, homepages, EXTERNAL_HOMEPAGE_CODE, cipher)}
      where (select count(*) from blocked_urls where job_id = ${jobId} and code = ${EXTERNAL_HOMEPAGE_CODE}) < ${MAX_LISTED}
      on conflict do nothing`.execute(query);
  }
}

const insertSkipped = (jobId: string, urls: string[], code: string | null, cipher: JobCipher) => sql`
  insert into blocked_urls (job_id, url, url_hash, code)
  select ${jobId}, url, md5(text), ${code}::text
  from unnest(${arrayParameter(urls.map(cipher.encrypt), 'text')}, ${arrayParameter(urls.map(cipher.hash), 'text')}) as given (url, text)`;

/** Lists the first URLs of each kind that a job skips, encrypted if the job is. */
export async function listSkipped(db: Database, jobId: string) {
  const listed = db.query
    .selectFrom('blocked_urls')
    .select(['id', 'url', 'created_at'])
    .where('job_id', '=', jobId)
    .orderBy('created_at')
    .limit(MAX_LISTED);
  const [blocked, homepages] = await Promise.all([
    listed.where('code', 'is', null).execute(),
    listed.where('code', '=', EXTERNAL_HOMEPAGE_CODE).execute(),
  ]);
  return { blocked: blocked.map(({ url }) => url), homepages };
}

/** Finds the job that lists the home page of another site under this id, unless the job has expired. */
export async function findSkippedHomepage(db: Database, id: string) {
  return db.query
    .selectFrom('blocked_urls')
    .innerJoin('jobs', 'jobs.id', 'blocked_urls.job_id')
    .select(['jobs.id as job_id', 'jobs.team_id', 'jobs.wrapped_key as wrappedKey', 'blocked_urls.url'])
    .where('blocked_urls.id', '=', id)
    .where('blocked_urls.code', 'is not', null)
    .where(sql<boolean>`(jobs.status = 'scraping' or jobs.expires_at > now())`)
    .executeTakeFirst();
}
