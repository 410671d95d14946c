import { sql } from 'kysely';
import { withoutCredentials } from '../../../url/credentials.ts';
import { arrayParameter, type Database } from '../client.ts';
import { EXTERNAL_HOMEPAGE_CODE } from '../pages/skipped-urls.ts';
import { MAX_CLAIMED_PAGES, OPEN_PAGES } from './job-progress.ts';

/** The fetch times of one host. */
export interface HostTime {
  host: string;
  /** Number of fetches of pages from the host. */
  requests: number;
  /** Total duration of these fetches in milliseconds. */
  ms: number;
}

/** A page that failed, as the Temporal UI names it. */
export interface FailedPage {
  /** See {@link shownUrl}. */
  url: string;
  code: string;
}

/** Characters of a URL that the Temporal UI shows at most. */
const MAX_SHOWN_URL = 300;

/** A URL as the Temporal UI shows it: without its password, and cut off if it is long. */
export const shownUrl = (url: string): string => withoutCredentials(url).slice(0, MAX_SHOWN_URL);

/** Failed pages that a summary names at most, so that the result of a workflow stays small. */
const MAX_FAILED_PAGES = 20;

/** The outcome of a batch or crawl: numbers, and the pages that failed. It has no content of pages. */
export interface JobSummary {
  status: string;
  pages: number;
  completed: number;
  /** Number of failed pages by error code. */
  failures: Record<string, number>;
  /** The first failed pages; absent if no page failed. */
  failedPages?: FailedPage[];
  credits: number;
  /** The host with the longest average fetch time; absent if no page was fetched. */
  slowestHost?: { host: string; requests: number; averageMs: number };
  /** Number of URLs that the job found but did not scrape, by reason. */
  skipped: Partial<Record<SkippedKind, number>>;
}

/** Why a URL that a job found is not one of its pages. */
type SkippedKind =
  | 'robots.txt'
  | 'home page of another site'
  | 'same page as another'
  | 'trap'
  | 'limit'
  | 'not attempted';

/** Adds the fetch times that one chunk of a job measured. */
export async function addHostTimes(db: Database, jobId: string, times: HostTime[]): Promise<void> {
  if (!times.length) return;
  const column = (pick: (time: HostTime) => unknown, type: string) => arrayParameter(times.map(pick), type);
  await sql`
    insert into host_times (job_id, host, requests, ms)
    select ${jobId}, * from unnest(
      ${column(({ host }) => host, 'text')}, ${column(({ requests }) => requests, 'int')},
      ${column(({ ms }) => Math.round(ms), 'bigint')})
    on conflict (job_id, host) do update
    set requests = host_times.requests + excluded.requests, ms = host_times.ms + excluded.ms`.execute(
    db.query,
  );
}

/** Summarizes a job. @returns `undefined` if the job does not exist or has zero data retention */
export async function summarizeJob(db: Database, jobId: string): Promise<JobSummary | undefined> {
  const { rows } = await sql<{
    status: string;
    pages: number;
    completed: number;
    credits: number;
    failures: Record<string, number> | null;
    failed: FailedPage[] | null;
    slowest: JobSummary['slowestHost'] | null;
    blocked: number;
    external: number;
    duplicates: number;
    trapped: number;
    unclaimed: number;
  }>`
    select jobs.status, (${OPEN_PAGES} + completed + failed)::int as pages, completed, progress.credits,
      (select json_object_agg(code, count) from (
        select error ->> 'code' as code, count(*)::int from pages
        where job_id = jobs.id and status = 'failed' group by 1 order by 2 desc) as by_code) as failures,
      (select json_agg(first) from (
        select url, error ->> 'code' as code from pages
        where job_id = jobs.id and status = 'failed' order by ordinal limit ${MAX_FAILED_PAGES}) as first) as failed,
      (select json_build_object('host', host, 'requests', requests, 'averageMs', round(ms::numeric / requests)) from host_times
        where job_id = jobs.id order by ms::numeric / requests desc limit 1) as slowest,
      progress.blocked,
      (select count(*)::int from blocked_urls where job_id = jobs.id and code = ${EXTERNAL_HOMEPAGE_CODE}) as external,
      (select count(*)::int from pages where job_id = jobs.id and status = 'dropped' and not exists (
        select from blocked_urls where job_id = jobs.id and md5(url) = md5(pages.url))) as duplicates,
      (select coalesce(sum(value::int), 0)::int from jsonb_each_text(coalesce(notes -> 'traps', '{}'))) as trapped,
      greatest(0, known - ${MAX_CLAIMED_PAGES})::int as "unclaimed"
    from job_progress as progress join jobs on jobs.id = progress.job_id
    where job_id = ${jobId} and jobs.wrapped_key is null`.execute(db.query);
  const [row] = rows;
  if (!row) return undefined;
  const {
    status,
    pages,
    completed,
    credits,
    failures,
    failed,
    slowest,
    blocked,
    external,
    duplicates,
    trapped,
    unclaimed,
  } = row;
  const skipped: Record<SkippedKind, number> = {
    'robots.txt': blocked,
    'home page of another site': external,
    'same page as another': duplicates,
    trap: trapped,
    limit: status === 'completed' ? unclaimed : 0,
    'not attempted': status === 'completed' ? 0 : unclaimed,
  };
  return {
    status,
    pages,
    completed,
    failures: failures ?? {},
    ...(failed && { failedPages: failed.map(({ url, code }) => ({ url: shownUrl(url), code })) }),
    credits,
    ...(slowest && { slowestHost: slowest }),
    skipped: Object.fromEntries(Object.entries(skipped).filter(([, count]) => count > 0)),
  };
}
