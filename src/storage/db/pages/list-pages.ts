import { sql } from 'kysely';
import { MAX_COUNTED_PAGES, type PageState } from '../../../schemas/job-pages.ts';
import type { Database, Queryable } from '../client.ts';

/** The states of pages as they are stored, by their names in the API. */
const STORED_STATES = {
  waiting: 'pending',
  scraping: 'claimed',
  completed: 'completed',
  failed: 'failed',
} as const satisfies Record<PageState, string>;

/** Which pages of a job are listed. */
export interface PageFilter {
  jobId: string;
  status?: PageState | undefined;
  errorCode?: string | undefined;
  /** Words that the URL contains, in any case. */
  words: readonly string[];
}

/** Pages that match, without URLs that turned out to be another page of the job. */
function selectPages(query: Queryable, { jobId, status, errorCode, words }: PageFilter) {
  const stored = status ? [STORED_STATES[status]] : Object.values(STORED_STATES);
  let pages = query.selectFrom('pages').where('job_id', '=', jobId).where('status', 'in', stored);
  if (errorCode !== undefined) pages = pages.where(sql<boolean>`error->>'code' = ${errorCode}`);
  for (const word of words) pages = pages.where(sql<boolean>`position(lower(${word}) in lower(url)) > 0`);
  return pages;
}

/** Whether most pages of a job can be in the state that is asked for. */
const isOfMostPages = ({ status }: PageFilter) => status === undefined || status === 'completed';

/** Lists the pages of a job that match, in the order of discovery. */
export async function listPages(db: Database, filter: PageFilter & { skip: number; limit: number }) {
  const rows = await db.query.transaction().execute(async (query) => {
    // Postgres takes a job for small, and would read and sort all of it rather than begin to read its index. The
    // states of few pages have indexes of their own, in another order.
    if (isOfMostPages(filter)) await sql`set local enable_sort = off`.execute(query);
    return selectPages(query, filter)
      .select(['id', 'url', 'status', 'attempts', 'error', 'finished_at as finishedAt'])
      .orderBy('ordinal')
      .offset(filter.skip)
      .limit(filter.limit)
      .execute();
  });
  return rows.map((row) => ({ ...row, status: stateOf(row.status) }));
}

/**
 * Counts the pages of a job that match, up to `MAX_COUNTED_PAGES`. Those of a state are known without looking at
 * them; those with an error code or words in their URL are not.
 */
export async function countPages(db: Database, filter: PageFilter): Promise<number> {
  if (filter.errorCode === undefined && !filter.words.length) return countByState(db, filter);
  const { pages } = await db.query
    .selectFrom(selectPages(db.query, filter).select('ordinal').limit(MAX_COUNTED_PAGES).as('counted'))
    .select((column) => column.fn.countAll<number>().as('pages'))
    .executeTakeFirstOrThrow();
  return Number(pages);
}

/** Counts the pages of a job in a state by the counters of its progress, and the few that are being scraped. */
async function countByState(db: Database, { jobId, status }: PageFilter): Promise<number> {
  const { rows } = await sql<Record<PageState | 'all', number>>`
    select completed, failed, scraping, known - dropped as "all",
      known - dropped - completed - failed - scraping as waiting
    from job_progress, lateral (
      select count(*)::int as scraping from pages
      where pages.job_id = job_progress.job_id and pages.team_id = job_progress.team_id and status = 'claimed'
    ) as claimed
    where job_progress.job_id = ${jobId}`.execute(db.query);
  return Math.min(rows[0]?.[status ?? 'all'] ?? 0, MAX_COUNTED_PAGES);
}

/** Counts the failed pages of a job by their error codes, the most frequent one first. */
export async function countErrorCodes(
  db: Database,
  jobId: string,
): Promise<{ code: string; pages: number }[]> {
  // The index of failed pages has none of most jobs, which Postgres does not know of a new one.
  const { rows } = await sql<{ code: string; pages: number }>`
    select error->>'code' as code, count(*)::int as pages from pages
    where job_id = (select job_id from job_progress where job_id = ${jobId} and failed > 0)
      and status = 'failed' and error is not null
    group by 1 order by 2 desc, 1`.execute(db.query);
  return rows;
}

/** The name of a stored state in the API. @throws Error for that of a row which is no page of its own */
function stateOf(stored: string): PageState {
  for (const [state, name] of Object.entries(STORED_STATES)) if (name === stored) return state as PageState;
  throw new Error(`A page that is ${stored} was listed.`);
}
