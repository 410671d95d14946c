import { v7 as uuidv7 } from 'uuid';
import type { ReviewRequest } from '../../activities/reviews.ts';
import { HISTORY_QUESTION, JUDGED_PAGE } from '../../credits.ts';
import { ServiceError } from '../../errors.ts';
import { targetsOf } from '../../jobs/monitors/begin-check.ts';
import { watchedPageOf } from '../../jobs/monitors/watched-page.ts';
import { monitorParams } from '../../schemas/monitor.ts';
import {
  askMonitorBody,
  askMonitorResponse,
  type HistoryAnswer,
  type JudgedAgain,
  judgeMonitorBody,
  judgeMonitorResponse,
} from '../../schemas/monitor-reviews.ts';
import { insertJob } from '../../storage/db/jobs/jobs.ts';
import { failJob } from '../../storage/db/jobs/take-credits.ts';
import { listRecentChanges } from '../../storage/db/monitors/history.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { rejectWhenAborted } from '../deliver-result.ts';
import { reserveCredits } from '../http/required-credits.ts';
import { type ApiDeps, defineRoute } from '../http/route.ts';
import { requireMonitor } from './monitors.ts';

const TAG = 'Monitors';
/** The most changes that one request has judged. */
const MAX_CHANGES = 50;
/** How long a request waits for the model, in milliseconds. */
const WAIT_MS = 65_000;
const ERRORS = [
  'NOT_FOUND',
  'INSUFFICIENT_CREDITS',
  'INSUFFICIENT_STORAGE',
  'MODEL_NOT_CONFIGURED',
  'MODEL_UNAVAILABLE',
  'MODEL_BUDGET_EXCEEDED',
  'MODEL_PROMPT_WITHHELD',
  'MODEL_RESPONSE_UNUSABLE',
] as const;

const judge = defineRoute({
  tag: TAG,
  method: 'post',
  path: '/v2/monitor/:id/judge',
  summary: 'Try a goal on the changes of the last checks',
  params: monitorParams,
  body: judgeMonitorBody,
  response: judgeMonitorResponse,
  errors: ERRORS,
  async handler({ caller, params: { id }, body: { goal, checks }, signal }, deps) {
    const monitor = await requireMonitor(deps, id, caller.teamId);
    requireModel(deps);
    const searchTargets = targetsOf(monitor)
      .filter(({ target }) => target.type === 'search')
      .map(({ name }) => name);
    const query = { monitorId: id, checks, searchTargets, limit: MAX_CHANGES };
    const { ids: pageIds, total } = await listRecentChanges(deps.db, query);
    const order = { caller, request: { goal, pageIds }, price: pageIds.length * JUDGED_PAGE, signal };
    const pages = pageIds.length ? await ask<JudgedAgain[]>(order, deps) : [];
    const judged = pages.filter(({ judgment }) => judgment !== null).length;
    const leftOut = total - pageIds.length;
    return { success: true as const, data: { goal, pages, leftOut, creditsUsed: judged * JUDGED_PAGE } };
  },
});

const answer = defineRoute({
  tag: TAG,
  method: 'post',
  path: '/v2/monitor/:id/ask',
  summary: 'Ask a question about the history of a page',
  params: monitorParams,
  body: askMonitorBody,
  response: askMonitorResponse,
  errors: ERRORS,
  async handler({ caller, params: { id }, body: { question, ...named }, signal }, deps) {
    const monitor = await requireMonitor(deps, id, caller.teamId);
    requireModel(deps);
    const page = watchedPageOf(monitor, named);
    const order = { caller, request: { question, page }, price: HISTORY_QUESTION, signal };
    const data = await ask<HistoryAnswer>(order, deps);
    return { success: true as const, data: { ...data, creditsUsed: HISTORY_QUESTION } };
  },
});

/** @throws ServiceError `MODEL_NOT_CONFIGURED`, unless the operator has configured a language model */
function requireModel({ config }: ApiDeps): void {
  if (config.llm) return;
  throw new ServiceError(
    'MODEL_NOT_CONFIGURED',
    'This needs a language model, and the service has none. Its operator can set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL.',
  );
}

/** Has a workflow ask the model, because the API never reaches one, and waits for the result. */
async function ask<Result>(
  {
    caller,
    request,
    price: reserved,
    signal,
  }: { caller: Caller; request: ReviewRequest; price: number; signal: AbortSignal },
  { config, db, results, temporal, storage, closing }: ApiDeps,
): Promise<Result> {
  await storage.requireSpace();
  const jobId = uuidv7();
  const { teamId, apiKeyId } = caller;
  const job = { id: jobId, teamId, apiKeyId, kind: 'review', target: null, request, reserved } as const;
  await db.query.transaction().execute(async (query) => {
    await insertJob({ query }, { ...job, ttlMs: config.resultTtlMs });
    await reserveCredits(query, caller, { jobId, minimum: reserved });
  });
  const workflow = await temporal.startReview({ jobId, teamId }).catch(async (error: ServiceError) => {
    await failJob(db, { jobId, credits: 0, error });
    throw error;
  });
  const blob = await Promise.race([
    workflow.wait(WAIT_MS),
    rejectWhenAborted(signal, closing, 'Ask again when the service is back.'),
  ]);
  if (blob === undefined)
    throw new ServiceError(
      'MODEL_UNAVAILABLE',
      `There is no answer after ${WAIT_MS / 1_000} seconds. Ask again later.`,
    );
  // `reviewMonitor` stored the result in this shape.
  return JSON.parse((await results.get(blob)).toString()) as Result;
}

/** The routes that ask a language model about monitors. */
export const monitorReviewRoutes = [judge, answer];
