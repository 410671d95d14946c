import type { Blobs } from '../blobs/index.ts';
import type { Database } from '../db/client.ts';
import { forgetKeys } from '../db/idempotency.ts';
import { type StalledJob, takeStalled } from '../db/page-jobs.ts';
import { forgetVersions } from '../db/page-versions.ts';
import { deleteUnusedProfiles } from '../db/profiles.ts';
import { forgetRobotsFiles } from '../db/robots.ts';
import { deleteExpired, deleteResults, oldestResult } from '../db/upkeep.ts';
import { listOverdue } from '../db/webhooks.ts';
import { type CacheUpkeepDeps, removeStrayFiles, trimCache } from './cache-upkeep.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of upkeep. */
export interface UpkeepDeps extends CacheUpkeepDeps {
  db: Database;
  blobs: Blobs;
  versionBlobs: Blobs;
  trackingTtlMs: number;
}

/**
 * A job without progress for this many milliseconds counts as stalled. Running lanes report progress far
 * sooner.
 */
const STALLED_MS = 60_000;
/**
 * An event that is overdue by this many milliseconds has no workflow that would send it: due events are sent
 * within seconds.
 */
const OVERDUE_MS = 600_000;
/**
 * Safety margin in milliseconds when old blobs are deleted, because a blob is written shortly before its
 * row.
 */
const SLACK_MS = 3_600_000;

/** The activities that delete expired data and find jobs that need a workflow. */
export function upkeepActivities(deps: UpkeepDeps) {
  const { db, blobs, versionBlobs, trackingTtlMs } = deps;
  return {
    /** Finds batches and crawls that run according to the database, but seem to have no workflow at work. */
    async findStalled(): Promise<StalledJob[]> {
      return takeStalled(db, STALLED_MS);
    },

    /** Finds ended jobs with events that should have been sent by now. */
    async findOverdue(): Promise<string[]> {
      return listOverdue(db, OVERDUE_MS);
    },

    /**
     * Deletes expired results, jobs, files, copies of pages, idempotency keys, profiles, versions of pages
     * and robots.txt files.
     */
    async tidyUp(): Promise<{ jobs: number; files: number; copies: number }> {
      using _ = startHeartbeat();
      const now = Date.now();
      let jobs = 0;
      for (let some = 1; some > 0; jobs += some) some = await deleteResults(db);
      while ((await deleteExpired(db)) > 0);
      const cache = await trimCache(deps);
      const strays = await removeStrayFiles(deps);
      await forgetKeys(db);
      await forgetRobotsFiles(db);
      await deleteUnusedProfiles(db);
      await forgetVersions(db, new Date(now - trackingTtlMs));
      const oldest = (await oldestResult(db))?.getTime() ?? now;
      const results = await blobs.sweep(new Date(oldest - SLACK_MS));
      // A version may reuse a blob until half of the blob's retention time is over, so blobs are kept for
      // one and a half times that time.
      const versions = await versionBlobs.sweep(new Date(now - 1.5 * trackingTtlMs - SLACK_MS));
      return { jobs, files: results + cache.files + strays + versions, copies: cache.copies };
    },
  };
}
