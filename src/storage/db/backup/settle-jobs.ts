import type { PoolClient } from 'pg';
import { JOB_KINDS, TASK_KINDS } from '../../../job-kinds.ts';
import type { StoredError } from '../tables.ts';

const SESSION_KINDS = ['browser', 'interact'];

/** The error of a job of a kind that cannot go on from its rows. */
const lostError = (kind: (typeof TASK_KINDS)[number]): StoredError => ({
  code: 'LOST_IN_RESTORE',
  message: `The service was restored from a backup that was made while the ${JOB_KINDS[kind].noun} ran. Send the request again.`,
});

/**
 * Ends what cannot go on in a restored database, because its work was in processes and in Temporal. Batches, crawls
 * and checks of monitors go on from their rows: upkeep starts their workflows in its first round.
 */
export async function settleJobs(client: PoolClient): Promise<void> {
  for (const kind of TASK_KINDS) {
    await client.query(
      `update jobs set status = 'failed', error = $2, finished_at = now(), reserved = 0
      where kind = $1 and status = 'scraping'`,
      [kind, JSON.stringify(lostError(kind))],
    );
  }
  await client.query(`
    update browser_sessions set state = 'destroyed', end_reason = 'lost', ended_at = now(), host = null
    where state <> 'destroyed'`);
  await client.query(
    `update jobs set status = 'completed', finished_at = now(), reserved = 0
    where kind = any($1) and status = 'scraping'`,
    [SESSION_KINDS],
  );
  await client.query('delete from open_scrape_pages');
  await client.query('delete from long_conversions');
  await client.query(`update profiles set holder = null, token = null, held_until = null`);
  await client.query(`update job_progress set touched_at = 'epoch'`);
  await client.query(`update monitor_checks set updated_at = 'epoch' where finished_at is null`);
  await client.query(`update monitors set is_scheduled = false where status <> 'deleted'`);
}
