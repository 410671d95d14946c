import { type NativeConnection, Worker } from '@temporalio/worker';
import { type Activities, failureInterceptor } from '../activities/index.ts';
import type { Database } from '../storage/db/client.ts';
import type { Logger } from '../system/logger.ts';
import { QUEUES, type WorkerRole } from '../workflows/queues.ts';
import { traceActivities, traceWorkflows } from './traces.ts';
import { runWorkflowsWithoutTimeLimit } from './workflow-thread.ts';

/**
 * Maximum number of activities of each role that one worker runs at once. Activities mostly wait, for the
 * network or the database.
 */
const MAX_ACTIVITIES: Record<WorkerRole, number> = {
  scrape: 32,
  pages: 8,
  webhooks: 64,
  sessions: 8,
  models: 32,
};
/**
 * Maximum number of activities on the queue of a host of sessions: one that keeps each of them, and one that
 * ends it.
 */
const MAX_HOST_ACTIVITIES = 1_000;
/**
 * How many requests for work a worker keeps open on its queue. The next one follows milliseconds after the
 * response to the last, so few suffice; all are repeated every minute, also at rest. Those for workflows are
 * shared by the queue of all workers and that of the workflows which this worker has in memory. The library
 * ignores its options `maxConcurrent…TaskPolls`.
 */
const ACTIVITY_POLLS = { type: 'simple-maximum', maximum: 2 } as const;
const WORKFLOW_POLLS = { type: 'simple-maximum', maximum: 5 } as const;
/** Maximum number of workflows that stay in memory between two of their tasks. */
const MAX_CACHED_WORKFLOWS = 200;
/**
 * How long a task waits for the worker that has its workflow in memory before any worker may take it. With
 * the heartbeats of an activity (10 s), this is how long a workflow takes to notice that its worker was
 * killed: by default, that would be 20 s.
 */
const CACHE_WAIT = '5s';
/** Milliseconds that running activities get to finish when the process is asked to stop. */
const SHUTDOWN_GRACE_MS = 8_000;

/** Settings and dependencies of the Temporal workers of a process. */
interface TemporalWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  /** Path of the bundle of all workflows. */
  bundle: string;
  roles: readonly WorkerRole[];
  /** The queue of this process alone, if it hosts browser sessions. */
  hostQueue: string | undefined;
  activities: Activities;
  db: Database;
  logger: Logger;
}

/**
 * Creates one Temporal worker for each role, and one for the queue of this process if it hosts browser
 * sessions.
 */
export function createTemporalWorkers(options: TemporalWorkerOptions): Promise<Worker[]> {
  const { connection, namespace, bundle, roles, hostQueue, activities, db, logger } = options;
  runWorkflowsWithoutTimeLimit();
  const create = (taskQueue: string, maxActivities: number, runsWorkflows: boolean) =>
    Worker.create({
      connection,
      namespace,
      taskQueue,
      // All workflows are on one queue, so the other workers need no bundle and no workflow cache.
      ...(runsWorkflows && {
        workflowBundle: { codePath: bundle },
        maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
        workflowTaskPollerBehavior: WORKFLOW_POLLS,
        stickyQueueScheduleToStartTimeout: CACHE_WAIT,
      }),
      activities,
      interceptors: {
        activity: [
          ({ info }) => ({ inbound: traceActivities(info) }),
          () => ({ inbound: failureInterceptor({ db, logger }) }),
        ],
      },
      sinks: traceWorkflows,
      maxConcurrentActivityTaskExecutions: maxActivities,
      activityTaskPollerBehavior: ACTIVITY_POLLS,
      maxHeartbeatThrottleInterval: '5s',
      shutdownGraceTime: SHUTDOWN_GRACE_MS,
    });
  return Promise.all([
    ...roles.map((role) => create(QUEUES[role], MAX_ACTIVITIES[role], role === 'scrape')),
    ...(hostQueue ? [create(hostQueue, MAX_HOST_ACTIVITIES, false)] : []),
  ]);
}
