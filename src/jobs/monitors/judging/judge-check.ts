import type { LanguageModel } from '../../../content/language-model.ts';
import { ServiceError, toServiceError } from '../../../errors.ts';
import type { Models } from '../../../models/index.ts';
import { startModelTime } from '../../../models/model-time.ts';
import type { MonitorJudgment } from '../../../schemas/monitor-judgment.ts';
import type { Blobs } from '../../../storage/blobs/index.ts';
import type { Database } from '../../../storage/db/client.ts';
import { findCheck } from '../../../storage/db/monitors/checks.ts';
import {
  listUnjudgedPages,
  recordJudgment,
  reserveJudgments,
  tellUnjudged,
} from '../../../storage/db/monitors/judgments.ts';
import { readMonitor, type StoredMonitor } from '../../../storage/db/monitors/monitors.ts';
import type { StoredCheckPage } from '../../../storage/db/monitors/pages.ts';
import { readDetails, readVersion } from '../page-details.ts';
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
  const { db } = deps;
  const check = await findCheck(db, checkId);
  const monitor = check && (await readMonitor(db, check.monitor_id));
  if (!monitor) return;
  await judgeDue(deps, { checkId, monitor, cancelled });
  await reserveJudgments(db, { checkId, teamId: monitor.team_id, count: 0 });
}

async function judgeDue(
  deps: JudgeDeps,
  { checkId, monitor, cancelled }: { checkId: string; monitor: StoredMonitor; cancelled: AbortSignal },
): Promise<void> {
  const { db, models } = deps;
  const { team_id: teamId, goal } = monitor;
  const giveUp = (reason: string) => tellUnjudged(db, { checkId, reason: warningOf(reason) });
  for (;;) {
    cancelled.throwIfAborted();
    const due = await listUnjudgedPages(db, checkId, AT_ONCE);
    if (due.length === 0) return;
    if (!models) return giveUp('No language model is configured.');
    if (goal === null) return giveUp('The goal was removed while the check ran.');
    const payable = await reserveJudgments(db, { checkId, teamId, count: due.length });
    if (payable === 0) return giveUp('The team has no credits left for judgments.');
    const faults = await Promise.all(
      due.slice(0, payable).map((page) => judge({ ...deps, models }, { page, goal, teamId, cancelled })),
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
 * @throws ServiceError `MODEL_…`; also for a difference that only pixels show, or that was too large to be kept
 */
export async function judgePage(
  model: LanguageModel,
  goal: string,
  { page, monitorBlobs }: { page: JudgedPage; monitorBlobs: Blobs },
): Promise<MonitorJudgment> {
  const details = page.status === 'new' ? {} : await readDetails(monitorBlobs, page.blob);
  const text = page.status === 'new' ? await describeNewPage(page, monitorBlobs) : describeChange(details);
  if (text === undefined)
    throw new ServiceError(
      'MODEL_RESPONSE_UNUSABLE',
      details.diff?.screenshot
        ? `Only the screenshot of ${page.url} shows the change, and a judgment reads words.`
        : `The difference of ${page.url} was too large to be kept, so there is nothing to judge.`,
    );
  return judgeChange(model, goal, { url: page.url, text });
}

/** What of a page is judged. */
type JudgedPage = Pick<StoredCheckPage, 'url' | 'status' | 'metadata' | 'blob' | 'version'>;

/** A page that a crawl has found, or what a search says of one, as a text that is new. */
async function describeNewPage({ metadata, version }: JudgedPage, monitorBlobs: Blobs): Promise<string> {
  const names = ['title', 'description'].flatMap((name) =>
    typeof metadata?.[name] === 'string' ? [metadata[name]] : [],
  );
  const content = await readVersion(monitorBlobs, version);
  const data = content?.json === undefined ? [] : [JSON.stringify(content.json, null, 1)];
  const lines = [...names, ...data, content?.markdown ?? ''].join('\n').split('\n');
  return lines.flatMap((line) => (line.trim() === '' ? [] : [`+ ${line}`])).join('\n');
}
