import type { NativeConnection } from '@temporalio/worker';
import { QUEUES } from '../workflows/queues.ts';

/** The kinds of tasks of a queue (`temporal.api.enums.v1.TaskQueueType`). */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** The work that waits in a queue. */
interface QueueState {
  /** The role of the workers that take from it. */
  role: string;
  /** Tasks that wait, as Temporal estimates them. */
  waiting: number;
  /** How long the oldest of them has waited, in milliseconds. */
  oldestMs: number;
}

/** The version of a Temporal server, and the work that waits in its queues. */
export interface ServerState {
  version: string;
  queues: QueueState[];
}

/** Reads the version of the server, and the state of the queues of all roles. */
export async function readServerState(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
): Promise<ServerState> {
  const stateOf = async (role: string, name: string, taskQueueType: number): Promise<QueueState> => {
    const request = { namespace, taskQueue: { name }, taskQueueType, reportStats: true };
    const { stats } = await workflowService.describeTaskQueue(request);
    const { seconds = 0, nanos = 0 } = stats?.approximateBacklogAge ?? {};
    return {
      role,
      waiting: Number(stats?.approximateBacklogCount ?? 0),
      oldestMs: Math.round(Number(seconds) * 1000 + (nanos ?? 0) / 1e6),
    };
  };
  const [{ serverVersion }, ...queues] = await Promise.all([
    workflowService.getSystemInfo({}),
    stateOf('workflows', QUEUES.scrape, WORKFLOW_TASKS),
    ...Object.entries(QUEUES).map(([role, name]) => stateOf(role, name, ACTIVITY_TASKS)),
  ]);
  return { version: serverVersion, queues };
}
