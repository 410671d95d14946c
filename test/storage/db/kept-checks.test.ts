import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { deleteExpiredJobs } from '../../../src/storage/db/jobs/expired-jobs.ts';
import { endCheck, listChecks } from '../../../src/storage/db/monitors/checks.ts';
import { keepComparedChecks } from '../../../src/storage/db/monitors/kept-checks.ts';
import { changeMonitor, type StoredMonitor } from '../../../src/storage/db/monitors/monitors.ts';
import {
  addCheckPages,
  pageWithoutDocument,
  summarizePages,
} from '../../../src/storage/db/monitors/pages.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { storeCheck, storeMonitor } from '../../support/storage/monitors.ts';

/** Which expired checks of monitors are kept, because the next ones are compared with them. */

const db = useOwnDatabase();

async function monitorOf(targetIds: string[]): Promise<StoredMonitor> {
  const team = await makeTeam(db);
  const targets = targetIds.map((id) => ({ type: 'scrape', id, urls: [`https://${id}.test/`] }));
  return storeMonitor(db, { team_id: team.id, targets: JSON.stringify(targets) });
}

/** Stores a check that has expired. @param pages their targets, URLs and states, such as `a /x same` */
async function addCheck(
  monitor: StoredMonitor,
  pages: string[],
  { isRunning = false } = {},
): Promise<string> {
  const checkId = await storeCheck(db, monitor);
  const found = pages.map((page) => {
    const [targetId, path, status] = page.split(' ') as [string, string, 'same' | 'error'];
    return pageWithoutDocument(randomUUID(), {
      targetId,
      url: `https://${targetId}.test${path}`,
      status,
      isTold: false,
    });
  });
  await db.query
    .transaction()
    .execute((query) => addCheckPages(query, { checkId, monitorId: monitor.id }, found));
  const summary = await summarizePages(db, checkId);
  if (!isRunning)
    await endCheck(db, checkId, { status: 'completed', summary, credits: 1, targetResults: [], error: null });
  await sql`
    update jobs set expires_at = now() - interval '2 days', created_at = now() - interval '3 days'
    where id = ${checkId}`.execute(db.query);
  return checkId;
}

/** Deletes what has expired as upkeep does. @returns the checks that are left, the oldest first */
async function checksAfterUpkeep({ id: monitorId }: StoredMonitor): Promise<string[]> {
  const now = new Date();
  await keepComparedChecks(db, now);
  while ((await deleteExpiredJobs(db, now)) > 0);
  return (await listChecks(db, { monitorId, limit: 100, offset: 0 })).map(({ id }) => id).toReversed();
}

it('keeps the last check of each target that could read a page', async () => {
  const monitor = await monitorOf(['a', 'b']);
  await addCheck(monitor, ['a / same', 'b / same']);
  const ofB = await addCheck(monitor, ['a / same', 'b / same', 'gone / same']);
  const ofA = await addCheck(monitor, ['a / same']);
  expect(await checksAfterUpkeep(monitor)).toEqual([ofB, ofA]);
  expect(await checksAfterUpkeep(monitor)).toEqual([ofB, ofA]);
});

it('keeps no check for pages that the later ones no longer have, or for targets that are gone', async () => {
  const monitor = await monitorOf(['a']);
  await addCheck(monitor, ['a / same', 'a /old same', 'gone / same']);
  const last = await addCheck(monitor, ['a / same']);
  expect(await checksAfterUpkeep(monitor)).toEqual([last]);
});

it('keeps the check that could read a page which the last one could not', async () => {
  const monitor = await monitorOf(['a']);
  await addCheck(monitor, ['a / same', 'a /x same']);
  const known = await addCheck(monitor, ['a / same', 'a /x same']);
  await addCheck(monitor, ['a / same', 'a /x error']);
  const last = await addCheck(monitor, ['a / same', 'a /x error']);
  expect(await checksAfterUpkeep(monitor)).toEqual([known, last]);
});

it('does not take a running check for a later one', async () => {
  const monitor = await monitorOf(['a']);
  await addCheck(monitor, ['a / same', 'a /x same']);
  const known = await addCheck(monitor, ['a / same', 'a /x same']);
  const running = await addCheck(monitor, ['a / same'], { isRunning: true });
  expect(await checksAfterUpkeep(monitor)).toEqual([known, running]);
});

it('keeps no check of a deleted monitor', async () => {
  const monitor = await monitorOf(['a']);
  await addCheck(monitor, ['a / same']);
  await changeMonitor(db, { id: monitor.id, teamId: monitor.team_id }, { status: 'deleted' });
  expect(await checksAfterUpkeep(monitor)).toEqual([]);
});
