import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../../errors.ts';
import type { CheckStatus } from '../../schemas/monitor.ts';
import { readStoredTargets, targetName } from '../../schemas/monitor-targets.ts';
import type { Database, Queryable } from '../../storage/db/client.ts';
import { findCheck, insertCheck, lockMonitor, type StoredCheck } from '../../storage/db/monitors/checks.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import { lockCredits, readAvailableCredits } from '../../storage/db/teams/available-credits.ts';
import { insertCheckJobs, type NamedTarget, priceOfTarget } from './plan-jobs.ts';

/** Dependencies of the start of checks. */
export interface CheckStartDeps {
  db: Database;
  /** How long the results of the jobs of a check are kept. */
  resultTtlMs: number;
  /** Whether a language model is configured. */
  hasModel: boolean;
}

/** A check that was stored. */
export interface BegunCheck {
  monitor: StoredMonitor;
  check: StoredCheck;
}

/**
 * Milliseconds that the start of a scheduled check may be late. A check that began this long after the time of
 * another one takes its place: after a rest of the service, one check is enough.
 */
const LATENESS_MS = 60_000;

/** The warning of checks whose monitor wants that changes are judged, where nothing can do that. */
const UNJUDGED =
  'The changes of this check are not judged by the goal, because no language model is configured (WINNOW_LLM_BASE_URL, WINNOW_LLM_MODEL): each is told, whether it matters for the goal or not. Narrow down what counts by changeDetection, includeTags and excludeTags.';

/** Whether a monitor wants that its changes are judged. */
export const wantsJudgment = ({ goal, judge_enabled }: Pick<StoredMonitor, 'goal' | 'judge_enabled'>) =>
  goal !== null && judge_enabled;

/** The targets of a monitor, with the defaults that they left out. */
export const targetsOf = ({ targets }: Pick<StoredMonitor, 'targets'>): NamedTarget[] =>
  readStoredTargets(targets).map((target, index) => ({ name: targetName(target, index), target }));

/**
 * Begins the check that a schedule asks for. One that cannot begin is stored as skipped.
 * @param monitorId the monitor
 * @param scheduledFor the time of the schedule, which identifies the check
 * @returns `undefined` if the monitor is paused or deleted, or a later check takes the place of this one
 */
export async function beginScheduledCheck(
  deps: CheckStartDeps,
  monitorId: string,
  scheduledFor: Date,
): Promise<BegunCheck | undefined> {
  const id = uuidv5(`check ${scheduledFor.toISOString()}`, monitorId);
  return deps.db.query.transaction().execute(async (query) => {
    const monitor = await lockMonitor(query, monitorId);
    if (!monitor) return undefined;
    const known = await findCheck({ query }, id);
    if (known) return { monitor, check: known };
    if (monitor.status !== 'active') return undefined;
    if (monitor.last_run_at && monitor.last_run_at.getTime() > scheduledFor.getTime() + LATENESS_MS)
      return undefined;
    const due = { id, trigger: 'scheduled', scheduledFor } as const;
    const skip = async (status: CheckStatus, error: string) => ({
      monitor,
      check: await insertCheck(query, monitor, { ...due, status, error }),
    });
    if (monitor.current_check_id)
      return skip('skipped_overlap', `The check ${monitor.current_check_id} was still running.`);
    const lack = await lackOfCredits(query, monitor);
    if (lack) return skip('skipped_no_credits', lack);
    return begin(query, deps, { monitor, due });
  });
}

/**
 * Begins a check now.
 * @throws ServiceError `NOT_FOUND`, `JOB_RUNNING` if one is running, `INSUFFICIENT_CREDITS`
 */
export async function beginManualCheck(
  deps: CheckStartDeps,
  { id, teamId }: { id: string; teamId: string },
): Promise<BegunCheck> {
  return deps.db.query.transaction().execute(async (query) => {
    const monitor = await lockMonitor(query, id);
    if (monitor?.team_id !== teamId || monitor.status === 'deleted') throw monitorNotFound(id);
    if (monitor.current_check_id)
      throw new ServiceError(
        'JOB_RUNNING',
        `The check ${monitor.current_check_id} of the monitor is still running. Wait until it has ended.`,
      );
    const lack = await lackOfCredits(query, monitor);
    if (lack) throw new ServiceError('INSUFFICIENT_CREDITS', `Insufficient credits: ${lack}`);
    return begin(query, deps, { monitor, due: { id: uuidv7(), trigger: 'manual', scheduledFor: null } });
  });
}

/** The error for an id that is not one of a monitor of the team. */
export const monitorNotFound = (id: string) =>
  new ServiceError('NOT_FOUND', `There is no monitor ${id}. GET /v2/monitor lists the monitors of the team.`);

async function begin(
  query: Queryable,
  { resultTtlMs: ttlMs, hasModel }: CheckStartDeps,
  {
    monitor,
    due,
  }: {
    monitor: StoredMonitor;
    due: { id: string; trigger: 'scheduled' | 'manual'; scheduledFor: Date | null };
  },
): Promise<BegunCheck> {
  const warning = wantsJudgment(monitor) && !hasModel ? UNJUDGED : undefined;
  const check = await insertCheck(query, monitor, { ...due, status: 'running', warning });
  await insertCheckJobs(query, { checkId: check.id, monitor, ttlMs }, targetsOf(monitor));
  return { monitor, check };
}

/** Says which credits the team lacks for a check; `undefined` if it lacks none. A crawl needs one page at least. */
async function lackOfCredits(query: Queryable, monitor: StoredMonitor): Promise<string | undefined> {
  await lockCredits(query, monitor.team_id);
  const available = await readAvailableCredits({ query }, monitor.team_id);
  if (available === undefined) return undefined;
  const needed = targetsOf(monitor).reduce((sum, { target }) => sum + priceOfTarget(target, () => 1), 0);
  return available >= needed
    ? undefined
    : `a check needs ${needed} credits, and the team has ${Math.max(0, available)} that are not reserved.`;
}
