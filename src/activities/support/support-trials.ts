import { v5 as uuidv5 } from 'uuid';
import type { JobFacts } from '../../jobs/support/facts.ts';
import type { Fix } from '../../jobs/support/finding.ts';
import { requestOfTrial } from '../../jobs/support/trial.ts';
import { type ScrapeRequest, scrapeBody } from '../../schemas/scrape.ts';
import type { Database } from '../../storage/db/client.ts';
import { insertChildJobs } from '../../storage/db/jobs/jobs.ts';

/** A scrape that tests fixes. */
export interface PreparedTrial {
  jobId: string;
  timeoutMs: number;
}

/** A trial with less time than this proves nothing. */
const LEAST_TRIAL_MS = 3_000;

/**
 * The page of a job with the parameters of a fix, as a scrape that costs and changes as little as possible.
 */
function trialRequest(job: JobFacts, fix: Fix, remainingMs: number): ScrapeRequest | undefined {
  const wanted = requestOfTrial(job, fix);
  if (!wanted) return undefined;
  const request = {
    ...wanted,
    formats: [{ type: fix.expects === 'moreLinks' ? 'links' : 'markdown' }],
    ...(fix.expects === 'moreLinks' && { onlyMainContent: false, includeTags: [], excludeTags: [] }),
    // The copy in the cache is what a question about content is about.
    ...(wanted.minAge === undefined && { maxAge: 0 }),
    ...(wanted.profile && { profile: { name: wanted.profile.name, saveChanges: false } }),
    storeInCache: false,
    zeroDataRetention: false,
    timeout: Math.min(wanted.timeout, remainingMs),
  };
  const { data } = scrapeBody.safeParse({
    ...request,
    waitFor: Math.min(wanted.waitFor, request.timeout / 2),
  });
  return data;
}

/**
 * Stores the scrape that tests a fix. It is a part of the support question, so it is neither listed nor
 * billed.
 * @param order.remainingMs milliseconds that it may take
 * @returns `undefined` if the page cannot be scraped again, or not in time
 */
export async function prepareTrial(
  db: Database,
  order: {
    supportId: string;
    teamId: string;
    number: number;
    job: JobFacts;
    fix: Fix;
    remainingMs: number;
    ttlMs: number;
  },
): Promise<PreparedTrial | undefined> {
  const { supportId, teamId, number, job, fix, remainingMs, ttlMs } = order;
  if (remainingMs < LEAST_TRIAL_MS) return undefined;
  const request = trialRequest(job, fix, remainingMs);
  if (!request) return undefined;
  // The id is the same whenever the activity is repeated.
  const jobId = uuidv5(String(number), supportId);
  const row = {
    id: jobId,
    teamId,
    apiKeyId: null,
    kind: 'scrape',
    target: request.url,
    request,
    ttlMs,
  } as const;
  await insertChildJobs(db, [{ ...row, parentId: supportId }]);
  return { jobId, timeoutMs: request.timeout };
}
