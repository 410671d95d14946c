import { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { countRunsPerMonth } from '../../src/schedules/recurrence.ts';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { readMonitor } from '../../src/storage/db/monitors/monitors.ts';
import { FIRST_TEAM, findTeam } from '../../src/storage/db/teams/teams.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { monitorSchedules } from '../../src/temporal/monitor-schedules.ts';
import type { MeasuredService } from '../crawl/service.ts';
import { byRole, sampleProcesses } from '../processes.ts';

/** Schedules that are created at the same time. */
const AT_ONCE = 8;
/** Monitors that are stored at once. */
const ROWS = 1_000;

/** Opens the database of a service that was started for a benchmark. */
export const openDatabaseOf = ({ instance }: MeasuredService): Database =>
  openDatabase(runningDatabaseUrl(instance.dataDir), () => undefined);

/**
 * Stores a monitor for each URL, with its schedule. The API would take its time, and refuse that many.
 * @param cron when all of them are due, in UTC
 */
export async function addMonitors(
  service: MeasuredService,
  { urls, cron }: { urls: string[]; cron: string },
): Promise<void> {
  const db = openDatabaseOf(service);
  const connection = await connectTemporal(service.temporalAddress);
  try {
    const { id: teamId } = await findTeam(db, FIRST_TEAM);
    const schedules = monitorSchedules(new Client({ connection, namespace: 'default' }));
    const ids: string[] = [];
    for (let start = 0; start < urls.length; start += ROWS)
      ids.push(...(await storeMonitors(db, { urls: urls.slice(start, start + ROWS), cron, teamId })));
    let next = 0;
    const lane = async () => {
      while (next < ids.length) {
        const monitor = await readMonitor(db, ids[next++] ?? '');
        if (monitor) await schedules.put(monitor);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await db.query.updateTable('monitors').set({ is_scheduled: true }).execute();
  } finally {
    await connection.close();
    await db.close();
  }
}

async function storeMonitors(
  db: Database,
  { urls, cron, teamId }: { urls: string[]; cron: string; teamId: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into monitors (team_id, name, cron, timezone, runs_per_month, targets, base_url, retention_days,
      judge_enabled, check_credits, is_scheduled)
    select ${teamId}, 'Monitor of ' || url, ${cron}, 'UTC', ${countRunsPerMonth({ cron, timezone: 'UTC' })},
      jsonb_build_array(jsonb_build_object('id', 'target-1', 'type', 'scrape', 'urls', jsonb_build_array(url))),
      'http://winnow.test', 30, false, 1, true
    from jsonb_array_elements_text(${JSON.stringify(urls)}::jsonb) as given (url)
    returning id`.execute(db.query);
  return rows.map(({ id }) => id);
}

/** CPU milliseconds of the service so far, of all its processes. */
export const cpuOf = ({ roots }: MeasuredService): number =>
  Object.values(byRole(sampleProcesses(roots), 'cpuMs')).reduce((sum, each) => sum + each, 0);
