import { Context } from '@temporalio/activity';
import { type MonitorSchedules, restoreSchedules, ScheduleCount } from '../../jobs/monitors/schedules.ts';
import type { DeletedFiles } from '../../storage/blobs/blob-store.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { unlessBackedUp } from '../../storage/db/backup/sweep-lock.ts';
import { type Database, patiently } from '../../storage/db/client.ts';
import { readDatabaseTime } from '../../storage/db/database-time.ts';
import { deleteOldIdempotencyKeys } from '../../storage/db/idempotency.ts';
import {
  deleteExpiredJobs,
  deleteExpiredResults,
  findOldestResultDate,
} from '../../storage/db/jobs/expired-jobs.ts';
import {
  listOverdueJobs,
  type OverdueJob,
  type StalledJob,
  takeStalledJobs,
} from '../../storage/db/jobs/page-jobs.ts';
import { type IdleCheck, listIdleChecks } from '../../storage/db/monitors/checks.ts';
import { keepComparedChecks } from '../../storage/db/monitors/kept-checks.ts';
import { deleteOldMails, listMonitorsWithLateMails } from '../../storage/db/monitors/mails.ts';
import { deleteGoneMonitors } from '../../storage/db/monitors/monitors.ts';
import { findOldestPageDate } from '../../storage/db/monitors/pages.ts';
import { deleteExpiredScrapePages } from '../../storage/db/open-scrape-pages.ts';
import { deleteOldIndexedPages } from '../../storage/db/pages/indexed-pages.ts';
import { deleteOldVersions } from '../../storage/db/pages/page-versions.ts';
import { deleteOldRobotsFiles } from '../../storage/db/robots.ts';
import { endSession, listAbandonedSessions } from '../../storage/db/sessions.ts';
import { deleteOldModelCalls } from '../../storage/db/teams/model-calls.ts';
import { deleteOldPageCounts } from '../../storage/db/teams/page-usage.ts';
import { deleteUnusedProfiles } from '../../storage/db/teams/profiles.ts';
import { deleteUnusedUploads, findOldestUploadDate } from '../../storage/db/uploads.ts';
import { listJobsWithOverdueEvents } from '../../storage/db/webhooks.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { type CacheUpkeepDeps, removeStrayFiles, trimCache } from './cache-upkeep.ts';

/** Dependencies of upkeep. */
export interface UpkeepDeps extends CacheUpkeepDeps {
  db: Database;
  results: Blobs;
  /** Storage of uploaded files. */
  uploads: Blobs;
  versionBlobs: Blobs;
  trackingTtlMs: number;
  /** Maximum number of pages in the index of `POST /v2/search`. */
  maxIndexedPages: number;
  schedules: MonitorSchedules;
  /** What checks of monitors have found. */
  monitorBlobs: Blobs;
}

/**
 * A job without progress for this many milliseconds counts as stalled. Running page workers report progress
 * far sooner.
 */
const STALLED_MS = 60_000;
/** A check of a monitor looks at its jobs at least every minute. */
const IDLE_CHECK_MS = 180_000;
/** A scrape runs for at most 26 minutes, which one with a long document takes. */
const ABANDONED_MS = 30 * 60_000;
/**
 * An event that is overdue by this many milliseconds has no workflow that would send it: due events are sent
 * within seconds.
 */
const OVERDUE_MS = 600_000;
/**
 * Safety margin in milliseconds when old blobs are deleted: a blob is written shortly before its row, one of a bucket is
 * dated anew only when it is an hour old, and the clock of whoever dates it may be an hour wrong.
 */
const SAFETY_MARGIN_MS = 3 * 3_600_000;

/** What has expired and was deleted: jobs with results, copies of pages, and the files of both and of others. */
export interface DeletedData extends DeletedFiles {
  jobs: number;
  copies: number;
}

/** A monitor with mails that should have been sent by now. */
export interface LateMails {
  monitorId: string;
}

/** The activities that delete expired data and find jobs that need a workflow. */
export function upkeepActivities(deps: UpkeepDeps) {
  const { db, results, uploads, versionBlobs, trackingTtlMs, cacheTtlMs, maxIndexedPages } = deps;
  const count = new ScheduleCount();
  return {
    /** Finds jobs that run according to the database, but seem to have no workflow at work. */
    async findStalled(): Promise<(StalledJob | OverdueJob)[]> {
      return [...(await takeStalledJobs(db, STALLED_MS)), ...(await listOverdueJobs(db, ABANDONED_MS))];
    },

    /** Finds ended jobs with events that should have been sent by now. */
    async findOverdue(): Promise<string[]> {
      return listJobsWithOverdueEvents(db, OVERDUE_MS);
    },

    /**
     * Restores the schedules of monitors that Temporal has lost.
     * @returns running checks, and monitors with mails, that seem to have no workflow at work
     */
    async restoreMonitors(): Promise<(IdleCheck | LateMails)[]> {
      using _ = startHeartbeat();
      const { log } = Context.current();
      await restoreSchedules(db, deps.schedules, {
        count,
        onFault: (error, monitorId) =>
          log.error('a schedule could not be restored', { monitorId, error: String(error) }),
      });
      const late = await listMonitorsWithLateMails(db, OVERDUE_MS);
      const mails = late.map((monitorId): LateMails => ({ monitorId }));
      return [...(await listIdleChecks(db, IDLE_CHECK_MS)), ...mails];
    },

    /**
     * Ends browser sessions that have lost their workflow. Deletes expired results, jobs, files, uploads,
     * copies of pages, entries of the search index, idempotency keys, profiles, versions of pages and
     * robots.txt files. While a backup copies them, nothing is deleted.
     */
    async tidyUp(): Promise<DeletedData> {
      using _ = startHeartbeat();
      const deleted = await unlessBackedUp(db, deleteExpired);
      return deleted ?? { jobs: 0, copies: 0, files: 0, bytes: 0 };
    },
  };

  async function deleteExpired(): Promise<DeletedData> {
    const db = patiently(deps.db);
    // Jobs that expire meanwhile are left for the next cleanup, so that a busy service does not keep this
    // one from ending.
    const now = (await readDatabaseTime(db)).getTime();
    let jobs = 0;
    for (let deleted = 1; deleted > 0; jobs += deleted)
      deleted = await deleteExpiredResults(db, new Date(now));
    await keepComparedChecks(db, new Date(now));
    while ((await deleteExpiredJobs(db, new Date(now))) > 0);
    const cache = await trimCache({ ...deps, db });
    const strays = await removeStrayFiles({ ...deps, db });
    await deleteGoneMonitors(db);
    await deleteOldMails(db);
    await deleteOldIdempotencyKeys(db);
    await deleteExpiredScrapePages(db);
    await deleteOldRobotsFiles(db);
    await deleteUnusedProfiles(db);
    await deleteOldModelCalls(db);
    await deleteOldPageCounts(db);
    for (const id of await listAbandonedSessions(db)) await endSession(db, { id, reason: 'lost' });
    await deleteOldIndexedPages(db, new Date(now - cacheTtlMs), maxIndexedPages);
    await deleteOldVersions(db, new Date(now - trackingTtlMs));
    const oldest = (await findOldestResultDate(db))?.getTime() ?? now;
    const deletedResults = await results.sweep(new Date(oldest - SAFETY_MARGIN_MS));
    // A version may reuse a blob until half of the blob's retention time is over, so blobs are kept for
    // one and a half times that time.
    const unused = await removeUnusedUploads(db);
    const versions = await versionBlobs.sweep(new Date(now - 1.5 * trackingTtlMs - SAFETY_MARGIN_MS));
    const oldestFound = (await findOldestPageDate(db))?.getTime() ?? now;
    const found = await deps.monitorBlobs.sweep(new Date(oldestFound - SAFETY_MARGIN_MS));
    const all = [deletedResults, cache, strays, unused, versions, found];
    const sumOf = (what: keyof DeletedFiles) => all.reduce((sum, each) => sum + each[what], 0);
    return { jobs, copies: cache.copies, files: sumOf('files'), bytes: sumOf('bytes') };
  }

  /**
   * Deletes the uploads that no job uses, and files whose rows are gone.
   */
  async function removeUnusedUploads(db: Database): Promise<DeletedFiles> {
    const removed = { files: 0, bytes: 0 };
    for (let unused = await deleteUnusedUploads(db); unused.length; ) {
      for (const { blob, size } of unused) {
        await uploads.remove(blob);
        removed.files++;
        removed.bytes += size;
      }
      unused = await deleteUnusedUploads(db);
    }
    const oldest = (await findOldestUploadDate(db)) ?? (await readDatabaseTime(db));
    const swept = await uploads.sweep(new Date(oldest.getTime() - SAFETY_MARGIN_MS));
    return { files: removed.files + swept.files, bytes: removed.bytes + swept.bytes };
  }
}
