import { SKIP_REASONS } from '../jobs/crawl/skip-reason.ts';
import type { StoredTrace } from '../schemas/page-trace.ts';
import type { Database } from '../storage/db/client.ts';
import { findOutcome } from '../storage/db/jobs/jobs.ts';
import { findPage } from '../storage/db/pages/pages.ts';
import { EXTERNAL_HOMEPAGE_CODE, findSkippedHomepage } from '../storage/db/pages/skipped-urls.ts';
import type { StoredError } from '../storage/db/tables.ts';
import type { ApiDeps } from './http/route.ts';
import { jobNotFound } from './job-not-found.ts';

/** A scrape, or a page of a batch or crawl. It is still running if it has no error and no blob. */
export interface FoundScrape {
  /** The scrape itself, or the job of the page. */
  jobId: string;
  teamId: string;
  /** The encrypted key of the job; null if its data is not encrypted. */
  wrappedKey: Buffer | null;
  url: string | null;
  error: StoredError | null;
  blob: string | null;
  trace: StoredTrace | null;
}

/**
 * Finds a scrape of a team, or a page of one of its batches or crawls, by its id.
 * @throws ServiceError `NOT_FOUND` if the team has no such scrape, or it has expired
 */
export async function requireScrape(
  deps: Pick<ApiDeps, 'db'>,
  { id, teamId }: { id: string; teamId: string },
): Promise<FoundScrape> {
  const found = await findScrape(id, deps.db);
  // Whether another team has such a scrape is none of the caller's business.
  if (found?.teamId === teamId) return found;
  const message = `Job not found. There is no scrape ${id}, or its result has expired.`;
  throw await jobNotFound(deps, { id, teamId, message, kind: 'scrape' });
}

async function findScrape(id: string, db: Database): Promise<FoundScrape | undefined> {
  const scrape = await findOutcome(db, id);
  if (scrape) {
    // The scrapes by which support tests a fix are not billed, so nobody gets their documents.
    if (scrape.kind !== 'scrape' || scrape.parentKind === 'support') return undefined;
    const { team_id: teamId, wrappedKey, target: url, error, blob, trace } = scrape;
    return { jobId: id, teamId, wrappedKey, url, error, blob, trace };
  }
  const page = await findPage(db, id);
  if (!page) return findHomepage(id, db);
  const { job_id: jobId, team_id: teamId, wrappedKey, open, url, error, blob, trace } = page;
  // A page that is going to be retried may have the error of its previous attempt, which is not its result.
  return { jobId, teamId, wrappedKey, url, trace, ...(open ? { error: null, blob: null } : { error, blob }) };
}

/** Finds a home page of another site that a crawl skipped, by the id that the errors of the crawl list. */
async function findHomepage(id: string, db: Database): Promise<FoundScrape | undefined> {
  const skipped = await findSkippedHomepage(db, id);
  if (!skipped) return undefined;
  const { job_id: jobId, team_id: teamId, wrappedKey, url } = skipped;
  const error = { code: EXTERNAL_HOMEPAGE_CODE, message: SKIP_REASONS.externalHomepage };
  return { jobId, teamId, wrappedKey, url, error, blob: null, trace: null };
}
