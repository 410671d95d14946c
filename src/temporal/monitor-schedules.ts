import {
  Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { scheduleIdOf } from '../job-kinds.ts';
import type { MonitorSchedules } from '../jobs/monitors/schedules.ts';
import { splitDays } from '../schedules/recurrence.ts';
import type { StoredMonitor } from '../storage/db/monitors/monitors.ts';
import { withoutCredentials } from '../url/credentials.ts';
import type { monitorDue } from '../workflows/monitor.ts';
import { QUEUES } from '../workflows/queues.ts';
import { JobKind, TeamId } from '../workflows/search-attributes.ts';

const PREFIX = scheduleIdOf('');
const WORKFLOW_PREFIX = `temporal-sys-scheduler:${PREFIX}`;
/** Missed runs are made up for within this time. By default it would be a year. */
const CATCHUP_WINDOW = '10 minutes' as const;
/** The server spreads the runs of different schedules, which are due at the same time, within this time. */
const JITTER = '1 minute' as const;
const MAX_NOTE_CHARACTERS = 500;
const PAGE_SIZE = 1_000;

/** The schedules by a connection of a worker. */
export const openMonitorSchedules = (connection: NativeConnection, namespace: string): MonitorSchedules =>
  monitorSchedules(new Client({ connection, namespace }));

/** Manages the Temporal Schedules of monitors. */
export function monitorSchedules(client: Client): MonitorSchedules {
  return {
    async put(monitor) {
      const settings = settingsOf(monitor);
      try {
        await client.schedule.create({ ...settings, scheduleId: scheduleIdOf(monitor.id) });
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
        await client.schedule.getHandle(scheduleIdOf(monitor.id)).update<typeof monitorDue>(() => settings);
      }
    },
    async remove(monitorId) {
      try {
        await client.schedule.getHandle(scheduleIdOf(monitorId)).delete();
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      }
    },
    async *list() {
      for await (const { scheduleId } of client.schedule.list({ pageSize: PAGE_SIZE }))
        if (scheduleId.startsWith(PREFIX)) yield scheduleId.slice(PREFIX.length);
    },
    async count() {
      // The server keeps each schedule as a workflow.
      const query = `TemporalNamespaceDivision = 'TemporalScheduler' and WorkflowId starts_with '${WORKFLOW_PREFIX}' and ExecutionStatus = 'Running'`;
      return (await client.workflow.count(query)).count;
    },
  };
}

function settingsOf({ id, team_id, name, status, cron, timezone, targets }: StoredMonitor) {
  return {
    spec: { cronExpressions: splitDays(cron), timezone, jitter: JITTER },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'monitorDue',
      workflowId: `monitor-due/${id}`,
      taskQueue: QUEUES.scrape,
      // The types of the client want a tuple.
      args: [{ monitorId: id }] as [{ monitorId: string }],
      staticSummary: `Monitor ${name}`.slice(0, 200),
      typedSearchAttributes: [
        { key: TeamId, value: team_id },
        { key: JobKind, value: 'monitor' },
      ],
    },
    // A run that begins while another one goes on is stored as skipped, so the server must not drop it.
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: CATCHUP_WINDOW },
    state: { paused: status !== 'active', note: noteOf(name, targets) },
  };
}

/** Says in the Temporal UI what a monitor watches. */
function noteOf(name: string, targets: StoredMonitor['targets']): string {
  const places = targets.flatMap(({ url, urls, queries }) => [
    ...(typeof url === 'string' ? [withoutCredentials(url)] : []),
    ...(Array.isArray(urls) ? urls.map((each) => withoutCredentials(String(each))) : []),
    ...(Array.isArray(queries) ? queries.map((each) => `search: ${each}`) : []),
  ]);
  return `${name}: ${places.join(', ')}`.slice(0, MAX_NOTE_CHARACTERS);
}
