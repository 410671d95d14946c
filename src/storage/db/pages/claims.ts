import { sql } from 'kysely';
import type { Database } from '../client.ts';

/** Seconds after which a claim expires if its page worker does not renew it. */
export const CLAIM_SECONDS = 30;

/** A page that a page worker has claimed. */
export interface Claim {
  ordinal: number;
  /** The scrape id of the page. */
  id: string;
  url: string;
  host: string;
  depth: number;
  /** Whether only an earlier crawl found the page: nothing links to it now. */
  hidden: boolean;
  /** Number of earlier attempts to fetch the page. */
  attempts: number;
  /** Number of earlier claims that ended because the page worker was lost. */
  losses: number;
  /** Milliseconds that the page waited for a page worker after it became due. */
  waitedMs: number;
}

/** The column values of a page that no page worker has claimed. */
const UNCLAIMED = { status: 'pending', page_worker: null, claimed_until: null } as const;

/**
 * Releases the claims of all page workers whose names begin with `options.workerPrefix`.
 * @param options.isWorkerLost whether the process of the page workers was lost, which counts as a loss for
 * each page
 */
export async function releaseClaims(
  db: Database,
  { jobId, workerPrefix, isWorkerLost }: { jobId: string; workerPrefix: string; isWorkerLost: boolean },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ ...UNCLAIMED, losses: sql<number>`losses + ${isWorkerLost ? 1 : 0}` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('page_worker', 'like', `${workerPrefix}%`)
    .where('team_id', '=', ({ selectFrom }) =>
      selectFrom('job_progress').select('team_id').where('job_id', '=', jobId),
    )
    .execute();
  await db.query.deleteFrom('host_leases').where('page_worker', 'like', `${workerPrefix}%`).execute();
}

/** Renews all claims of a page worker. */
export async function renewClaims(
  db: Database,
  { jobId, pageWorker }: { jobId: string; pageWorker: string },
): Promise<void> {
  await db.query
    .updateTable('pages')
    .set({ claimed_until: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'claimed')
    .where('page_worker', '=', pageWorker)
    .execute();
  await db.query
    .updateTable('host_leases')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
    .where('page_worker', '=', pageWorker)
    .where('taken', '>', 0)
    .execute();
}
