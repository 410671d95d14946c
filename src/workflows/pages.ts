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
import type { LaneReport } from '../activities/pages.ts';
import type { JobSummary } from '../db/job-summary.ts';
import { toServiceError } from '../errors.ts';
import { bookkeeping, lanes } from './activities.ts';
import { logged } from './failure.ts';
import { Outcome } from './search-attributes.ts';
import { help, pause, resume, retune, wake } from './signals.ts';
import { showSummary } from './summary.ts';
import { startDeliveries } from './webhooks.ts';

/** What a batch's or crawl's workflow is given; everything else stands in the database. */
export interface PageJobInput {
  jobId: string;
  /** Its events go to somebody. */
  webhook: boolean;
  /** What comes before the pages was done by an earlier run. */
  prepared?: boolean;
  /** It rested when that run gave way to this one. */
  paused?: boolean;
}

/** While sitemaps are read and no page is open, new ones are looked for this often. */
const DISCOVERY_PAUSE = '1s';

/** What is found out before the first page; what it resolves to finds more pages, while the first ones are scraped. */
export type Prepare = () => Promise<(() => Promise<unknown>) | undefined>;

/**
 * Takes a job from its start to its end, whatever that is, and writes the end down.
 * @returns what became of it
 */
export async function runPageJob(input: PageJobInput, prepare?: Prepare): Promise<JobSummary | undefined> {
  const { jobId, webhook, prepared } = input;
  try {
    if (webhook) await startDeliveries(jobId);
    const discover = prepared ? undefined : await prepare?.();
    const { end, summary, ...state } = await scrapeAll(input, discover);
    // The deliveries go on by themselves.
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
 * Keeps lanes at work until no page is open: how many lanes, their reports say.
 * @returns `continue` where the history has grown so long that another run must go on
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
  /** Of `woken`, what the last lane knew of when it began. */
  let heard = 0;
  let discovering = discover !== undefined;
  /** Discovery has begun, or there is none. */
  let prepared = !discovering;
  let failure: { error: unknown } | undefined;
  let report: LaneReport | undefined;

  let summary: JobSummary | undefined;

  /** The job has ended; who wakes it while that is summed up has more for it to do. */
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
  // Apart, so that it can be called off when the limit is reached before it is done.
  const discovery = new CancellationScope();
  const found = () => {
    discovering = false;
  };
  function beginDiscovery(): void {
    if (!discover || prepared) return;
    prepared = true;
    discovery.run(discover).then(found, (error) => (isCancellation(error) ? found() : fail(error)));
  }
  // The start page tells which host the crawl is on, and so which sitemaps are to be read.
  if (discover && !patched('start-page-first')) beginDiscovery();

  async function lane(number: number): Promise<void> {
    running.add(number);
    try {
      for (let wanted = number + 1; number < wanted && !paused && !failure && !isDraining(); ) {
        heard = woken;
        report = await lanes.scrapePages({ jobId, lane: number, running: running.size });
        // A worker of an earlier version knew it before the first page, and does not say so.
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
      // Who appends to a job that just ended wakes it after that: then there is more to do.
      if (woken === heard && (await isOver())) return { end: 'ended', paused, prepared, summary };
    } else if (report?.outOfCredits && report.open > 0) {
      const message = `The team ran out of credits after ${report.completed + report.failed} of ${report.total} pages. What there is can be read; start another job for the rest.`;
      await bookkeeping.endJob(jobId, { status: 'failed', error: { code: 'INSUFFICIENT_CREDITS', message } });
      return { end: 'ended', paused, prepared, summary: await showSummary(jobId) };
    } else if (report?.open === 0) {
      // With the limit reached, sitemaps have nothing to add.
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

/** What the Temporal UI shows of a job while it runs. */
function describe(report: LaneReport | undefined, state: { paused: boolean; discovering: boolean }): string {
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
