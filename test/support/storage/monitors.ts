import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/storage/db/client.ts';
import { insertCheck } from '../../../src/storage/db/monitors/checks.ts';
import { insertMonitor, type StoredMonitor } from '../../../src/storage/db/monitors/monitors.ts';

/** More than the monitors of any test. */
const MAX_MONITORS = 100;

/**
 * Stores a monitor without a schedule.
 * @param columns those that the test is about; `targets` and `notification` as JSON
 */
export const storeMonitor = (
  db: Database,
  columns: Pick<Parameters<typeof insertMonitor>[1], 'team_id'> &
    Partial<Parameters<typeof insertMonitor>[1]>,
): Promise<StoredMonitor> =>
  insertMonitor(
    db.query,
    {
      id: randomUUID(),
      api_key_id: null,
      tags: [],
      name: 'Pages',
      cron: '0 9 * * *',
      timezone: 'UTC',
      runs_per_month: 30,
      targets: '[]',
      webhook: null,
      notification: null,
      base_url: 'https://winnow.test',
      retention_days: 1,
      goal: null,
      judge_enabled: false,
      check_credits: 1,
      ...columns,
    },
    MAX_MONITORS,
  );

/** Begins a check of a monitor that nobody works on. @returns its id */
export async function storeCheck(db: Database, monitor: StoredMonitor): Promise<string> {
  const id = randomUUID();
  await insertCheck(db.query, monitor, { id, trigger: 'manual', scheduledFor: null, status: 'running' });
  return id;
}
