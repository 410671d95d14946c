import { Context } from '@temporalio/activity';
import { v5 as uuidv5 } from 'uuid';
import { expectedPriceOf, priceOfSearch } from '../credits.ts';
import { ServiceError } from '../errors.ts';
import type { FoundResults } from '../jobs/search/found-results.ts';
import { searchOwnIndex } from '../jobs/search/own-index.ts';
import { planScrapes, scrapeWaitMs } from '../jobs/search/scrape-plan.ts';
import {
  idsBySource,
  MAX_DOCUMENTS_BYTES,
  resultJson,
  type SearchOutcome,
  scrapeWarnings,
  sizeWarnings,
} from '../jobs/search/search-result.ts';
import { searchSearxng } from '../jobs/search/searxng.ts';
import type { SearchData, SearchRequest } from '../schemas/search.ts';
import type { Blobs } from '../storage/blobs/index.ts';
import type { Database } from '../storage/db/client.ts';
import {
  deleteChildJobs,
  findChildOutcomes,
  findJob,
  findOutcome,
  insertChildJobs,
} from '../storage/db/jobs/jobs.ts';
import { completeJob } from '../storage/db/jobs/take-credits.ts';
import { lockCredits, readAvailableCredits } from '../storage/db/teams/available-credits.ts';
import type { JobResults } from '../storage/job-results.ts';
import { withoutCredentials } from '../url/credentials.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of searches. */
export interface SearchDeps {
  db: Database;
  results: JobResults;
  /** The SearXNG of the operator; without it, searches find pages that the team has scraped. */
  searxngUrl: string | undefined;
  resultTtlMs: number;
}

/** The scrape of a result, as its workflow starts it. */
export interface ResultScrape {
  jobId: string;
  teamId: string;
  timeoutMs: number;
  /** The URL, as the Temporal UI shows it. */
  label: string;
}

/** Results that are going to be scraped. */
export interface ResultsToScrape {
  /** The key of the blob with the results. */
  blob: string;
  scrapes: ResultScrape[];
  /** Milliseconds that the search waits for the scrapes; absent if it does not wait. */
  waitMs?: number;
}

/** The results as they are stored until their scrapes have ended. */
interface PendingResults extends FoundResults {
  /** The ids of the scrapes by URL. */
  scrapeIds: Record<string, string>;
}

/** The activities of a search. */
export function searchActivities(deps: SearchDeps) {
  const { db, results } = deps;
  return {
    /**
     * Finds the results of a search. Without scrapes to wait for, it also ends the job. The activity may be
     * repeated: the ids of the scrapes depend on the job and the URLs only.
     * @returns the results that are going to be scraped; otherwise the key of the final results, or
     * `undefined`
     *   if the job had already ended without them
     */
    async findResults(jobId: string): Promise<ResultsToScrape | string | undefined> {
      const startedAt = performance.now();
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      // The API validated the request before it stored it.
      const request = job.request as SearchRequest;
      using _ = startHeartbeat();
      using timer = startTimer(request, startedAt);
      timer.requireTime();
      // Those that an attempt has stored before it was lost are not started, and this one may find other
      // results.
      if (Context.current().info.attempt > 1) await deleteChildJobs(db, jobId);
      const found = await searchProvider(deps, job.team_id, { request, signal: timer.signal });
      const leftMs = timer.requireTime();
      const { scrapeOptions, asyncScraping } = request;
      const waitMs = scrapeWaitMs(leftMs);
      const timeoutMs = asyncScraping ? scrapeOptions.timeout : Math.min(scrapeOptions.timeout, waitMs);
      const search = { id: jobId, teamId: job.team_id, apiKeyId: job.api_key_id, request };
      const { scrapes, warnings } = await planWithinCredits(deps, search, { found, timeoutMs });
      const planned = { ...found, warnings: [...found.warnings, ...warnings] };
      if (scrapes.length === 0) return complete(deps, jobId, { found: planned, credits: priceOf(found) });
      const scrapeIds = Object.fromEntries(scrapes.map((scrape) => [scrape.url, scrape.jobId]));
      const pending: PendingResults = { ...planned, scrapeIds };
      return {
        blob: await results.put(Buffer.from(JSON.stringify(pending))),
        scrapes: scrapes.map((scrape) => ({
          jobId: scrape.jobId,
          teamId: job.team_id,
          timeoutMs,
          label: withoutCredentials(scrape.url).slice(0, 120),
        })),
        ...(!asyncScraping && { waitMs }),
      };
    },

    /**
     * Adds the documents of the scrapes to the results, or with `asyncScraping` the ids of the scrapes, and
     * ends the job.
     * @param pending the key of the blob with the results
     * @returns the key of the final results
     */
    async addDocuments(jobId: string, pending: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      using _ = startHeartbeat();
      // `findResults` wrote it.
      const stored = JSON.parse((await results.get(pending)).toString()) as PendingResults;
      const { data, warnings, scrapeIds } = stored;
      const credits = priceOf(stored);
      // The API validated the request before it stored it.
      if ((job.request as SearchRequest).asyncScraping)
        return complete(deps, jobId, { found: stored, credits, scrapeIds: idsBySource(data, scrapeIds) });
      const outcomes = await findChildOutcomes(db, Object.values(scrapeIds));
      const { documents, tooLarge } = await readDocuments(results, scrapeIds, outcomes);
      const ends = [...outcomes.values()];
      const found = { data, warnings: [...warnings, ...scrapeWarnings(ends), ...sizeWarnings(tooLarge)] };
      const scraped = ends.reduce((sum, end) => sum + end.credits, 0);
      return complete(deps, jobId, { found, credits, scraped, documents });
    },
  };
}

/** Starts the timer of a search. @param startedAt when its time began, by `performance.now()` */
function startTimer({ timeout }: SearchRequest, startedAt: number) {
  const controller = new AbortController();
  // Temporal gets the message, so the words of the search are not part of it.
  const message = `Search timed out: there was no result within ${timeout} ms. Try again with a larger timeout.`;
  const end = () => controller.abort(new ServiceError('MAP_TIMEOUT', message));
  const leftMs = () => timeout - (performance.now() - startedAt);
  const timer = setTimeout(end, leftMs());
  return {
    signal: AbortSignal.any([controller.signal, Context.current().cancellationSignal]),
    /** Milliseconds until its end. @throws the reason of the signal, even if the timer is late */
    requireTime(): number {
      const ms = leftMs();
      if (ms <= 0) end();
      controller.signal.throwIfAborted();
      return ms;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Asks the SearXNG of the operator; without it, searches the pages that the team has scraped. */
function searchProvider(
  { db, searxngUrl }: SearchDeps,
  teamId: string,
  { request, signal }: { request: SearchRequest; signal: AbortSignal },
): Promise<FoundResults> {
  return searxngUrl ? searchSearxng(searxngUrl, request, signal) : searchOwnIndex(db, teamId, request);
}

const countResults = (data: SearchData) =>
  Object.values(data).reduce((sum, results) => sum + (results?.length ?? 0), 0);

/** The job of a search. */
interface SearchJob {
  id: string;
  teamId: string;
  apiKeyId: string | null;
  request: SearchRequest;
}

/** The scrape of a result of a search. */
interface PlannedScrape {
  url: string;
  jobId: string;
}

/**
 * Stores the jobs that scrape the results of a search, as many as the team has credits for. They are reserved
 * in the same transaction, so that searches at the same moment do not spend the same ones.
 * @returns the scrapes, and warnings about results that are not scraped
 */
async function planWithinCredits(
  { db, resultTtlMs }: SearchDeps,
  { id: parentId, teamId, apiKeyId, request }: SearchJob,
  { found, timeoutMs }: { found: FoundResults; timeoutMs: number },
): Promise<{ scrapes: PlannedScrape[]; warnings: string[] }> {
  const { scrapeOptions, origin } = request;
  if (scrapeOptions.formats.length === 0) return { scrapes: [], warnings: [] };
  return db.query.transaction().execute(async (query) => {
    await lockCredits(query, teamId);
    const available = await readAvailableCredits({ query }, teamId, parentId);
    const leftCredits = available === undefined ? undefined : available - priceOf(found);
    const { urls, warnings } = planScrapes(request, { found, leftCredits });
    // The scrape of a URL has the same id in every attempt.
    const scrapes = urls.map((url) => ({ url, jobId: uuidv5(url, parentId) }));
    await insertChildJobs(
      { query },
      scrapes.map(({ url, jobId: id }) => ({
        id,
        teamId,
        apiKeyId,
        kind: 'scrape',
        target: url,
        parentId,
        request: { origin, ...scrapeOptions, url, timeout: timeoutMs },
        reserved: expectedPriceOf(scrapeOptions),
        ttlMs: resultTtlMs,
      })),
    );
    return { scrapes, warnings };
  });
}

/** The credits of a search without its scrapes. */
const priceOf = ({ data }: Pick<FoundResults, 'data'>) => priceOfSearch(countResults(data));

/**
 * Reads the documents of the scrapes that have ended, as many as a response has room for.
 * @returns the documents by URL, and the ids of the scrapes whose documents are left out
 */
async function readDocuments(
  results: Blobs,
  scrapeIds: PendingResults['scrapeIds'],
  outcomes: Awaited<ReturnType<typeof findChildOutcomes>>,
): Promise<{ documents: Map<string, string>; tooLarge: string[] }> {
  const documents = new Map<string, string>();
  const tooLarge: string[] = [];
  let bytes = 0;
  for (const [url, id] of Object.entries(scrapeIds)) {
    const { blob } = outcomes.get(id) ?? {};
    if (!blob) continue;
    const document = await results.get(blob);
    bytes += document.byteLength;
    if (bytes <= MAX_DOCUMENTS_BYTES) documents.set(url, document.toString());
    else tooLarge.push(id);
  }
  return { documents, tooLarge };
}

/** Stores the final results and ends the job. */
async function complete({ db, results }: SearchDeps, jobId: string, outcome: SearchOutcome): Promise<string> {
  const result = await results.putResult(jobId, Buffer.from(resultJson(outcome)));
  await completeJob(db, { jobId, credits: outcome.credits, ...result });
  return result.blob;
}
