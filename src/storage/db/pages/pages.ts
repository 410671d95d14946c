import { sql } from 'kysely';
import type { JobCipher } from '../../../system/encryption/job-cipher.ts';
import { arrayParameter, type Database, type Queryable } from '../client.ts';
import { preparedAtScale } from '../prepared-statements.ts';

/**
 * A job stores more URLs than its page limit, because the limit may be raised and pages may turn out to be
 * the same: `STORED_PER_PAGE` URLs for each page of the limit, plus `STORED_AT_LEAST`.
 */
const STORED_PER_PAGE = 3;
const STORED_AT_LEAST = 10_000;

/** A page to be added to a job. */
export interface NewPage {
  url: string;
  host: string;
  /** A hash that is equal for all URLs of the same page. A page without a key is always added. */
  key?: Buffer;
  depth: number;
  /** Whether only an earlier crawl found the page: nothing links to it now. */
  hidden?: boolean;
}

/**
 * Encrypts pages for the rows of a job with zero data retention. Hosts and keys become hashes, so that they
 * can still be compared. Pages of other jobs are returned unchanged.
 */
export const encryptPages = (pages: NewPage[], cipher: JobCipher): NewPage[] =>
  cipher.encrypts
    ? pages.map(({ url, host, key, depth }) => ({
        url: cipher.encrypt(url),
        host: cipher.hash(host),
        depth,
        ...(key && { key: hashPageKey(key, cipher) }),
      }))
    : pages;

/** Hashes the key of a page for the rows of a job. A job that encrypts nothing stores the key unchanged. */
export const hashPageKey = (key: Buffer, cipher: JobCipher) =>
  Buffer.from(cipher.hash(key.toString('hex')), 'hex');

/** Maximum number of pages that one statement adds. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** The job that pages are added to. `known` is the number of pages that it already has. */
interface GrowingJob {
  id: string;
  teamId: string;
  known: number;
  pageLimit: number | null;
  /** The size of the table of pages, see `PAGES_SCALE`; absent if the statement is not to be prepared. */
  scale?: number;
}

/**
 * Adds those pages that the job does not know yet, in the given order. The caller must have locked the job.
 * @returns the number of added pages
 */
export async function addPages(query: Queryable, job: GrowingJob, pages: NewPage[]): Promise<number> {
  let added = 0;
  for (let start = 0; start < pages.length; start += MAX_ROWS_PER_STATEMENT) {
    const rows = pages.slice(start, start + MAX_ROWS_PER_STATEMENT);
    added += await insertPages(query, { ...job, known: job.known + added }, rows);
  }
  return added;
}

/** Removes pages with the same key as an earlier one. Pages without a key are kept. */
function withoutDuplicates(pages: NewPage[]): NewPage[] {
  const keys = new Set<string>();
  return pages.filter(({ key }) => {
    const text = key?.toString('hex');
    if (text === undefined) return true;
    if (keys.has(text)) return false;
    keys.add(text);
    return true;
  });
}

/** The columns of pages as parameters of one statement, in the order of the names in `insertPages`. */
function pageColumns(pages: NewPage[]) {
  const column = (pick: (page: NewPage) => unknown, type: string) => arrayParameter(pages.map(pick), type);
  return sql.join([
    column(({ url }) => url, 'text'),
    column(({ host }) => host, 'text'),
    column(({ key }) => key?.toString('hex') ?? null, 'text'),
    column(({ depth }) => depth, 'int'),
    column(({ hidden = false }) => hidden, 'bool'),
  ]);
}

async function insertPages(query: Queryable, job: GrowingJob, pages: NewPage[]): Promise<number> {
  const { known, pageLimit, scale } = job;
  const maxAdded = pageLimit === null ? null : pageLimit * STORED_PER_PAGE + STORED_AT_LEAST - known;
  const { rows } = await sql<{ added: number }>`${scale === undefined ? sql`` : preparedAtScale(scale)}
    with given as (
      select * from unnest(${pageColumns(withoutDuplicates(pages))})
        with ordinality as given (url, host, key, depth, hidden, place)
    ), new_pages as (
      select *, row_number() over (order by place) as n from given
      where key is null
        or not exists (select from pages where url_key = decode(key, 'hex'))
    ), added as (
      insert into pages (job_id, ordinal, team_id, url, url_key, host, depth, hidden)
      select ${job.id}, ${known} + n - 1, ${job.teamId}, url, decode(key, 'hex'), host, depth, hidden
      from new_pages where ${maxAdded}::int is null or n <= ${maxAdded}::int
      returning 1
    )
    update job_progress set known = known + (select count(*) from added), touched_at = now()
    where job_id = ${job.id}
    returning (select count(*) from added)::int as added`.execute(query);
  return rows[0]?.added ?? 0;
}

/**
 * The hosts of a job's pending pages, as a recursive common table expression `host`. Each host costs one
 * index lookup, however many pages it has. The recursion ends with a row whose name is null.
 */
export const pendingHosts = (jobId: string) => sql`
    host (name) as (
      (select host from pages where job_id = ${jobId} and status = 'pending' order by host limit 1)
      union all
      select (
        select pages.host from pages
        where job_id = ${jobId} and status = 'pending' and pages.host > host.name order by pages.host limit 1)
      from host where name is not null
    )`;

/** The document of a completed page, and its position among the documents of the job. */
export interface StoredDocument {
  position: number;
  ordinal: number;
  blob: string;
  /** Total bytes of all documents up to and including this one. */
  bytesEnd: number;
  finishedAt: Date;
  /** Key of the blob with its requests and responses; null if the job keeps none. */
  archive: string | null;
}

/** Lists the documents after a position, in the order of completion. */
export async function listDocuments(
  db: Database,
  page: { jobId: string; after: number; limit: number },
): Promise<StoredDocument[]> {
  const rows = await db.query
    .selectFrom('pages')
    .select(['position', 'ordinal', 'blob', 'bytes_end as bytesEnd', 'finished_at as finishedAt', 'archive'])
    .where('job_id', '=', page.jobId)
    .where('position', '>', page.after)
    .orderBy('position')
    .limit(page.limit)
    .execute();
  // Every page with a position has a document and has ended.
  return rows as StoredDocument[];
}

/** Returns the total bytes of all documents up to and including a position. */
export async function sumDocumentBytes(db: Database, jobId: string, position: number): Promise<number> {
  if (position === 0) return 0;
  const row = await db.query
    .selectFrom('pages')
    .select('bytes_end')
    .where('job_id', '=', jobId)
    .where('position', '<=', position)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.bytes_end ?? 0;
}

/**
 * Finds a page of a batch or crawl by its scrape id. It does not find pages that were unfinished when their
 * job ended, pages of expired jobs, or pages that turned out to be the same as another page of the job.
 */
export async function findPage(db: Database, id: string) {
  return db.query
    .selectFrom('pages')
    .innerJoin('jobs', 'jobs.id', 'pages.job_id')
    .select([
      'jobs.id as job_id',
      'jobs.team_id',
      'jobs.wrapped_key as wrappedKey',
      'pages.blob',
      'pages.error',
      'pages.url',
      'pages.trace',
    ])
    .select(sql<boolean>`pages.status in ('pending', 'claimed')`.as('open'))
    .where('pages.id', '=', id)
    .where(
      sql<boolean>`case jobs.status when 'scraping' then pages.status not in ('dropped', 'alias')
        else pages.status in ('completed', 'failed') and jobs.expires_at > now() end`,
    )
    .executeTakeFirst();
}

/** Lists the failed pages of a job, in the order of discovery. */
export async function listFailedPages(db: Database, jobId: string) {
  return db.query
    .selectFrom('pages')
    .select(['id', 'url', 'error', 'finished_at'])
    .where('job_id', '=', jobId)
    .where('status', '=', 'failed')
    .orderBy('ordinal')
    .execute();
}
