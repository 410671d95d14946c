import { Context } from '@temporalio/activity';
import { v5 as uuidv5 } from 'uuid';
import { escapeOtherReferences } from '../blobs/file-urls.ts';
import type { Blobs } from '../blobs/index.ts';
import { expectedPriceOf, priceOfSearch } from '../credits.ts';
import type { Database } from '../db/client.ts';
import { completeJob, findChildOutcomes, findJob, findOutcome, insertChildJobs } from '../db/jobs/jobs.ts';
import { readAvailableCredits } from '../db/teams/available-credits.ts';
import { ServiceError } from '../errors.ts';
import type { SearchData, SearchRequest, SearchResult } from '../schemas/search.ts';
import type { FoundResults } from '../search/found-results.ts';
import { searchOwnIndex } from '../search/own-index.ts';
import { searchSearxng } from '../search/searxng.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of searches. */
export interface SearchDeps {
  db: Database;
  blobs: Blobs;
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

/** The part of its timeout that a search with scrapes keeps for adding their documents, and its limit in milliseconds. */
const STORING_SHARE = 1 / 10;
const MAX_STORING_MS = 2_000;
/** Documents that a response contains at most, in bytes. The API parses all of them at once. */
const MAX_DOCUMENTS_BYTES = 32 * 1024 ** 2;
/** The least timeout of a scrape. */
const MIN_SCRAPE_MS = 1_000;

/** The activities of a search. */
export function searchActivities(deps: SearchDeps) {
  const { db, blobs, searxngUrl, resultTtlMs } = deps;

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

  const search = (teamId: string, request: SearchRequest, signal: AbortSignal) =>
    searxngUrl ? searchSearxng(searxngUrl, request, signal) : searchOwnIndex(db, teamId, request);

  return {
    /**
     * Finds the results of a search. Without scrapes to wait for, it also ends the job. The activity may be repeated: the ids of
     * the scrapes depend on the job and the URLs only.
     * @returns the results that are going to be scraped; otherwise the key of the blob with the final results, or `undefined`
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
      const found = await search(job.team_id, request, timer.signal);
      const leftMs = timer.requireTime();
      const credits = priceOfSearch(countResults(found.data));
      const available = await readAvailableCredits(db, job.team_id, jobId);
      const leftCredits = available === undefined ? undefined : available - credits;
      const plan = planScrapes(request, { found, leftCredits });
      if (plan.urls.length === 0) return complete(jobId, { found, credits });
      const { scrapeOptions, asyncScraping } = request;
      const waitMs = scrapeWaitMs(leftMs);
      const timeoutMs = asyncScraping ? scrapeOptions.timeout : Math.min(scrapeOptions.timeout, waitMs);
      const scrapes = plan.urls.map((url) => ({
        // The scrape of a URL has the same id in every attempt.
        jobId: uuidv5(url, jobId),
        url,
        teamId: job.team_id,
        timeoutMs,
        label: url.slice(0, 120),
      }));
      await insertChildJobs(
        db,
        scrapes.map(({ jobId: id, url, teamId }) => ({
          id,
          teamId,
          apiKeyId: job.api_key_id,
          kind: 'scrape',
          target: url,
          parentId: jobId,
          request: { origin: request.origin, ...scrapeOptions, url, timeout: timeoutMs },
          reserved: expectedPriceOf(scrapeOptions),
          ttlMs: resultTtlMs,
        })),
      );
      const pending: PendingResults = {
        data: found.data,
        warnings: [...found.warnings, ...plan.warnings],
        scrapeIds: Object.fromEntries(scrapes.map((scrape) => [scrape.url, scrape.jobId])),
      };
      const blob = await blobs.put(Buffer.from(JSON.stringify(pending)));
      return {
        blob,
        scrapes: scrapes.map(({ url: _url, ...scrape }) => scrape),
        ...(!asyncScraping && { waitMs }),
      };
    },

    /**
     * Adds the documents of the scrapes to the results, or with `asyncScraping` the ids of the scrapes, and ends the job.
     * @param pending the key of the blob with the results
     * @returns the key of the blob with the final results
     */
    async addDocuments(jobId: string, pending: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      using _ = startHeartbeat();
      // `findResults` wrote it.
      const stored = JSON.parse((await blobs.get(pending)).toString()) as PendingResults;
      const { data, warnings, scrapeIds } = stored;
      const credits = priceOfSearch(countResults(data));
      // The API validated the request before it stored it.
      if ((job.request as SearchRequest).asyncScraping)
        return complete(jobId, { found: stored, credits, scrapeIds: idsBySource(data, scrapeIds) });
      const outcomes = await findChildOutcomes(db, Object.values(scrapeIds));
      const { documents, tooLarge } = await readDocuments(scrapeIds, outcomes);
      const ends = [...outcomes.values()];
      const found = { data, warnings: [...warnings, ...scrapeWarnings(ends), ...sizeWarnings(tooLarge)] };
      const scraped = ends.reduce((sum, end) => sum + end.credits, 0);
      return complete(jobId, { found, credits, scraped, documents });
    },
  };

  /** Reads the documents of the scrapes that have ended, as many as a response has room for. */
  async function readDocuments(
    scrapeIds: PendingResults['scrapeIds'],
    outcomes: Awaited<ReturnType<typeof findChildOutcomes>>,
  ): Promise<{ documents: Map<string, string>; tooLarge: string[] }> {
    const documents = new Map<string, string>();
    const tooLarge: string[] = [];
    let bytes = 0;
    for (const [url, id] of Object.entries(scrapeIds)) {
      const { blob } = outcomes.get(id) ?? {};
      if (!blob) continue;
      const document = await blobs.get(blob);
      bytes += document.byteLength;
      if (bytes <= MAX_DOCUMENTS_BYTES) documents.set(url, document.toString());
      else tooLarge.push(id);
    }
    return { documents, tooLarge };
  }

  /** Stores the final results and ends the job. */
  async function complete(jobId: string, outcome: SearchOutcome): Promise<string> {
    const blob = await blobs.put(Buffer.from(resultJson(outcome)));
    await completeJob(db, { jobId, credits: outcome.credits, blob });
    return blob;
  }
}

/** Says which documents a response has no room for. */
const sizeWarnings = (ids: readonly string[]): string[] =>
  ids.length === 0
    ? []
    : [
        `The documents are larger than ${MAX_DOCUMENTS_BYTES / 1024 ** 2} MiB together, so ${ids.length} of them were left out; get them by GET /v2/scrape/{id}: ${ids.join(', ')}.`,
      ];

/** The outcome of a search. */
interface SearchOutcome {
  found: FoundResults;
  /** Credits of the search itself. */
  credits: number;
  /** Credits of the scrapes, which are billed with them. */
  scraped?: number;
  /** The documents of the scrapes by URL, as JSON. */
  documents?: ReadonlyMap<string, string>;
  scrapeIds?: SearchResult['scrapeIds'];
}

/**
 * The final results as JSON. The JSON of the documents stays as it is, because text in them that looks like a file reference is
 * escaped in a way that parsing would undo.
 */
function resultJson({ found, credits, scraped = 0, documents, scrapeIds }: SearchOutcome): string {
  const ofResult = (source: string, result: { url: string }) => {
    const json = escapeOtherReferences(JSON.stringify(result), []);
    // The URL of an image is that of its page, which may be a result of its own.
    const document = source === 'images' ? undefined : documents?.get(result.url);
    return document === undefined ? json : `${document.slice(0, -1)},${json.slice(1)}`;
  };
  const data = Object.entries(found.data).map(
    ([source, results]) =>
      `${JSON.stringify(source)}:[${results.map((result) => ofResult(source, result)).join(',')}]`,
  );
  const rest = {
    warning: found.warnings.join(' ') || null,
    creditsUsed: credits + scraped,
    ...(scrapeIds && { scrapeIds }),
  } satisfies Omit<SearchResult, 'data'>;
  return `{"data":{${data.join(',')}},${JSON.stringify(rest).slice(1)}`;
}

/** The milliseconds that a search waits for its scrapes. @param leftMs milliseconds until its timeout */
const scrapeWaitMs = (leftMs: number) =>
  Math.max(MIN_SCRAPE_MS, Math.round(leftMs - Math.min(leftMs * STORING_SHARE, MAX_STORING_MS)));

const countResults = (data: SearchData) =>
  Object.values(data).reduce((sum, results) => sum + (results?.length ?? 0), 0);

/** The results that can be scraped. */
const pagesOf = ({ web = [], news = [] }: SearchData) => [...web, ...news];

/** Selects the URLs to scrape, each once: all of them, or as many as the team has credits for. */
function planScrapes(
  { scrapeOptions }: SearchRequest,
  { found, leftCredits = Number.POSITIVE_INFINITY }: { found: FoundResults; leftCredits: number | undefined },
): { urls: string[]; warnings: string[] } {
  if (scrapeOptions.formats.length === 0) return { urls: [], warnings: [] };
  const all = [...new Set(pagesOf(found.data).map(({ url }) => url))];
  const urls = all.slice(0, Math.max(0, Math.floor(leftCredits / expectedPriceOf(scrapeOptions))));
  const left = all.length - urls.length;
  return {
    urls,
    warnings: left ? [`${left} results were not scraped, because the team has too few credits left.`] : [],
  };
}

/** The ids of the scrapes of each source, in the order of its results. @param ids by URL */
function idsBySource({ web, news }: SearchData, ids: Record<string, string>): SearchResult['scrapeIds'] {
  const idsOf = (results: { url: string }[]) => results.flatMap(({ url }) => ids[url] ?? []);
  return { ...(web && { web: idsOf(web) }), ...(news && { news: idsOf(news) }) };
}

/** Says why results have no document. */
function scrapeWarnings(ends: { id: string; status: string; error: { code: string } | null }[]): string[] {
  const running = ends.filter(({ status }) => status === 'scraping');
  const codes = Map.groupBy(
    ends.flatMap(({ error }) => error ?? []),
    ({ code }) => code,
  );
  const failures = [...codes].map(([code, errors]) => `${code} ${errors.length}`);
  return [
    ...(failures.length ? [`Pages that could not be scraped: ${failures.join(', ')}.`] : []),
    ...(running.length
      ? [
          `${running.length} pages were not scraped within the timeout. GET /v2/scrape/{id} returns them later: ${running.map(({ id }) => id).join(', ')}.`,
        ]
      : []),
  ];
}
