import {
  Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { backup } from '../workflows/backup.ts';
import { QUEUES } from '../workflows/queues.ts';
import { withUnavailableError } from './connection.ts';

const ID = 'backups';

/**
 * Creates the Temporal Schedule of the daily backups, whose first one begins at once, or removes it.
 * @param isWanted whether the operator wants them
 */
export function scheduleBackups(
  connection: NativeConnection,
  { namespace, isWanted }: { namespace: string; isWanted: boolean },
): Promise<void> {
  const client = new Client({ connection, namespace });
  return withUnavailableError(isWanted ? create(client) : remove(client));
}

async function create(client: Client): Promise<void> {
  try {
    await client.schedule.create<typeof backup>({
      scheduleId: ID,
      // At night in UTC, and not at the full hour, when monitors are due.
      spec: { cronExpressions: ['17 2 * * *'], jitter: '20 minutes' },
      action: {
        type: 'startWorkflow',
        workflowType: 'backup',
        workflowId: 'backup',
        taskQueue: QUEUES.scrape,
        staticSummary: 'Writes all that the service has to WINNOW_BACKUPS',
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
      state: { triggerImmediately: true, note: 'Daily backups to WINNOW_BACKUPS' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

async function remove(client: Client): Promise<void> {
  try {
    await client.schedule.getHandle(ID).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
