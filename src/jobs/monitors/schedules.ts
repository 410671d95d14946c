import type { Database } from '../../storage/db/client.ts';
import {
  countScheduled,
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
  /** Counts the monitors that have a schedule, by one request. */
  count(): Promise<number>;
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

/** Milliseconds after which schedules are compared one by one although their number is right. */
const COMPARISON_MS = 3_600_000;

/**
 * Remembers when a process has compared the schedules one by one. As long as their number is that of the monitors, it
 * need not do so again: ten thousand schedules are many pages to list each minute.
 */
export class ScheduleCount {
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** Whether Temporal counts what it lists, which its index does up to half a second late. */
  #isExact = false;

  /** Whether there are as many schedules as there should be. */
  async isRight(db: Database, schedules: MonitorSchedules): Promise<boolean> {
    if (!this.#isExact || performance.now() - this.#comparedAt > COMPARISON_MS) return false;
    const [stored, counted] = await Promise.all([countScheduled(db), schedules.count()]);
    return stored === counted;
  }

  /** Notes that all schedules were compared. @param listed their number */
  async noteComparison(listed: number, schedules: MonitorSchedules): Promise<void> {
    this.#isExact = (await schedules.count()) === listed;
    this.#comparedAt = performance.now();
  }
}

/**
 * Makes the schedules those of the stored monitors: restores lost ones, and deletes those that no monitor has.
 * @param onFault called for a schedule that could not be changed, which keeps none of the others from being it
 */
export async function restoreSchedules(
  db: Database,
  schedules: MonitorSchedules,
  { count, onFault }: { count: ScheduleCount; onFault: (error: unknown, monitorId: string) => void },
): Promise<void> {
  const follow = (monitor: StoredMonitor) =>
    followMonitor(db, schedules, monitor).catch((error) => onFault(error, monitor.id));
  const strays = (await count.isRight(db, schedules)) ? [] : await compareSchedules(db, schedules, count);
  await followAll(db, follow);
  const known = new Set(strays.length ? await listScheduledIds(db) : []);
  for (const id of strays)
    if (!known.has(id)) await schedules.remove(id).catch((error) => onFault(error, id));
}

/** Marks monitors whose schedules are lost. @returns schedules that no monitor had a moment ago */
async function compareSchedules(
  db: Database,
  schedules: MonitorSchedules,
  count: ScheduleCount,
): Promise<string[]> {
  const missing = new Set(await listScheduledIds(db));
  const strays: string[] = [];
  let listed = 0;
  for await (const id of schedules.list()) {
    listed++;
    if (!missing.delete(id)) strays.push(id);
  }
  await markUnscheduled(db, [...missing]);
  await count.noteComparison(listed, schedules);
  return strays;
}

/** Has the schedules of all monitors follow that were changed. */
async function followAll(db: Database, follow: (monitor: StoredMonitor) => Promise<void>): Promise<void> {
  for (let after = ''; ; ) {
    const monitors = await listUnscheduled(db, { after, limit: MONITORS_PER_STEP });
    const last = monitors.at(-1);
    if (!last) break;
    after = last.id;
    for (let start = 0; start < monitors.length; start += AT_ONCE)
      await Promise.all(monitors.slice(start, start + AT_ONCE).map(follow));
  }
}
