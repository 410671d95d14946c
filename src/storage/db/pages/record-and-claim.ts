import { sql } from 'kysely';
import type { PageEntry } from '../../../content/indexing/page-entry.ts';
import { ServiceError } from '../../../errors.ts';
import type { PageTrace } from '../../../schemas/page-trace.ts';
import { encryptError, type JobCipher } from '../../../system/encryption/job-cipher.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import { billedCredits } from '../jobs/ended-jobs.ts';
import {
  type CrawlStart,
  IS_FULL,
  lockJobProgress,
  OPEN_PAGES,
  recordCrawlStart,
} from '../jobs/job-progress.ts';
import { PAGES_SCALE, PREPARED, preparedAtScale } from '../prepared-statements.ts';
import type { StoredError } from '../tables.ts';
import { type ClaimRequest, claimPages, type LockedJob } from './claim-pages.ts';
import type { Claim } from './claims.ts';
import { renewHostLeases } from './host-limits.ts';
import { addIndexedPages } from './indexed-pages.ts';
import { addPages, encryptPages, hashPageKey, type NewPage } from './pages.ts';
import { addSkipped, type SkippedUrls } from './skipped-urls.ts';

/** The outcome of a claimed page. */
export interface PageResult {
  /** The scrape id of the page. */
  id: string;
  host: string;
  /** `unstarted`: nothing was requested, so the page becomes pending again as if it had not been claimed. */
  outcome: 'completed' | 'failed' | 'dropped' | 'retry' | 'unstarted';
  /** Key of the document's blob; `bytes` is the size of the document in API responses. */
  blob?: string;
  bytes?: number;
  /** Key of the blob with its requests and responses; `archiveBytes` is the size on the disk. */
  archive?: string;
  archiveBytes?: number;
  credits?: number;
  error?: StoredError;
  retryInMs?: number;
  /** Set for a retry that waits for robots.txt, which does not count as an attempt. */
  isUncounted?: boolean;
  /**
   * The URL that the page redirected to, if it is the URL of another page; `finalKey` is the key of that
   * page.
   */
  finalUrl?: string;
  finalKey?: Buffer;
  /** How the page went. */
  trace?: PageTrace;
  /** The entry of a completed page for the index of its team; absent if the page is not indexed. */
  entry?: PageEntry | undefined;
}

/** Whether a page has ended. Otherwise it will be claimed again. */
export const hasEnded = ({ outcome }: PageResult) => outcome !== 'retry' && outcome !== 'unstarted';

/** The results that a page worker reports, and its request for more pages. */
export interface RecordAndClaimRequest extends ClaimRequest, Partial<SkippedUrls> {
  jobId: string;
  /** The encryption of the job's data. */
  cipher: JobCipher;
  results: PageResult[];
  /** Set if the start page of a crawl is among `results`. */
  start?: CrawlStart | undefined;
  /** Pages that the scraped pages link to. */
  found: NewPage[];
  /** Whether to write a webhook event for each page that ends. */
  pageEvents: boolean;
}

/** The claimed pages, and the state of the job after the transaction. */
export interface RecordAndClaimResult {
  claims: Claim[];
  /** How many requests the page worker may have open at each host; a paused host is absent. */
  allowed: ReadonlyMap<string, number>;
  status: string;
  paused: boolean;
  /** The URL of the crawl's start page after redirects; `null` until that page has ended. */
  base: string | null;
  delayMs: number | null;
  total: number;
  completed: number;
  failed: number;
  credits: number;
  /** Size on the disk of what the archives of its pages have. */
  archivedBytes: number;
  /** Number of pages that have not ended. */
  open: number;
  /** Whether the page limit is reached. */
  full: boolean;
  /** Whether the team has fewer credits left than a page is expected to cost. */
  outOfCredits: boolean;
}

/**
 * Records the results of a page worker and claims more pages for it, in one transaction: it bills the pages
 * that ended, writes their webhook events and adds the pages that they link to. Results of pages that the
 * worker has no claim on (any more) are ignored, so that each page ends only once.
 */
export async function recordAndClaim(
  db: Database,
  request: RecordAndClaimRequest,
): Promise<RecordAndClaimResult> {
  return db.query.transaction().execute(async (query) => {
    const job = await lockJobAndTeam(query, request.jobId);
    // A job that has ended keeps the pages that it has. Results that arrive later are discarded.
    const isOpen = job.status === 'scraping';
    if (isOpen && request.results.length) await recordResults(query, job, request);
    if (isOpen && request.start) await recordCrawlStart(query, job.id, request.start, request.cipher);
    if (isOpen && request.found.length) {
      const { id, teamId, known, pageLimit, scale } = job;
      const found = encryptPages(request.found, request.cipher);
      await addPages(query, { id, teamId, known, pageLimit, scale }, found);
    }
    await addSkipped(query, job.id, request, request.cipher);
    const wantsPages = request.maxPages + (request.maxAhead ?? 0) > 0;
    const claimed = wantsPages ? await claimPages(query, job, request) : undefined;
    const allowed = claimed?.allowed ?? request.allowed ?? new Map<string, number>();
    await renewHostLeases(query, request, { claims: claimed?.claims ?? [], allowed });
    const entries = isOpen ? request.results.flatMap(({ entry }) => entry ?? []) : [];
    await addIndexedPages(query, job.teamId, entries);
    const claims = (claimed?.claims ?? []).map((page) => ({
      ...page,
      url: request.cipher.decrypt(page.url),
    }));
    const { base, ...state } = await readJobState(query, request.jobId);
    return {
      ...state,
      base: base && request.cipher.decrypt(base),
      claims,
      allowed,
    };
  });
}

interface LockedPageJob extends LockedJob {
  teamId: string;
  apiKeyId: string | null;
  kind: string;
  known: number;
  completed: number;
  bytes: number;
  pageLimit: number | null;
}

/**
 * Locks the job and its team until the transaction ends. The transactions that claim pages or slots of a
 * team therefore run one after another, which keeps the team within its limits exactly.
 */
async function lockJobAndTeam(query: Queryable, jobId: string): Promise<LockedPageJob> {
  await lockJobProgress(query, jobId, true);
  const { rows } = await sql<LockedPageJob>`${PREPARED}
    select jobs.id, jobs.team_id as "teamId", jobs.api_key_id as "apiKeyId", jobs.kind, jobs.status, paused, known,
      completed, bytes, page_limit as "pageLimit", max_concurrency as "maxConcurrency", delay_ms as "delayMs",
      next_claim_at <= now() as due, ${PAGES_SCALE} as scale
    from jobs join job_progress on job_progress.job_id = jobs.id
    where jobs.id = ${jobId}`.execute(query);
  const job = rows[0];
  if (!job) throw new ServiceError('NOT_FOUND', `Job ${jobId} does not exist (any more).`);
  return job;
}

/**
 * The reported results as rows of a common table expression `reported`. Texts are encrypted as the job
 * requires.
 */
function reportedResults(results: PageResult[], cipher: JobCipher) {
  const column = (pick: (result: PageResult) => unknown, type: string) =>
    arrayParameter(
      results.map((result) => pick(result) ?? null),
      type,
    );
  const errorOf = ({ error }: PageResult) => error && JSON.stringify(encryptError(error, cipher));
  // A page with zero data retention leaves only the columns that its job needs.
  const traceOf = ({ trace }: PageResult) => (cipher.encrypts ? undefined : trace && JSON.stringify(trace));
  const finalUrlOf = ({ finalUrl }: PageResult) => finalUrl && cipher.encrypt(finalUrl);
  const finalKeyOf = ({ finalKey }: PageResult) => finalKey && hashPageKey(finalKey, cipher).toString('hex');
  return sql`
    reported as (
      select * from unnest(
        ${column(({ id }) => id, 'uuid')},
        ${column(({ outcome }) => outcome, 'text')},
        ${column(({ blob }) => blob, 'text')},
        ${column(({ bytes }) => bytes, 'int')},
        ${column(({ credits }) => credits, 'int')},
        ${column(errorOf, 'text')},
        ${column(({ retryInMs }) => retryInMs, 'int')},
        ${column(finalUrlOf, 'text')},
        ${column(finalKeyOf, 'text')},
        ${column(({ isUncounted }) => isUncounted ?? false, 'bool')},
        ${column(traceOf, 'text')},
        ${column(({ archive }) => archive, 'text')}
      ) as result (
        id, outcome, blob, bytes, credits, error, retry_ms, final_url, final_key, uncounted, trace, archive)
    )`;
}

/**
 * The results of pages that the page worker has claims on, as a common table expression `numbered`. A page
 * that redirected to another page of the job is dropped. Completed pages get their position in the list of
 * documents (`document_position`) and the total bytes of all documents up to it (`total_bytes`).
 */
const numberedResults = (job: LockedPageJob, pageWorker: string) => sql`
    checked as (
      select reported.*, ordinal, case
          when outcome in ('completed', 'failed') and final_key is not null and exists (
            select from pages as other where other.url_key = decode(final_key, 'hex')
              and other.id <> reported.id and other.status <> 'dropped'
              and (other.status <> 'alias' or other.ordinal <> -pages.ordinal - 1))
          then 'dropped' else outcome end as final_outcome
      from reported join pages on pages.id = reported.id and pages.job_id = ${job.id}
        and pages.status = 'claimed' and pages.page_worker = ${pageWorker}
    ), numbered as (
      select *,
        ${job.completed} + count(*) filter (where final_outcome = 'completed') over up_to_here as document_position,
        ${job.bytes} + coalesce(sum(bytes) filter (where final_outcome = 'completed') over up_to_here, 0) as total_bytes
      from checked window up_to_here as (order by ordinal)
    )`;

/**
 * Updates the rows of the pages, including those that become pending again, and returns them as a common
 * table expression `updated`.
 */
const updatedPages = sql`
    updated as (
      update pages set
        status = case when final_outcome in ('retry', 'unstarted') then 'pending' else final_outcome end,
        attempts = attempts + case when uncounted or final_outcome = 'unstarted' then 0 else 1 end,
        page_worker = null, claimed_until = null,
        due_at = case when final_outcome = 'retry' then now() + make_interval(secs => retry_ms / 1000.0)
          else due_at end,
        blob = case when final_outcome = 'completed' then numbered.blob end,
        archive = case when final_outcome = 'completed' then numbered.archive end,
        position = case when final_outcome = 'completed' then document_position end,
        bytes_end = case when final_outcome = 'completed' then total_bytes end,
        error = case when final_outcome in ('failed', 'retry') then numbered.error::jsonb end,
        trace = numbered.trace::jsonb,
        finished_at = case when final_outcome not in ('retry', 'unstarted') then now() end
      from numbered where pages.id = numbered.id
      returning pages.id, pages.ordinal, pages.team_id, depth, final_outcome, numbered.bytes, numbered.credits,
        numbered.error, final_url, final_key
    )`;

/** Writes the ledger entries of the pages that ended (`entry`) and charges the team. */
const billedPages = (job: LockedPageJob) => sql`
    entry as (
      insert into credit_entries (job_id, ordinal, team_id, api_key_id, credits)
      select ${job.id}, ordinal, team_id, ${job.apiKeyId}, credits from updated
      where credits > 0 and final_outcome in ('completed', 'failed')
      on conflict do nothing returning credits
    ), payment as (
      update teams set credits_remaining = credits_remaining - (select sum(credits) from entry)
      where id = ${job.teamId} and credits_remaining is not null and exists (select from entry)
    )`;

/** Writes a webhook event for each page that ended, if the job has a webhook for them. */
const webhookEvents = (job: LockedPageJob, pageEvents: boolean) => sql`
    event as (
      insert into webhook_deliveries (job_id, team_id, type, ordinal, error)
      select ${job.id}, team_id, ${`${job.kind}.page`}, ordinal,
        case when final_outcome = 'failed' then (error::jsonb) ->> 'message' end
      from updated where ${pageEvents} and final_outcome in ('completed', 'failed') order by ordinal
    )`;

/** Stores the URL that a page redirected to as an alias, so that the job does not scrape it again. */
const redirectAliases = (job: LockedPageJob) => sql`
    alias as (
      insert into pages (job_id, ordinal, team_id, url, url_key, host, depth, status)
      select ${job.id}, -ordinal - 1, team_id, final_url, decode(final_key, 'hex'), '', depth, 'alias'
      from updated where final_key is not null and final_outcome = 'completed'
      on conflict do nothing
    )`;

/** Records the results of pages in one statement, with everything that depends on them. */
async function recordResults(
  query: Queryable,
  job: LockedPageJob,
  { results, pageWorker, pageEvents, cipher }: RecordAndClaimRequest,
): Promise<void> {
  const { rows } = await sql<{ billed: number }>`${preparedAtScale(job.scale)}
    with ${reportedResults(dropDuplicateTargets(results), cipher)},
    ${numberedResults(job, pageWorker)},
    ${updatedPages},
    version as (
      update page_versions set delivered = true from updated
      where page_versions.scrape_id = updated.id and final_outcome = 'completed'
    ),
    ${billedPages(job)},
    ${webhookEvents(job, pageEvents)},
    ${redirectAliases(job)}
    update job_progress set
      completed = completed + (select count(*) from updated where final_outcome = 'completed'),
      failed = failed + (select count(*) from updated where final_outcome = 'failed'),
      dropped = dropped + (select count(*) from updated where final_outcome = 'dropped'),
      bytes = bytes + (select coalesce(sum(bytes), 0) from updated where final_outcome = 'completed'),
      credits = credits + (select coalesce(sum(credits), 0) from entry),
      archived_bytes = archived_bytes + ${sumArchiveBytes(results)}::bigint,
      touched_at = now()
    where job_id = ${job.id}
    returning (select coalesce(sum(credits), 0) from entry)::int as billed`.execute(query);
  billedCredits.inc({ kind: job.kind }, rows[0]?.billed ?? 0);
}

/** Those of pages that do not count are on the disk, too. */
const sumArchiveBytes = (results: PageResult[]) =>
  results.reduce((sum, { archiveBytes = 0 }) => sum + archiveBytes, 0);

/**
 * Keeps only the first of several results whose pages turned out to be the same page. The others become
 * `dropped`.
 */
function dropDuplicateTargets(results: PageResult[]): PageResult[] {
  const targets = new Set<string>();
  return results.map((result) => {
    const target = result.outcome === 'completed' ? result.finalKey?.toString('hex') : undefined;
    if (target === undefined) return result;
    if (targets.has(target)) return { id: result.id, host: result.host, outcome: 'dropped' };
    targets.add(target);
    return result;
  });
}

async function readJobState(query: Queryable, jobId: string) {
  const { rows } = await sql<Omit<RecordAndClaimResult, 'claims' | 'allowed'>>`${PREPARED}
    select jobs.status, paused, base, delay_ms as "delayMs", completed, failed, progress.credits,
      (${OPEN_PAGES} + completed + failed)::int as total, ${OPEN_PAGES}::int as open, ${IS_FULL} as "full",
      archived_bytes::float8 as "archivedBytes",
      coalesce(teams.credits_remaining < jobs.reserved, false) as "outOfCredits"
    from job_progress as progress join jobs on jobs.id = progress.job_id join teams on teams.id = jobs.team_id
    where job_id = ${jobId}`.execute(query);
  return rows[0]!;
}
