import { sql } from 'kysely';
import { JUDGED_PAGE } from '../../../credits.ts';
import type { MonitorJudgment } from '../../../schemas/monitor-judgment.ts';
import type { Database } from '../client.ts';
import { lockCredits, readAvailableCredits } from '../teams/available-credits.ts';
import { lockRunningCheck, warnOfCheck } from './checks.ts';
import { addPageEvents } from './page-events.ts';
import type { StoredCheckPage } from './pages.ts';

/** Lists pages of a running check that are to be judged, in the order in which they were found. */
export async function listUnjudgedPages(
  db: Database,
  checkId: string,
  limit: number,
): Promise<StoredCheckPage[]> {
  return db.query
    .selectFrom('monitor_pages')
    .innerJoin('monitor_checks', 'monitor_checks.id', 'check_id')
    .selectAll('monitor_pages')
    .where('check_id', '=', checkId)
    .where('is_judgment_due', '=', true)
    .where('monitor_checks.status', '=', 'running')
    .orderBy('ordinal')
    .limit(limit)
    .execute();
}

/**
 * Reserves the credits of judgments that are made next, in place of those that the check had reserved before.
 * @param count how many are wanted; 0 frees what the check has reserved
 * @returns how many the team can pay for besides its other work
 */
export async function reserveJudgments(
  db: Database,
  { checkId, teamId, count }: { checkId: string; teamId: string; count: number },
): Promise<number> {
  return db.query.transaction().execute(async (query) => {
    await lockCredits(query, teamId);
    const reserve = (judgments: number) =>
      query
        .updateTable('jobs')
        .set({ reserved: judgments * JUDGED_PAGE })
        .where('id', '=', checkId)
        .execute();
    await reserve(0);
    if (count === 0) return 0;
    const available = (await readAvailableCredits({ query }, teamId)) ?? Number.POSITIVE_INFINITY;
    const granted = Math.max(0, Math.min(count, Math.floor(available / JUDGED_PAGE)));
    await reserve(granted);
    return granted;
  });
}

/**
 * Stores a judgment, bills what was reserved for it, and has it told that the page changed unless it does not
 * matter. Does nothing if the page is judged, or its check has ended.
 */
export async function recordJudgment(
  db: Database,
  page: Pick<StoredCheckPage, 'id' | 'check_id' | 'is_failure_told'>,
  judgment: MonitorJudgment,
): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    if (!(await lockRunningCheck(query, page.check_id))) return;
    const judged = await query
      .updateTable('monitor_pages')
      .set({ judgment: JSON.stringify(judgment), is_judgment_due: false })
      .where('id', '=', page.id)
      .where('is_judgment_due', '=', true)
      .returning('ordinal')
      .executeTakeFirst();
    if (!judged) return;
    await sql`
      with entry as (
        insert into credit_entries (job_id, ordinal, team_id, api_key_id, credits)
        select id, ${judged.ordinal}, team_id, api_key_id, ${JUDGED_PAGE} from jobs where id = ${page.check_id}
        on conflict do nothing returning team_id, credits
      )
      update teams set credits_remaining = credits_remaining - entry.credits from entry
      where teams.id = entry.team_id and credits_remaining is not null`.execute(query);
    await query
      .updateTable('jobs')
      .set({ reserved: sql<number>`greatest(0, reserved - ${JUDGED_PAGE})` })
      .where('id', '=', page.check_id)
      .execute();
    // A page that is read again is told in any case.
    if (judgment.meaningful || page.is_failure_told)
      await addPageEvents(query, page.check_id, [judged.ordinal]);
  });
}

/** Has pages of a check told without a judgment. @param reason the warning of the check, unless it has one */
export async function tellUnjudged(
  db: Database,
  { checkId, pageIds, reason }: { checkId: string; pageIds?: readonly string[]; reason?: string },
): Promise<void> {
  await db.query.transaction().execute(async (query) => {
    if (!(await lockRunningCheck(query, checkId))) return;
    let pages = query
      .updateTable('monitor_pages')
      .set({ is_judgment_due: false })
      .where('check_id', '=', checkId)
      .where('is_judgment_due', '=', true);
    if (pageIds) pages = pages.where('id', 'in', pageIds);
    const told = await pages.returning('ordinal').execute();
    if (told.length === 0) return;
    await addPageEvents(
      query,
      checkId,
      told.map(({ ordinal }) => ordinal),
    );
    if (reason !== undefined) await warnOfCheck(query, checkId, reason);
  });
}

/** How the results of the searches of a target were judged. */
export interface JudgedResults {
  targetId: string;
  resultCount: number;
  resultsJudged: number;
  /** Results that matter. */
  matches: number;
}

/** Counts the pages of a check by target, and how they were judged. */
export async function countJudgments(db: Database, checkId: string): Promise<JudgedResults[]> {
  const { rows } = await sql<JudgedResults>`
    select target_id as "targetId", (count(*) filter (where status <> 'error'))::int as "resultCount",
      count(judgment)::int as "resultsJudged",
      (count(*) filter (where (judgment ->> 'meaningful')::boolean))::int as matches
    from monitor_pages where check_id = ${checkId} group by target_id`.execute(db.query);
  return rows;
}
