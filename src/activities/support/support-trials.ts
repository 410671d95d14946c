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
  const asked = requestOfTrial(job, fix);
  if (!asked) return undefined;
  const { jsonNames: _, ...wanted } = asked;
  const isCopy = job.page?.document?.isCopy === true && fix.parameters.maxAge === undefined;
  const request = {
    ...wanted,
    formats: formatsOfTrial(wanted, fix),
    ...(fix.expects === 'moreLinks' && { onlyMainContent: false, includeTags: [], excludeTags: [] }),
    // A document from a copy is compared with one of the same copy, unless a new one may help.
    ...(wanted.minAge === undefined && !isCopy && { maxAge: 0 }),
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

/** What is compared: the text that the request asked for, and whether the page has scripts. */
function formatsOfTrial(
  { formats }: ScrapeRequest,
  { parameters, expects, needsScripts }: Fix,
): { type: string }[] {
  if (expects === 'moreLinks') return [{ type: 'links' }];
  const types = formats.map(({ type }) => type);
  const text = (['markdown', 'html', 'rawHtml'] as const).find((type) => types.includes(type)) ?? 'markdown';
  const added = Array.isArray(parameters.formats) ? types.at(-1) : needsScripts && 'rawHtml';
  return [...new Set([text, ...(added ? [added] : [])])].map((type) => ({ type }));
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
