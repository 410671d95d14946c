import type { Database } from '../../storage/db/client.ts';
import {
  listScheduledIds,
  listUnscheduled,
  markScheduled,
  markUnscheduled,
  type StoredMonitor,
} from '../../storage/db/monitors/monitors.ts';

/** The Temporal Schedules of monitors. */
export interface MonitorSchedules {
  /** Creates the schedule of a monitor, or gives it the settings of the monitor. */
  put(monitor: StoredMonitor): Promise<void>;
  /** Deletes a schedule if there is one. */
  remove(monitorId: string): Promise<void>;
  /** Lists the monitors that have a schedule. One that was created or deleted a moment ago may be missing or listed. */
  list(): AsyncIterable<string>;
}

/** Schedules that are changed at the same time. */
const AT_ONCE = 8;
/** Monitors that are read at once. */
const MONITORS_PER_STEP = 200;

/** Gives the schedule of a monitor the settings that are stored. */
export async function followMonitor(
  db: Database,
  schedules: MonitorSchedules,
  monitor: StoredMonitor,
): Promise<void> {
  await (monitor.status === 'deleted' ? schedules.remove(monitor.id) : schedules.put(monitor));
  await markScheduled(db, monitor);
}

/**
 * Makes the schedules those of the stored monitors: restores lost ones, and deletes those that no monitor has.
 * @param onFault called for a schedule that could not be changed, which keeps none of the others from being it
 */
export async function restoreSchedules(
  db: Database,
  schedules: MonitorSchedules,
  onFault: (error: unknown, monitorId: string) => void,
): Promise<void> {
  const missing = new Set(await listScheduledIds(db));
  const strays: string[] = [];
  for await (const id of schedules.list()) if (!missing.delete(id)) strays.push(id);
  await markUnscheduled(db, [...missing]);
  const follow = (monitor: StoredMonitor) =>
    followMonitor(db, schedules, monitor).catch((error) => onFault(error, monitor.id));
  for (let after = ''; ; ) {
    const monitors = await listUnscheduled(db, { after, limit: MONITORS_PER_STEP });
    const last = monitors.at(-1);
    if (!last) break;
    after = last.id;
    for (let start = 0; start < monitors.length; start += AT_ONCE)
      await Promise.all(monitors.slice(start, start + AT_ONCE).map(follow));
  }
  const known = new Set(strays.length ? await listScheduledIds(db) : []);
  for (const id of strays)
    if (!known.has(id)) await schedules.remove(id).catch((error) => onFault(error, id));
}
