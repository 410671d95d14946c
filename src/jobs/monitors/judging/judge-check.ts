import type { LanguageModel } from '../../../content/language-model.ts';
import { ServiceError, toServiceError } from '../../../errors.ts';
import type { Models } from '../../../models/index.ts';
import { startModelTime } from '../../../models/model-time.ts';
import type { MonitorJudgment } from '../../../schemas/monitor-judgment.ts';
import type { Blobs } from '../../../storage/blobs/index.ts';
import type { Database } from '../../../storage/db/client.ts';
import { findCheck } from '../../../storage/db/monitors/checks.ts';
import { listUnjudgedPages, recordJudgment, tellUnjudged } from '../../../storage/db/monitors/judgments.ts';
import { readMonitor } from '../../../storage/db/monitors/monitors.ts';
import type { StoredCheckPage } from '../../../storage/db/monitors/pages.ts';
import { readAvailableCredits } from '../../../storage/db/teams/available-credits.ts';
import { readDetails } from '../page-details.ts';
import { describeChange, judgeChange } from './judge-change.ts';

/** Dependencies of judgments. */
export interface JudgeDeps {
  db: Database;
  monitorBlobs: Blobs;
  models: Models | undefined;
}

/** Pages that are judged at the same time. */
const AT_ONCE = 4;
/** How long the model may take for a page, in milliseconds. */
const MODEL_MS = 60_000;
/** Errors after which the model would judge no other page either. */
const FINAL_ERRORS = ['MODEL_UNAVAILABLE', 'MODEL_BUDGET_EXCEEDED'];

/** The warning of checks that could not judge all changes. */
const warningOf = (reason: string) =>
  `Changes of this check are told without a judgment by the goal. ${reason}`;

/**
 * Judges the pages of a check that are due. Those that cannot be judged are told without a judgment. It may be
 * repeated.
 * @param cancelled aborts the calls of the model; its reason is thrown
 */
export async function judgeCheck(deps: JudgeDeps, checkId: string, cancelled: AbortSignal): Promise<void> {
  const { db, models } = deps;
  const check = await findCheck(db, checkId);
  const monitor = check && (await readMonitor(db, check.monitor_id));
  if (!monitor) return;
  const { team_id: teamId, goal } = monitor;
  for (;;) {
    cancelled.throwIfAborted();
    const available = (await readAvailableCredits(db, teamId)) ?? AT_ONCE;
    const due = await listUnjudgedPages(db, checkId, Math.min(AT_ONCE, Math.max(available, 1)));
    if (due.length === 0) return;
    const giveUp = (reason: string) => tellUnjudged(db, { checkId, reason: warningOf(reason) });
    if (!models) return giveUp('No language model is configured.');
    if (goal === null) return giveUp('The goal was removed while the check ran.');
    if (available <= 0) return giveUp('The team has no credits left for judgments.');
    const faults = await Promise.all(
      due.map((page) => judge({ ...deps, models }, { page, goal, teamId, cancelled })),
    );
    const last = faults.find((fault) => fault && FINAL_ERRORS.includes(fault.code));
    if (last) return giveUp(last.message);
  }
}

/** Judges a page. @returns why it could not be judged */
async function judge(
  { db, monitorBlobs, models }: JudgeDeps & { models: Models },
  {
    page,
    goal,
    teamId,
    cancelled,
  }: { page: StoredCheckPage; goal: string; teamId: string; cancelled: AbortSignal },
): Promise<ServiceError | undefined> {
  using time = startModelTime(MODEL_MS, cancelled);
  const { signal, endsAt } = time;
  try {
    const model = models.modelFor({ feature: 'monitor', teamId, jobId: page.check_id, signal, endsAt });
    await recordJudgment(db, page, await judgePage(model, goal, { page, monitorBlobs }));
    return undefined;
  } catch (error) {
    cancelled.throwIfAborted();
    const fault = toServiceError(error);
    if (!fault.code.startsWith('MODEL_')) throw error;
    if (!FINAL_ERRORS.includes(fault.code))
      await tellUnjudged(db, {
        checkId: page.check_id,
        pageIds: [page.id],
        reason: warningOf(fault.message),
      });
    return fault;
  }
}

/**
 * Asks a model whether what a check found of a page matters for a goal.
 * @throws ServiceError `MODEL_…`; also for a difference that was too large to be kept
 */
export async function judgePage(
  model: LanguageModel,
  goal: string,
  {
    page,
    monitorBlobs,
  }: { page: Pick<StoredCheckPage, 'url' | 'status' | 'metadata' | 'blob'>; monitorBlobs: Blobs },
): Promise<MonitorJudgment> {
  const text =
    page.status === 'new' ? describeResult(page) : describeChange(await readDetails(monitorBlobs, page.blob));
  if (text === undefined)
    throw new ServiceError(
      'MODEL_RESPONSE_UNUSABLE',
      `The difference of ${page.url} was too large to be kept, so there is nothing to judge.`,
    );
  return judgeChange(model, goal, { url: page.url, text });
}

/** What a search has found, as a text that is new. */
const describeResult = ({ metadata }: Pick<StoredCheckPage, 'metadata'>): string =>
  ['title', 'description']
    .flatMap((name) => (typeof metadata?.[name] === 'string' ? [`+ ${metadata[name]}`] : []))
    .join('\n');
