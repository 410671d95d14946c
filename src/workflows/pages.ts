import {
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { JobSummary } from '../db/jobs/job-summary.ts';
import { toServiceError } from '../errors.ts';
import type { PageWorkerReport } from '../page-jobs/page-worker-report.ts';
import { bookkeeping, lanes } from './activities.ts';
import { logged } from './failure.ts';
import { Outcome } from './search-attributes.ts';
import { help, pause, resume, retune, wake } from './signals.ts';
import { showSummary } from './summary.ts';
import { startDeliveries } from './webhooks.ts';

/** The input of the workflow of a batch or crawl. Everything else is in the database. */
export interface PageJobInput {
  jobId: string;
  /** Whether to start the delivery of webhook events. */
  webhook: boolean;
  /** Whether the work before the pages is already done, for example by an earlier run. */
  prepared?: boolean;
  /** Whether the job was paused when an earlier run continued as this one. */
  paused?: boolean;
}

/** Interval at which new pages are looked for while sitemaps are read and no page is open. */
const DISCOVERY_PAUSE = '1s';

/**
 * The work before the first page. It may resolve to a function that finds more pages, which runs while the
 * first pages are scraped.
 */
export type Prepare = () => Promise<(() => Promise<unknown>) | undefined>;

/**
 * Runs a job from its start to its end, and records how it ended.
 * @returns the summary of the job; `undefined` for a job with zero data retention
 */
export async function runPageJob(input: PageJobInput, prepare?: Prepare): Promise<JobSummary | undefined> {
  const { jobId, webhook, prepared } = input;
  try {
    if (webhook) await startDeliveries(jobId);
    const discover = prepared ? undefined : await prepare?.();
    const { end, summary, ...state } = await scrapeAll(input, discover);
    // Events are delivered by a workflow of their own, which continues by itself.
    const next = { ...input, webhook: false, ...state };
    if (end === 'continue') await continueAsNew<typeof runPageJob>(next);
    return summary;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    await CancellationScope.nonCancellable(async () => {
      if (isCancellation(error)) {
        await bookkeeping.endJob(jobId, { status: 'cancelled' });
      } else {
        const { code, message } = logged(toServiceError(error));
        upsertSearchAttributes([{ key: Outcome, value: code }]);
        await bookkeeping.endJob(jobId, { status: 'failed', error: { code, message } });
      }
      await showSummary(jobId);
    });
    throw error;
  }
}

/**
 * Runs lanes until no page is open. Their reports say how many lanes the job can use.
 * @returns `continue` if the history has become so long that another run has to continue the job
 */
async function scrapeAll(
  input: PageJobInput,
  discover?: () => Promise<unknown>,
): Promise<{
  end: 'ended' | 'continue';
  paused: boolean;
  prepared: boolean;
  summary?: JobSummary | undefined;
}> {
  const { jobId } = input;
  const running = new Set<number>();
  let { paused = false } = input;
  let woken = 0;
  /** The value of `woken` when the last lane was started. */
  let heard = 0;
  let discovering = discover !== undefined;
  /** Whether discovery has begun, or there is none. */
  let prepared = !discovering;
  let failure: { error: unknown } | undefined;
  let report: PageWorkerReport | undefined;

  let summary: JobSummary | undefined;

  /**
   * Shows the summary of a job that has ended.
   * @returns false if the job was woken meanwhile, because it then has more to do
   */
  async function isOver(): Promise<boolean> {
    const seen = woken;
    summary = await showSummary(jobId);
    return woken === seen;
  }
  const isDraining = () => workflowInfo().continueAsNewSuggested;
  const show = () => setCurrentDetails(describe(report, { paused, discovering: prepared && discovering }));
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  const raise = () => {
    if (failure) throw failure.error;
  };

  setHandler(pause, async () => {
    paused = true;
    show();
    await bookkeeping.retuneJob(jobId, { paused });
  });
  setHandler(resume, async () => {
    paused = false;
    show();
    await bookkeeping.retuneJob(jobId, { paused });
  });
  setHandler(retune, async (change) => {
    await bookkeeping.retuneJob(jobId, change);
    woken++;
  });
  setHandler(wake, () => {
    woken++;
  });
  setHandler(help, () => {
    if (running.size === 0 || paused || failure || isDraining()) return;
    let number = 0;
    while (running.has(number)) number++;
    void lane(number);
  });
  // Discovery has a scope of its own, so that it can be cancelled when the job reaches its limit.
  const discovery = new CancellationScope();
  const found = () => {
    discovering = false;
  };
  function beginDiscovery(): void {
    if (!discover || prepared) return;
    prepared = true;
    discovery.run(discover).then(found, (error) => (isCancellation(error) ? found() : fail(error)));
  }
  // The start page shows which host the crawl is on, and so which sitemaps are to be read. Only workflows
  // that started before this patch read them at once.
  if (discover && !patched('start-page-first')) beginDiscovery();

  async function lane(number: number): Promise<void> {
    running.add(number);
    try {
      for (let wanted = number + 1; number < wanted && !paused && !failure && !isDraining(); ) {
        heard = woken;
        report = await lanes.scrapePages({ jobId, lane: number, running: running.size });
        // Workers of an earlier version began discovery before the first page and do not report `placed`.
        if (report.placed !== false && !report.full) beginDiscovery();
        show();
        if (report.open === 0 || report.status !== 'scraping' || report.outOfCredits) return;
        wanted = report.lanes;
        if (report.done) start(wanted);
        const seen = woken;
        if (report.waitMs) await condition(() => woken !== seen || paused || Boolean(failure), report.waitMs);
      }
    } catch (error) {
      fail(error);
    } finally {
      running.delete(number);
    }
  }
  function start(wanted: number): void {
    for (let number = 0; number < wanted; number++) if (!running.has(number)) void lane(number);
  }

  for (;;) {
    if (!paused && !isDraining()) start(1);
    await condition(() => running.size === 0 || Boolean(failure));
    raise();
    if (isDraining()) {
      await condition(() => (!(prepared && discovering) && allHandlersFinished()) || Boolean(failure));
      raise();
      return { end: 'continue', paused, prepared };
    }
    if (paused) {
      await condition(() => !paused);
    } else if (report && report.status !== 'scraping') {
      // Appending to a job that has just ended wakes its workflow, which then has more to do.
      if (woken === heard && (await isOver())) return { end: 'ended', paused, prepared, summary };
    } else if (report?.outOfCredits && report.open > 0) {
      const message = `The team ran out of credits after ${report.completed + report.failed} of ${report.total} pages. What there is can be read; start another job for the rest.`;
      await bookkeeping.endJob(jobId, { status: 'failed', error: { code: 'INSUFFICIENT_CREDITS', message } });
      return { end: 'ended', paused, prepared, summary: await showSummary(jobId) };
    } else if (report?.open === 0) {
      // The job has reached its limit, so its sitemaps cannot add pages.
      if (report.full && !prepared) found();
      if (discovering && report.full) discovery.cancel();
      if (discovering && !report.full)
        await condition(() => !discovering || woken !== heard || Boolean(failure), DISCOVERY_PAUSE);
      else if (
        (await bookkeeping.endJob(jobId, { status: 'completed' })) &&
        woken === heard &&
        (await isOver())
      )
        return { end: 'ended', paused, prepared, summary };
    }
  }
}

/** The text that the Temporal UI shows while a job runs. */
function describe(
  report: PageWorkerReport | undefined,
  state: { paused: boolean; discovering: boolean },
): string {
  if (!report) return 'Starting.';
  const { total, completed, failed, credits, lanes: wanted } = report;
  return [
    `**${completed + failed} of ${total} pages**${state.paused ? ', paused' : ''}`,
    `- with a document: ${completed}`,
    `- without an answer: ${failed}`,
    `- credits: ${credits}`,
    `- lanes: ${wanted}`,
    ...(state.discovering ? ['- sitemaps are being read'] : []),
  ].join('\n');
}
