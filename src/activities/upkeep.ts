import type { Blobs } from '../blobs.ts';
import type { Database } from '../db/client.ts';
import { forgetKeys } from '../db/idempotency.ts';
import { type StalledJob, takeStalled } from '../db/page-jobs.ts';
import { forgetVersions } from '../db/page-versions.ts';
import { deleteUnusedProfiles } from '../db/profiles.ts';
import { forgetRobotsFiles } from '../db/robots.ts';
import { deleteExpired, deleteResults, oldestResult } from '../db/upkeep.ts';
import { listOverdue } from '../db/webhooks.ts';
import { type CacheDoors, removeStrayFiles, trimCache } from './cache-upkeep.ts';
import { startHeartbeat } from './heartbeat.ts';

/** What upkeep needs from outside. */
export interface UpkeepDoors extends CacheDoors {
  db: Database;
  blobs: Blobs;
  versionBlobs: Blobs;
  trackingTtlMs: number;
}

/** A job that nothing has happened to for so long is looked after: a lane reports far sooner. */
const STALLED_MS = 60_000;
/** An event this late has nobody who sends it: what is due is sent within seconds. */
const OVERDUE_MS = 600_000;
/** Blobs are written a little before the rows that name them. */
const SLACK_MS = 3_600_000;

/** The activities that keep the house clean and its jobs going. */
export function upkeepActivities(doors: UpkeepDoors) {
  const { db, blobs, versionBlobs, trackingTtlMs } = doors;
  return {
    /** Jobs that run in the database, but seem to have no workflow at work. */
    async findStalled(): Promise<StalledJob[]> {
      return takeStalled(db, STALLED_MS);
    },

    /** Ended jobs with events that should have been sent by now. */
    async findOverdue(): Promise<string[]> {
      return listOverdue(db, OVERDUE_MS);
    },

    /** Deletes what has expired: results, jobs, files, copies of pages, idempotency keys, profiles, versions of pages, robots.txt. */
    async tidyUp(): Promise<{ jobs: number; files: number; copies: number }> {
      using _ = startHeartbeat();
      const now = Date.now();
      let jobs = 0;
      for (let some = 1; some > 0; jobs += some) some = await deleteResults(db);
      while ((await deleteExpired(db)) > 0);
      const cache = await trimCache(doors);
      const strays = await removeStrayFiles(doors);
      await forgetKeys(db);
      await forgetRobotsFiles(db);
      await deleteUnusedProfiles(db);
      await forgetVersions(db, new Date(now - trackingTtlMs));
      const oldest = (await oldestResult(db))?.getTime() ?? now;
      const results = await blobs.sweep(new Date(oldest - SLACK_MS));
      // A version may go on with a blob that was half its time old then.
      const versions = await versionBlobs.sweep(new Date(now - 1.5 * trackingTtlMs - SLACK_MS));
      return { jobs, files: results + cache.files + strays + versions, copies: cache.copies };
    },
  };
}
