import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Database } from '../storage/db/client.ts';

const POLL_MS = 500;

/**
 * Waits until the database responds. An activity that failed because of an outage ends after it, so that an
 * outage costs one of its few attempts, however long it lasts.
 * @throws CancelledFailure if the activity has ended for Temporal meanwhile, or if its worker stops
 */
export async function waitForDatabase(db: Pick<Database, 'ready'>): Promise<void> {
  const context = Context.current();
  const responds = () =>
    db.ready().then(
      () => true,
      () => false,
    );
  while (!(await responds())) {
    context.heartbeat();
    await Promise.race([sleep(POLL_MS), context.cancelled]);
  }
}
