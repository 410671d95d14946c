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
import type { MonitorTarget } from '../../schemas/monitor-targets.ts';
import { listRecentChanges } from '../../storage/db/monitors/history.ts';
import { type ApiDeps, defineRoute } from '../http/route.ts';
import { requireMonitor } from './monitors.ts';
import { runReview } from './run-review.ts';

const TAG = 'Monitors';
/** The most changes that one request has judged. */
const MAX_CHANGES = 50;
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
    const namesOf = (type: MonitorTarget['type']) =>
      targetsOf(monitor).flatMap(({ name, target }) => (target.type === type ? [name] : []));
    const targets = { searchTargets: namesOf('search'), siteTargets: namesOf('crawl') };
    const query = { monitorId: id, checks, ...targets, limit: MAX_CHANGES };
    const { ids: pageIds, total } = await listRecentChanges(deps.db, query);
    const order = { caller, request: { goal, pageIds }, price: pageIds.length * JUDGED_PAGE, signal };
    const pages = pageIds.length ? await runReview<JudgedAgain[]>(order, deps) : [];
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
    const data = await runReview<HistoryAnswer>(order, deps);
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

/** The routes that ask a language model about monitors. */
export const monitorReviewRoutes = [judge, answer];
