import { Context } from '@temporalio/activity';
import { type ChangeTrackingMode, type Comparison, unpackVersion } from '../content/changes/compare.ts';
import type { RenderPool } from '../content/rendering/render-pool.ts';
import { HISTORY_QUESTION, JUDGED_PAGE } from '../credits.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { askHistory } from '../jobs/monitors/judging/ask-history.ts';
import { type JudgeDeps, judgePage } from '../jobs/monitors/judging/judge-check.ts';
import { historyOf } from '../jobs/monitors/page-history.ts';
import type { Models } from '../models/index.ts';
import { startModelTime } from '../models/model-time.ts';
import type { JudgedAgain } from '../schemas/monitor-reviews.ts';
import { findJob, findOutcome } from '../storage/db/jobs/jobs.ts';
import { completeJob } from '../storage/db/jobs/take-credits.ts';
import { listPagesByIds, type WatchedPage } from '../storage/db/monitors/history.ts';
import type { StoredCheckPage } from '../storage/db/monitors/pages.ts';
import type { JobResults } from '../storage/job-results.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of questions about monitors. */
export interface ReviewDeps extends JudgeDeps {
  results: JobResults;
  renderer: RenderPool;
}

/**
 * A question about a monitor, as the API stores it: changes to judge by a goal, the history of a page, or two
 * versions of a page to compare, by the keys of their blobs.
 */
export type ReviewRequest =
  | { goal: string; pageIds: string[] }
  | { question: string; page: WatchedPage }
  | { from: string; to: string };

/** How long the model may take for everything, in milliseconds. */
const MODEL_MS = 50_000;
/** Changes that are judged at the same time. */
const AT_ONCE = 8;

/** The model, and the job that it works for. */
interface Work {
  models: Models;
  teamId: string;
  jobId: string;
}

/** The activities of questions about monitors. */
export function reviewActivities({ db, results, monitorBlobs, models, renderer }: ReviewDeps) {
  return {
    /**
     * Looks into what checks of a monitor have found, which changes nothing of the monitor.
     * @returns the key of the result
     */
    async reviewMonitor(jobId: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      using _ = startHeartbeat();
      // The API wrote the request in this shape.
      const request = job.request as ReviewRequest;
      const { result, credits } = await review(request, { teamId: job.team_id, jobId });
      const stored = await results.putResult(jobId, Buffer.from(JSON.stringify(result)));
      await completeJob(db, { jobId, credits, ...stored });
      return stored.blob;
    },
  };

  async function review(
    request: ReviewRequest,
    work: Omit<Work, 'models'>,
  ): Promise<{ result: unknown; credits: number }> {
    if ('from' in request) return { result: await compare(request, work), credits: 0 };
    if (!models) throw new ServiceError('MODEL_NOT_CONFIGURED', 'The worker has no language model.');
    return 'goal' in request
      ? judgeAgain(request, { ...work, models })
      : answer(request, { ...work, models });
  }

  async function compare(
    { from, to }: { from: string; to: string },
    { teamId: owner }: Omit<Work, 'models'>,
  ): Promise<Comparison> {
    const after = unpackVersion(await monitorBlobs.get(to));
    const modes: ChangeTrackingMode[] = ['git-diff', 'json'];
    return renderer.compare(
      { before: await monitorBlobs.get(from), after, modes },
      { signal: Context.current().cancellationSignal, urgent: true, owner },
    );
  }

  async function judgeAgain(
    { goal, pageIds }: Extract<ReviewRequest, { goal: string }>,
    { models, ...work }: Work,
  ): Promise<{ result: JudgedAgain[]; credits: number }> {
    const { cancellationSignal } = Context.current();
    using time = startModelTime(MODEL_MS, cancellationSignal);
    const { signal, endsAt } = time;
    const model = models.modelFor({ feature: 'monitor', ...work, signal, endsAt });
    const judge = async (page: StoredCheckPage): Promise<JudgedAgain> => {
      try {
        return toJudgedAgain(page, {
          judgment: await judgePage(model, goal, { page, monitorBlobs }),
          error: null,
        });
      } catch (error) {
        cancellationSignal.throwIfAborted();
        const { code, message } = toServiceError(error);
        if (!code.startsWith('MODEL_')) throw error;
        return toJudgedAgain(page, { judgment: null, error: message });
      }
    };
    const pages = await listPagesByIds(db, pageIds);
    const result: JudgedAgain[] = [];
    for (let start = 0; start < pages.length; start += AT_ONCE)
      result.push(...(await Promise.all(pages.slice(start, start + AT_ONCE).map(judge))));
    const judged = result.filter(({ judgment }) => judgment !== null);
    const [failed] = result;
    if (judged.length === 0 && failed?.error) throw new ServiceError('MODEL_UNAVAILABLE', failed.error);
    return { result, credits: judged.length * JUDGED_PAGE };
  }

  async function answer(
    { question, page }: Extract<ReviewRequest, { question: string }>,
    { models, ...work }: Work,
  ) {
    using time = startModelTime(MODEL_MS, Context.current().cancellationSignal);
    const { signal, endsAt } = time;
    const model = models.modelFor({ feature: 'monitor', ...work, signal, endsAt });
    const result = await askHistory(model, question, await historyOf({ db, monitorBlobs }, page));
    return { result, credits: HISTORY_QUESTION };
  }
}

const toJudgedAgain = (
  { id, check_id, created_at, target_id, url, judgment: earlierJudgment }: StoredCheckPage,
  found: Pick<JudgedAgain, 'judgment' | 'error'>,
): JudgedAgain => ({
  id,
  checkId: check_id,
  checkedAt: created_at.toISOString(),
  targetId: target_id,
  url,
  ...found,
  earlierJudgment,
});
