import { Context } from '@temporalio/activity';
import type { Blobs } from '../blobs/index.ts';
import type { Database, StoredError } from '../db/client.ts';
import { completeJob, failJob, findJob, findOutcome } from '../db/jobs/jobs.ts';
import { recordKeptScrape } from '../db/kept-scrapes.ts';
import { releaseSlot, renewSlot } from '../db/teams/slots.ts';
import { type JobCipher, restoreJobCipher } from '../encryption/job-cipher.ts';
import type { Engines } from '../engines/index.ts';
import { isErrorCode, policyOf } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import { buildDocument, type DocumentDeps } from '../scraping/build-document.ts';
import { startDeadline } from '../scraping/deadline.ts';
import { KEPT_MS } from '../sessions/scrape-browsers.ts';
import { withEncryptedErrors } from './encrypt-errors.ts';
import { startHeartbeat } from './heartbeat.ts';
import { LongConversions, TrackedConversion } from './long-conversions.ts';
import { reportOf, type ScrapeReport, startStages } from './scrape-report.ts';
import type { SessionService } from './sessions.ts';
import { waitForSlot } from './wait-for-slot.ts';

/** The part of its timeout that a scrape may wait for a browser that a session can take over. */
const MAX_START_SHARE = 1 / 4;

/** Dependencies of scrapes. */
export interface ScrapeDeps extends DocumentDeps {
  db: Database;
  blobs: Blobs;
  /** Storage of uploaded files. */
  uploads: Blobs;
  engines: Engines;
  /** Decrypts jobs with zero data retention. */
  secretKey: string;
  /** Absent in workers without the role `sessions`. */
  sessions?: SessionService | undefined;
}

/** The activities of a scrape. */
export function scrapeActivities(deps: ScrapeDeps) {
  const { db, blobs, uploads, engines, renderer, tracker, media, secretKey, sessions } = deps;
  const longConversions = new LongConversions(db);
  return {
    /**
     * Scrapes the page of a job and stores its document. The activity may be repeated: if the job has
     * already ended, it only returns the result.
     * @returns the key of the blob with the document, in a report unless the job has zero data retention;
     *   `undefined` if the job ended without a document
     */
    async scrapePage(jobId: string): Promise<string | ScrapeReport | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      const cipher = restoreJobCipher({ id: jobId, wrappedKey: job.seal }, secretKey);
      try {
        return await withEncryptedErrors(cipher, () => scrapeJob(jobId, job, cipher));
      } catch (error) {
        // An attempt that counted as lost may have ended the job meanwhile, and deleted what this one needs.
        const outcome = await findOutcome(db, jobId);
        if (outcome?.blob) return outcome.blob;
        throw error;
      }
    },

    /** Records why a job failed, and the credits that the failure costs. */
    async recordFailure(jobId: string, error: StoredError): Promise<void> {
      const credits = isErrorCode(error.code) ? (policyOf(error.code).credits ?? 0) : 0;
      await removeUpload(await failJob(db, { jobId, credits, error }));
    },
  };

  /** Deletes the uploaded file of a job that has ended. If the process dies before, upkeep deletes it. */
  async function removeUpload(blob: string | undefined): Promise<void> {
    if (blob !== undefined) await uploads.remove(blob);
  }

  /**
   * A browser whose page a session can take over. Scrapes with actions or a profile have one, because they may have got
   * their page into a state that is hard to reach again.
   */
  function browserToContinue(jobId: string, { actions, profile, upload, timeout }: ScrapeRequest) {
    if (upload || !(actions?.length || profile)) return undefined;
    return sessions?.host.browserFor(jobId, timeout * MAX_START_SHARE);
  }

  async function recordKeptPage(scrapeId: string): Promise<void> {
    if (sessions) await recordKeptScrape(db, { scrapeId, queue: sessions.queue, keptMs: KEPT_MS });
  }

  async function scrapeJob(jobId: string, job: FoundJob, cipher: JobCipher): Promise<string | ScrapeReport> {
    // The API validated the request before it stored it.
    const request = cipher.decryptJson(job.request) as ScrapeRequest;
    const slot = { teamId: job.team_id, holder: jobId, limit: job.concurrency };
    // An earlier attempt that was lost may still hold its slot.
    if (Context.current().info.attempt > 1) await releaseSlot(db, slot.teamId, slot.holder);
    const { url, upload, timeout } = request;
    using deadline = startDeadline(
      { url: upload?.name ?? url, timeout },
      Context.current().cancellationSignal,
    );
    const conversion = new TrackedConversion();
    using _ = startHeartbeat(
      () => renewSlot(db, slot.teamId, slot.holder),
      // Nothing of a page with zero data retention is shown.
      () => (cipher.encrypts ? undefined : conversion.progress),
    );
    const stages = startStages();
    const queuedMs = await waitForSlot(db, slot, {
      timeoutMs: request.timeout,
      signal: deadline.signal,
    });
    stages.end('queue');
    using ownBrowser = cipher.encrypts ? undefined : browserToContinue(jobId, request);
    try {
      const profile = request.profile && {
        teamId: job.team_id,
        name: request.profile.name,
        saver: request.profile.saveChanges ? jobId : undefined,
      };
      const fetched = await engines.fetchPage(request, deadline.signal, {
        ...{ profile, ownBrowser },
        conversionOwner: job.team_id,
        onProgress: conversion.report,
        duringConversion: (convert, type) =>
          // A scrape with zero data retention leaves no trace by which a repeated request could join it.
          cipher.encrypts
            ? convert()
            : longConversions.run(convert, {
                ...{ jobId, teamId: job.team_id, request, type, deadline, conversion },
              }),
      });
      stages.end('fetch');
      const history = cipher.encrypts
        ? undefined
        : { teamId: job.team_id, jobId, crawlStart: undefined, hidden: false };
      const { signal } = deadline;
      const { log } = Context.current();
      const order = {
        scrapeId: jobId,
        request,
        fetched,
        queuedMs,
        history,
        urgent: true,
        signal,
        onFault: (message: string, attributes: Record<string, unknown>) => log.error(message, attributes),
      };
      const document = buildDocument({ renderer, tracker, media }, order);
      const [{ json, credits }] = await Promise.all([document, fetched.cached]);
      stages.end('convert');
      const blob = await blobs.put(cipher.encryptBytes(json));
      if (ownBrowser?.keep()) await recordKeptPage(jobId);
      await removeUpload(await completeJob(db, { jobId, credits, blob }));
      stages.end('store');
      return cipher.encrypts ? blob : reportOf(blob, fetched, stages.ms);
    } catch (error) {
      await releaseSlot(db, slot.teamId, slot.holder);
      // A step that was aborted may throw an error of its own, but the reason for the abort is the real
      // cause.
      deadline.signal.throwIfAborted();
      throw error;
    }
  }
}

type FoundJob = NonNullable<Awaited<ReturnType<typeof findJob>>>;
