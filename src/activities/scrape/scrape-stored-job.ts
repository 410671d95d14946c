import { expectedPriceOf } from '../../credits.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import { type Engines, fetchPage } from '../../fetch/engines/fetch-page.ts';
import { opensBrowser } from '../../fetch/engines/opens-browser.ts';
import { PageTracer } from '../../fetch/engines/page-tracer.ts';
import type { RunningScrape } from '../../jobs/direct-start/running-scrapes.ts';
import { buildDocument, type DocumentDeps } from '../../jobs/scraping/build-document.ts';
import { type Deadline, startDeadline } from '../../jobs/scraping/deadline.ts';
import type { PageOutcome } from '../../jobs/scraping/scrape-metrics.ts';
import { tracePage } from '../../jobs/scraping/trace-page.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import { KEPT_MS } from '../../sessions/browser/scrape-browsers.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import {
  findOutcome,
  jobLostError,
  type LeasedJob,
  loadJobWithSlot,
  recordTrace,
} from '../../storage/db/jobs/jobs.ts';
import { completeJob } from '../../storage/db/jobs/take-credits.ts';
import { recordOpenScrapePage } from '../../storage/db/open-scrape-pages.ts';
import { addIndexedPage } from '../../storage/db/pages/indexed-pages.ts';
import { extraCreditsOfScrape } from '../../storage/db/teams/extra-credits.ts';
import { releaseSlot, renewSlot } from '../../storage/db/teams/slots.ts';
import type { JobResults } from '../../storage/job-results.ts';
import { type JobCipher, restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import type { Logger } from '../../system/logger.ts';
import { withEncryptedErrors } from '../encrypt-errors.ts';
import { RENEWAL_FAILED, startRenewal } from '../heartbeat.ts';
import type { SessionService } from '../sessions/sessions.ts';
import { waitForSlot } from '../wait-for-slot.ts';
import { type LongConversions, TrackedConversion } from './long-conversions.ts';
import { reportOf, type ScrapeResult } from './scrape-report.ts';

/** The part of its timeout that a scrape may wait for a browser that a session can take over. */
const MAX_START_SHARE = 1 / 4;

/**
 * Milliseconds that Chromium takes to start after a rest. A rendering thread that started beside it would
 * make both slower, and is only needed when the page has been read.
 */
const BROWSER_START_MS = 200;

/** The document does not need the copy, so only the next scrape of the page suffers. */
const NOT_CACHED = 'a scraped page could not be stored in the cache';

/** What a scrape needs. */
export interface ScrapeDeps extends DocumentDeps {
  db: Database;
  results: JobResults;
  /** Storage of uploaded files. */
  uploads: Blobs;
  engines: Engines;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
  /** The documents that are converted on after the timeouts of their requests. */
  longConversions: LongConversions;
  /** Absent in workers without the role `sessions`. */
  sessions?: SessionService | undefined;
  logger: Logger;
}

type Run = RunningScrape<ScrapeResult>;

/** A stored scrape that has not ended, and its run in this process. */
interface StoredScrape {
  jobId: string;
  job: LeasedJob;
  cipher: JobCipher;
  run: Run;
  /** Called with the record of the page when it begins. */
  begin: (tracer: PageTracer) => void;
}

/** A scrape that has its slot. */
interface ActiveScrape extends StoredScrape {
  teamId: string;
  request: ScrapeRequest;
  deadline: Deadline;
  conversion: TrackedConversion;
  /** Milliseconds that it waited for its slot; `undefined` if it did not have to wait. */
  queuedMs: number | undefined;
  tracer: PageTracer;
  ownBrowser: ReturnType<typeof browserToContinue>;
}

/** Scrapes the page of a job, unless the job has already ended. @returns the result of the job */
export async function scrapeStoredJob(
  deps: ScrapeDeps,
  { jobId, leased, run }: { jobId: string; leased: LeasedJob | undefined; run: Run },
): Promise<ScrapeResult> {
  const { db, secretKey } = deps;
  const job = leased ?? (await loadJobWithSlot(db, jobId));
  if (!job) throw jobLostError();
  if (job.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
  const cipher = restoreJobCipher({ id: jobId, wrappedKey: job.wrappedKey }, secretKey);
  try {
    return await tracePage({ id: jobId, url: undefined }, (begin) =>
      withEncryptedErrors(cipher, () => scrapeInSlot(deps, { jobId, job, cipher, run, begin })),
    );
  } catch (error) {
    // An attempt that counted as lost may have ended the job meanwhile, and deleted what this one needs.
    const outcome = await findOutcome(db, jobId);
    if (outcome?.blob) return outcome.blob;
    throw error;
  }
}

/** Waits for a slot of the team, and scrapes the page in it; a failure frees the slot. */
async function scrapeInSlot(deps: ScrapeDeps, stored: StoredScrape): Promise<ScrapeResult> {
  const { db, logger } = deps;
  const { jobId, job, cipher, run } = stored;
  // The API validated the request before it stored it.
  const request = cipher.decryptJson(job.request) as ScrapeRequest;
  const { team_id: teamId } = job;
  const { url, upload, timeout } = request;
  using deadline = startDeadline({ url: upload?.name ?? url, timeout }, run.signal);
  const conversion = new TrackedConversion();
  // With zero data retention, the Temporal UI must not show the file name and progress.
  if (!cipher.encrypts) run.progress = () => conversion.progress;
  using _ = startRenewal(
    () => renewSlot(db, teamId, jobId),
    (error) => logger.warn({ err: error, jobId }, RENEWAL_FAILED),
  );
  const tracer = new PageTracer();
  stored.begin(tracer);
  tracer.begin('queue');
  const queuedMs = await waitForTeamSlot(db, stored, { timeoutMs: timeout, signal: deadline.signal });
  if (queuedMs !== undefined) tracer.addWait('slot', queuedMs);
  using _wakeUp = setTimeout(() => deps.renderer.wake(), opensBrowser(request) ? BROWSER_START_MS : 0);
  using ownBrowser = cipher.encrypts ? undefined : browserToContinue(deps, jobId, request);
  const active = { teamId, request, deadline, conversion, queuedMs, tracer, ownBrowser };
  const observe = (outcome: PageOutcome) =>
    deps.metrics.observePage(tracer.trace, { teamId, outcome, stages: tracer.stages });
  try {
    const result = await fetchAndStore(deps, { ...stored, ...active });
    observe('completed');
    return result;
  } catch (thrown) {
    // A step that was aborted may throw an error of its own, but the reason for the abort is the real cause.
    const error = deadline.signal.aborted ? deadline.signal.reason : thrown;
    observe(toServiceError(error).isRetryable && !run.isLast ? 'retry' : 'failed');
    await releaseSlot(db, teamId, jobId);
    if (!cipher.encrypts) await recordTrace(db, jobId, tracer.trace);
    throw error;
  }
}

/**
 * Waits for a slot of the team, unless the API has taken one for the scrape.
 * @returns milliseconds of the wait; `undefined` if the scrape did not have to wait
 * @throws ServiceError `WORKER_LOST` if a scrape that Temporal keeps no track of has a slot already
 */
async function waitForTeamSlot(
  db: Database,
  { jobId, job, run }: StoredScrape,
  wait: { timeoutMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const slot = { teamId: job.team_id, holder: jobId, limit: job.concurrency };
  const { lease, waitedMs } = job.lease
    ? { lease: job.lease, waitedMs: undefined }
    : await waitForSlot(db, slot, wait);
  // The process that began with this scrape has died. Temporal counts the attempts of `scrapePage` only.
  if (run.isUntracked && lease === 'held')
    throw new ServiceError(
      'WORKER_LOST',
      'The worker that had begun with the page was lost. It is scraped again.',
    );
  return waitedMs;
}

/** Fetches the page, makes its document and stores it. */
async function fetchAndStore(deps: ScrapeDeps, scrape: ActiveScrape): Promise<ScrapeResult> {
  const { logger } = deps;
  const { jobId, teamId, request, cipher, run, deadline, queuedMs, tracer } = scrape;
  const fetched = await fetchScrapedPage(deps, scrape);
  // The response does not wait for the copy. Look-ups of it in this process do.
  void fetched
    .storeCopy({ isAwaited: false })
    .catch((error) => logger.warn({ err: error, jobId }, NOT_CACHED));
  const document = await buildDocument(deps, {
    scrapeId: jobId,
    teamId,
    jobId,
    request,
    fetched,
    queuedMs,
    deadline,
    history: cipher.encrypts ? undefined : { crawlStart: undefined, hidden: false },
    urgent: true,
    tracer,
    onFault: (message, attributes) => logger.error({ ...attributes, jobId }, message),
  });
  tracer.begin('store');
  run.document = cipher.encryptBytes(document.json);
  const blob = await storeDocument(deps, scrape, { ...document, bytes: run.document });
  return cipher.encrypts ? blob : reportOf(blob, fetched, tracer);
}

/**
 * A browser whose page a session can take over. Scrapes with actions or a profile have one, because they may
 * have got their page into a state that is hard to reach again.
 */
function browserToContinue(
  { sessions }: ScrapeDeps,
  jobId: string,
  { actions, profile, upload, timeout }: ScrapeRequest,
) {
  if (upload || !(actions?.length || profile)) return undefined;
  return sessions?.host.browserFor(jobId, timeout * MAX_START_SHARE);
}

/**
 * Fetches the page of a scrape by the engines; a document that takes long is converted beyond the timeout.
 */
function fetchScrapedPage(
  { db, engines, longConversions }: ScrapeDeps,
  { jobId, teamId, request, cipher, deadline, conversion, tracer, ownBrowser }: ActiveScrape,
) {
  const profile = request.profile && {
    teamId,
    name: request.profile.name,
    saver: request.profile.saveChanges ? jobId : undefined,
  };
  return fetchPage(engines, request, {
    signal: deadline.signal,
    teamId,
    profile,
    ownBrowser,
    tracer,
    extraCredits: extraCreditsOfScrape(db, { jobId, teamId, expected: expectedPriceOf(request) }),
    conversionOwner: teamId,
    onProgress: conversion.report,
    duringConversion: (convert, type) =>
      // A scrape with zero data retention leaves no trace by which a repeated request could join it.
      cipher.encrypts
        ? convert()
        : longConversions.run(convert, { jobId, teamId, request, type, deadline, conversion }),
  });
}

/** Stores the document of a scrape and ends its job. @returns the key of the document */
async function storeDocument(
  { db, results, uploads, sessions }: ScrapeDeps,
  { jobId, teamId, cipher, tracer, ownBrowser }: ActiveScrape,
  { bytes, credits, entry }: Awaited<ReturnType<typeof buildDocument>> & { bytes: Uint8Array },
): Promise<string> {
  // With zero data retention, a blob is gone from the disk after its response. The log of Postgres would keep
  // the document for a while, beside the key of the job.
  const stored = cipher.encrypts
    ? { blob: await results.putNew(bytes) }
    : await results.putResult(jobId, bytes);
  if (ownBrowser?.keep() && sessions)
    await recordOpenScrapePage(db, { scrapeId: jobId, queue: sessions.queue, keptMs: KEPT_MS });
  const [uploadKey] = await Promise.all([
    completeJob(db, { jobId, credits, ...stored, trace: cipher.encrypts ? undefined : tracer.trace }),
    // A statement of its own, because the rows of the team and of the page would be locked in no fixed order.
    entry && addIndexedPage(db, teamId, entry),
  ]);
  await removeUpload(uploads, uploadKey);
  return stored.blob;
}

/** Deletes the uploaded file of a job that has ended. If the process dies before, upkeep deletes it. */
export async function removeUpload(uploads: Blobs, blob: string | undefined): Promise<void> {
  if (blob !== undefined) await uploads.remove(blob);
}
