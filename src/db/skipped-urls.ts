import { sql } from 'kysely';
import type { JobCipher } from '../encryption/job-cipher.ts';
import type { Database } from './client.ts';
import { list, type Query } from './pages.ts';

/** URLs that a crawl found and does not visit. */
export interface SkippedUrls {
  /** URLs that robots.txt excludes. */
  blocked: string[];
  /** Home pages of other sites. */
  homepages: string[];
}

/** The error code with which home pages of other sites are listed. */
export const HOMEPAGE_CODE = 'EXTERNAL_LINK';
/** Maximum number of URLs of each kind that are listed. */
const MOST_LISTED = 1_000;
/**
 * Maximum number of URLs excluded by robots.txt that are stored for each job. Further ones are not counted.
 */
const MOST_COUNTED = 100_000;

/** Records URLs that a job skips, each once. The caller must have locked the job. */
export async function addSkipped(
  query: Query,
  jobId: string,
  { blocked = [], homepages = [] }: Partial<SkippedUrls>,
  cipher: JobCipher,
): Promise<void> {
  if (blocked.length) {
    await sql`
      with added as (${insertOf(jobId, blocked, null, cipher)}
        where (select blocked from job_progress where job_id = ${jobId}) < ${MOST_COUNTED}
        on conflict do nothing returning 1
      )
      update job_progress set blocked = blocked + (select count(*) from added)
      where job_id = ${jobId}`.execute(query);
  }
  if (homepages.length) {
    await sql`${insertOf(jobId, homepages, HOMEPAGE_CODE, cipher)}
      where (select count(*) from blocked_urls where job_id = ${jobId} and code = ${HOMEPAGE_CODE}) < ${MOST_LISTED}
      on conflict do nothing`.execute(query);
  }
}

const insertOf = (jobId: string, urls: string[], code: string | null, cipher: JobCipher) => sql`
  insert into blocked_urls (job_id, url, url_hash, code)
  select ${jobId}, url, md5(text), ${code}::text
  from unnest(${list(urls.map(cipher.encrypt), 'text')}, ${list(urls.map(cipher.hash), 'text')}) as given (url, text)`;

/** Lists the first URLs of each kind that a job skips, encrypted if the job is. */
export async function listSkipped(db: Database, jobId: string) {
  const listed = db.query
    .selectFrom('blocked_urls')
    .select(['id', 'url', 'created_at'])
    .where('job_id', '=', jobId)
    .orderBy('created_at')
    .limit(MOST_LISTED);
  const [blocked, homepages] = await Promise.all([
    listed.where('code', 'is', null).execute(),
    listed.where('code', '=', HOMEPAGE_CODE).execute(),
  ]);
  return { blocked: blocked.map(({ url }) => url), homepages };
}

/** Finds the job that lists the home page of another site under this id, unless the job has expired. */
export async function findSkipped(db: Database, id: string) {
  return db.query
    .selectFrom('blocked_urls')
    .innerJoin('jobs', 'jobs.id', 'blocked_urls.job_id')
    .select(['jobs.id as job_id', 'jobs.team_id', 'jobs.seal'])
    .where('blocked_urls.id', '=', id)
    .where('blocked_urls.code', 'is not', null)
    .where(sql<boolean>`(jobs.status = 'scraping' or jobs.expires_at > now())`)
    .executeTakeFirst();
}
