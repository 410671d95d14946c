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
import { toServiceError } from '../errors.ts';
import type { PageWorkerReport } from '../jobs/page-jobs/page-worker-report.ts';
import type { FailedPage, JobSummary } from '../storage/db/jobs/job-summary.ts';
import { bookkeeping, pageWorkers } from './activities.ts';
import { startDeliveries } from './deliveries.ts';
import { addFailedPages, describeProgress, summaryOfPageWorker } from './describe-page-job.ts';
import { logFailure } from './failure.ts';
import { Outcome } from './search-attributes.ts';
import { help, pause, resume, retune, wake } from './signals.ts';
import { showSummary } from './summary.ts';

/** The input of the workflow of a batch or crawl. Everything else is in the database. */
export interface PageJobInput {
  jobId: string;
  /** Whether to start the delivery of webhook events. */
  webhook: boolean;
  /** Whether the work before the pages is already done, for example by an earlier run. */
  prepared?: boolean;
  /** Whether the job was paused when an earlier run continued as this one. */
  paused?: boolean;
  /** Only for the Temporal UI, which shows the input; absent with zero data retention. */
  asked?: AskedPages;
}

/** What the request of a crawl or batch asks for. */
export type AskedPages = { url: string; limit: number } | { urls: number };

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
    const { end, summary, ...state } = await new PageJobRun(input, discover).run();
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
        const { code, message } = logFailure(toServiceError(error));
        upsertSearchAttributes([{ key: Outcome, value: code }]);
        await bookkeeping.endJob(jobId, { status: 'failed', error: { code, message } });
      }
      await showSummary(jobId);
    });
    throw error;
  }
}

/** The end of one run of a job's workflow. */
interface RunEnd {
  /** `continue` if the history has become so long that another run has to continue the job. */
  end: 'ended' | 'continue';
  paused: boolean;
  prepared: boolean;
  summary?: JobSummary | undefined;
}

/**
 * Runs page workers until no page is open. Their reports say how many of them the job can use. The order of
 * all steps is part of saved histories, so it must not change.
 */
class PageJobRun {
  readonly #jobId: string;
  readonly #discover: (() => Promise<unknown>) | undefined;
  /** Discovery has a scope of its own, so that it can be cancelled when the job reaches its limit. */
  readonly #discoveryScope = new CancellationScope();
  /** The numbers of the page workers that are running. */
  readonly #running = new Set<number>();
  #isPaused: boolean;
  /** How often the job was paused or resumed. */
  #pauseChanges = 0;
  /** How often the job was woken. */
  #wakeCount = 0;
  /** The value of `#wakeCount` when a page worker last began. */
  #wakeCountSeen = 0;
  /** Whether discovery has not ended. */
  #isDiscovering: boolean;
  /** Whether discovery has begun, or there is none. */
  #isPrepared: boolean;
  #failure: { error: unknown } | undefined;
  /** The last report of a page worker. */
  #report: PageWorkerReport | undefined;
  /** The first pages that failed in this run. */
  readonly #failedPages: FailedPage[] = [];
  #summary: JobSummary | undefined;

  constructor({ jobId, paused = false }: PageJobInput, discover?: () => Promise<unknown>) {
    this.#jobId = jobId;
    this.#discover = discover;
    this.#isPaused = paused;
    this.#isDiscovering = discover !== undefined;
    this.#isPrepared = !this.#isDiscovering;
    setHandler(pause, (source) => (source === 'api' ? this.#readPaused() : this.#setPaused(true)));
    setHandler(resume, (source) => (source === 'api' ? this.#readPaused() : this.#setPaused(false)));
    setHandler(retune, async (change) => {
      await bookkeeping.retuneJob(jobId, change);
      this.#wakeCount++;
    });
    setHandler(wake, () => {
      this.#wakeCount++;
    });
    setHandler(help, () => {
      if (this.#running.size === 0 || this.#isPaused || this.#failure || this.#mustContinueAsNew()) return;
      let number = 0;
      while (this.#running.has(number)) number++;
      void this.#runPageWorker(number);
    });
    // The start page shows which host the crawl is on, and so which sitemaps are to be read. Only workflows
    // that started before this patch read them at once.
    if (discover && !patched('start-page-first')) this.#beginDiscovery();
  }

  /** Scrapes the pages of the job until it ends or another run has to continue it. */
  async run(): Promise<RunEnd> {
    for (;;) {
      if (!this.#isPaused && !this.#mustContinueAsNew()) this.#startPageWorkers(1);
      await condition(() => this.#running.size === 0 || Boolean(this.#failure));
      this.#throwFailure();
      const report = this.#report;
      if (this.#mustContinueAsNew()) {
        await condition(() => this.#canContinueAsNew() || Boolean(this.#failure));
        this.#throwFailure();
        return this.#end('continue');
      }
      if (this.#isPaused) {
        await condition(() => !this.#isPaused);
      } else if (report && report.status !== 'scraping') {
        // Appending to a job that has just ended wakes its workflow, which then has more to do.
        if (this.#wakeCount === this.#wakeCountSeen && (await this.#hasEnded())) return this.#end('ended');
      } else if (report?.outOfCredits && report.open > 0) {
        const message = `The team ran out of credits after ${report.completed + report.failed} of ${report.total} pages. The documents of these pages are available. Start another job for the rest.`;
        const error = { code: 'INSUFFICIENT_CREDITS', message };
        await bookkeeping.endJob(this.#jobId, { status: 'failed', error });
        this.#summary = await showSummary(this.#jobId);
        return this.#end('ended');
      } else if (report?.open === 0) {
        // The job has reached its limit, so its sitemaps cannot add pages.
        if (report.full && !this.#isPrepared) this.#isDiscovering = false;
        if (this.#isDiscovering && report.full) this.#discoveryScope.cancel();
        if (this.#isDiscovering && !report.full)
          await condition(
            () => !this.#isDiscovering || this.#wakeCount !== this.#wakeCountSeen || Boolean(this.#failure),
            DISCOVERY_PAUSE,
          );
        else if (
          (await bookkeeping.endJob(this.#jobId, { status: 'completed' })) &&
          this.#wakeCount === this.#wakeCountSeen &&
          (await this.#hasEnded())
        )
          return this.#end('ended');
      }
    }
  }

  #end(end: RunEnd['end']): RunEnd {
    return { end, paused: this.#isPaused, prepared: this.#isPrepared, summary: this.#summary };
  }

  /**
   * Follows what the API has stored, also where the signals of two requests arrive in the other order.
   * Storing it again would overwrite what a later request has stored meanwhile.
   */
  async #readPaused(): Promise<void> {
    const change = ++this.#pauseChanges;
    const paused = await bookkeeping.isPaused(this.#jobId);
    // The signal that arrived last reads what all requests before it have stored.
    if (change !== this.#pauseChanges) return;
    this.#isPaused = paused;
    this.#showState();
  }

  /** Stores what a signal from the Temporal UI asks for. */
  async #setPaused(paused: boolean): Promise<void> {
    this.#pauseChanges++;
    this.#isPaused = paused;
    this.#showState();
    let stored: boolean;
    // Signals that arrive together are handled at once, and their activities may run in either order.
    do {
      stored = this.#isPaused;
      await bookkeeping.retuneJob(this.#jobId, { paused: stored });
    } while (this.#isPaused !== stored);
  }

  /** Starts the page workers with numbers below `wanted` that are not running. */
  #startPageWorkers(wanted: number): void {
    for (let number = 0; number < wanted; number++)
      if (!this.#running.has(number)) void this.#runPageWorker(number);
  }

  /** Runs a page worker for as long as the job can use that many of them. */
  async #runPageWorker(number: number): Promise<void> {
    this.#running.add(number);
    try {
      let wanted = number + 1;
      while (number < wanted && !this.#isPaused && !this.#failure && !this.#mustContinueAsNew()) {
        this.#wakeCountSeen = this.#wakeCount;
        const input = { jobId: this.#jobId, lane: number, running: this.#running.size };
        const report = await pageWorkers.scrapePages(input, summaryOfPageWorker(number, this.#report));
        this.#report = report;
        addFailedPages(this.#failedPages, report);
        // Workers of an earlier version began discovery before the first page and do not report `placed`.
        if (report.placed !== false && !report.full) this.#beginDiscovery();
        this.#showState();
        if (report.open === 0 || report.status !== 'scraping' || report.outOfCredits) return;
        wanted = report.lanes;
        if (report.done) this.#startPageWorkers(wanted);
        const seen = this.#wakeCount;
        if (report.waitMs)
          await condition(
            () => this.#wakeCount !== seen || this.#isPaused || Boolean(this.#failure),
            report.waitMs,
          );
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running.delete(number);
    }
  }

  #beginDiscovery(): void {
    if (!this.#discover || this.#isPrepared) return;
    this.#isPrepared = true;
    this.#discoveryScope.run(this.#discover).then(
      () => {
        this.#isDiscovering = false;
      },
      (error) => {
        if (isCancellation(error)) this.#isDiscovering = false;
        else this.#failure ??= { error };
      },
    );
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #mustContinueAsNew(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  /** Whether nothing is under way that the next run would not know of. */
  #canContinueAsNew(): boolean {
    return !(this.#isPrepared && this.#isDiscovering) && allHandlersFinished();
  }

  /**
   * Shows the summary of a job that has ended.
   * @returns false if the job was woken meanwhile, because it then has more to do
   */
  async #hasEnded(): Promise<boolean> {
    const seen = this.#wakeCount;
    this.#summary = await showSummary(this.#jobId);
    return this.#wakeCount === seen;
  }

  #showState(): void {
    const discovering = this.#isPrepared && this.#isDiscovering;
    const state = { paused: this.#isPaused, discovering, failedPages: this.#failedPages };
    setCurrentDetails(describeProgress(this.#report, state));
  }
}
