import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  ServiceError as GrpcError,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type ServiceError, toServiceError } from '../errors.ts';
import { type AgentKind, type PageJobKind, workflowIdOf } from '../job-kinds.ts';
import { SILENCE_MS, WORKFLOW_AFTER_MS } from '../jobs/direct-start/timeline.ts';
import { followMonitor } from '../jobs/monitors/schedules.ts';
import type { Database } from '../storage/db/client.ts';
import type { StoredMonitor } from '../storage/db/monitors/monitors.ts';
import { CallSlots } from '../system/call-slots.ts';
import type { map } from '../workflows/map.ts';
import type { preview } from '../workflows/preview.ts';
import { QUEUES } from '../workflows/queues.ts';
import type { review } from '../workflows/review.ts';
import type { scrape } from '../workflows/scrape.ts';
import type { search } from '../workflows/search.ts';
import type { browser } from '../workflows/session.ts';
import type { support } from '../workflows/support.ts';
import type { upkeep } from '../workflows/upkeep.ts';
import { pingTemporal, repeatUntilPrepared, unavailableError, withUnavailableError } from './connection.ts';
import { monitorSchedules } from './monitor-schedules.ts';
import { readServerState, type ServerState } from './server-state.ts';
import { traceStarts } from './traces.ts';
import {
  type AgentStart,
  beginSession,
  type PageJobStart,
  type QuestionStart,
  type SessionStart,
  type SynchronousKind,
  type SynchronousStart,
  startAgent,
  startDeliveryWorkflow,
  startMailWorkflow,
  startMonitorCheck,
  startPageJob,
  startQuestion,
  startSessionWorkflow,
  startSynchronousJob,
} from './workflow-starts.ts';

const UPKEEP_PRIORITY = 5;

/** Milliseconds after which a server that does not respond is reported to the caller. */
const START_DEADLINE_MS = 10_000;
/**
 * Number of scrapes whose workflows this process starts at once. Thousands at once would all miss that
 * deadline, while the server is busy with those that nobody waits for any more.
 */
const MAX_SCRAPE_STARTS = 16;
const RECONNECT_MS = 500;
/** How long the start of a browser session may take, in milliseconds. */
const SESSION_START_MS = 330_000;

/**
 * The API's access to Temporal. All calls throw ServiceError `SERVICE_UNAVAILABLE` if the server does not
 * respond.
 */
export class Temporal {
  readonly #connection: NativeConnection;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #scrapeStarts = new CallSlots(MAX_SCRAPE_STARTS);

  constructor(connection: NativeConnection, namespace: string) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#client = new Client({ connection, namespace, interceptors: { workflow: [traceStarts] } });
  }

  /** Starts a scrape. It runs only once, even if it is started twice with the same id. */
  async startScrape(job: SynchronousStart): Promise<StartedWorkflow> {
    await this.#startScrape(job, {});
    return this.findScrape(job.jobId);
  }

  /**
   * Starts a scrape in the process that runs its workflow, so that the first task of the workflow need not be
   * polled for. It runs only once, even if it is started twice with the same id.
   * @param signal takes the start back while it waits for its turn
   * @throws the reason of the signal if it took the start back
   */
  startScrapeHere(job: SynchronousStart, signal?: AbortSignal): Promise<void> {
    return this.#startScrape(job, { signal, requestEagerStart: true });
  }

  async #startScrape(
    job: SynchronousStart,
    { signal, ...options }: { signal?: AbortSignal | undefined; requestEagerStart?: true },
  ): Promise<void> {
    const tooLate = AbortSignal.timeout(job.timeoutMs);
    const turn = { owner: job.teamId, signal: signal ? AbortSignal.any([signal, tooLate]) : tooLate };
    const start = () => ignoreAlreadyEnded(startSynchronousJob(this.#client, 'scrape', job, options));
    try {
      await this.#scrapeStarts.run(() => this.#callServer(start), turn);
    } catch (error) {
      throw error === tooLate.reason ? unavailableError(error) : error;
    }
  }

  /** A scrape that was started before. A quick one may have no workflow yet, and is waited for all the same. */
  findScrape(jobId: string): StartedWorkflow {
    const handle = this.#client.workflow.getHandle<typeof scrape>(workflowIdOf('scrape', jobId));
    return toStarted(handle, WORKFLOW_AFTER_MS + SILENCE_MS);
  }

  /**
   * Starts a job whose request stays open until it ends, in the same way as `startScrape` starts a scrape.
   */
  async startSynchronousJob(kind: SynchronousKind, job: SynchronousStart): Promise<StartedWorkflow> {
    return toStarted(await this.#callServer(() => startSynchronousJob(this.#client, kind, job)));
  }

  /** Starts to answer a support question. */
  async startSupport(question: QuestionStart): Promise<StartedWorkflow> {
    return toStarted(await this.#callServer(() => startQuestion(this.#client, 'support', question)));
  }

  /** Starts to ask a model about the prompt of a crawl. */
  async startPreview(prompt: QuestionStart): Promise<StartedWorkflow> {
    return toStarted(await this.#callServer(() => startQuestion(this.#client, 'preview', prompt)));
  }

  /** Starts to ask a model about what checks of a monitor have found. */
  async startReview(question: QuestionStart): Promise<StartedWorkflow> {
    return toStarted(await this.#callServer(() => startQuestion(this.#client, 'review', question)));
  }

  /** Starts an agent or extract. It runs only once, even if it is started twice with the same id. */
  async startAgent(run: AgentStart): Promise<void> {
    await this.#callServer(() => startAgent(this.#client, run));
  }

  /** Starts the workflow of a check of a monitor. */
  async startCheck(check: { checkId: string; teamId: string; name: string }): Promise<void> {
    await this.#callServer(() => startMonitorCheck(this.#client, check));
  }

  /** Gives the schedule of a monitor the settings that are stored. */
  followMonitor(db: Database, monitor: StoredMonitor): Promise<void> {
    return this.#callServer(() => followMonitor(db, monitorSchedules(this.#client), monitor));
  }

  /** Ends an agent after the calls that are running, without waiting for its model. Does nothing if it has ended. */
  stopAgent(kind: AgentKind, jobId: string): Promise<void> {
    const workflow = this.#client.workflow.getHandle(workflowIdOf(kind, jobId));
    return this.#callServer(() => ignoreNotFound(workflow.signal('stop')));
  }

  /** Starts the workflow of a browser session whose browser the API has started at a host. */
  beginSession(session: SessionStart): Promise<void> {
    return this.#callServer(() => beginSession(this.#client, session));
  }

  /**
   * Starts a browser session, and waits until its browser can be used.
   * @throws ServiceError why its browser could not be started
   */
  async startSession(session: SessionStart): Promise<void> {
    try {
      await this.#callServer(() => startSessionWorkflow(this.#client, session), SESSION_START_MS);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  /**
   * Finds out why a browser session could not be started, as soon as its workflow has ended.
   * @returns `undefined` if its workflow has not failed, or does not end within `waitMs` milliseconds
   */
  async failureOfSession(sessionId: string, waitMs: number): Promise<ServiceError | undefined> {
    const workflow = this.#client.workflow.getHandle<typeof browser>(workflowIdOf('browser', sessionId));
    try {
      await waitForEnd(() => workflow.result(), waitMs);
      return undefined;
    } catch (error) {
      if (error instanceof WorkflowFailedError) return toServiceError(error);
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  /**
   * Lets a browser session last longer.
   * @param expiresAt its new end, in milliseconds since 1970
   * @returns whether its workflow runs, and was told
   */
  extendSession(sessionId: string, expiresAt: number): Promise<boolean> {
    const workflow = this.#client.workflow.getHandle<typeof browser>(workflowIdOf('browser', sessionId));
    return this.#callServer(() => isFound(workflow.signal('extend', expiresAt)));
  }

  /**
   * Ends a browser session, and waits for its end.
   * @returns `absent` if it has no workflow, which may be about to start; `running` if the workflow did not
   * end within
   *   `waitMs` milliseconds
   */
  async endSession(sessionId: string, waitMs: number): Promise<'ended' | 'absent' | 'running'> {
    const workflow = this.#client.workflow.getHandle<typeof browser>(workflowIdOf('browser', sessionId));
    if (!(await this.#callServer(() => isFound(workflow.signal('stop'))))) return 'absent';
    try {
      const ended = await waitForEnd(async () => {
        await workflow.result();
        return 'ended' as const;
      }, waitMs);
      return ended ?? 'running';
    } catch (error) {
      if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return 'ended';
      throw error;
    }
  }

  /** Starts the workflow of a batch or crawl, or wakes it if it is running. */
  startPageJob(job: PageJobStart): Promise<void> {
    return this.#callServer(() => startPageJob(this.#client, job));
  }

  /**
   * Starts the workflow of a job that has new pages, or wakes it if it is running. Then its events are
   * delivered too: a workflow that was about to end goes on, but the delivery that it started may have ended
   * already.
   */
  async continuePageJob(job: PageJobStart): Promise<void> {
    await this.startPageJob(job);
    await this.startDeliveries(job.jobId, job.teamId);
  }

  /** Starts the workflow of a job again, without the work before its pages, or wakes it if it is running. */
  resumePageJob(
    job: Pick<PageJobStart, 'kind' | 'jobId' | 'teamId' | 'host' | 'isEncrypted'>,
  ): Promise<void> {
    return this.continuePageJob({ ...job, label: 'Resumed', webhook: true, prepared: true });
  }

  /**
   * Tells the workflow of a job that the database has changed. Does nothing if the workflow has ended.
   */
  signalPageJob(kind: PageJobKind, jobId: string, signal: 'pause' | 'resume' | 'wake'): Promise<void> {
    const workflow = this.#client.workflow.getHandle(workflowIdOf(kind, jobId));
    return this.#callServer(() => ignoreNotFound(workflow.signal(signal, 'api')));
  }

  /** Cancels the workflow of a job. Does nothing if the workflow has ended. */
  cancelJob(kind: PageJobKind | SynchronousKind, jobId: string): Promise<void> {
    const workflow = this.#client.workflow.getHandle(workflowIdOf(kind, jobId));
    return this.#callServer(() => ignoreNotFound(workflow.cancel()));
  }

  /** Starts the workflow that delivers the events of a job, or wakes it if it is running. */
  startDeliveries(jobId: string, teamId: string): Promise<void> {
    return this.#callServer(() => startDeliveryWorkflow(this.#client, jobId, teamId));
  }

  /** Starts the workflow that sends the mails of a monitor, or wakes it if it is running. */
  startMails({ id, team_id: teamId }: Pick<StoredMonitor, 'id' | 'team_id'>): Promise<void> {
    return this.#callServer(() => startMailWorkflow(this.#client, id, teamId));
  }

  /** Reads the version of the server, and the work that waits in its queues. */
  readServerState(): Promise<ServerState> {
    return this.#callServer(() => readServerState(this.#connection, this.#namespace));
  }

  /** Resolves if the server responds within three seconds. */
  ready(): Promise<void> {
    return pingTemporal(this.#connection);
  }

  /**
   * Runs a call to the server with a deadline.
   * @throws ServiceError `SERVICE_UNAVAILABLE` if the call fails
   */
  async #callServer<Result>(call: () => Promise<Result>, limitMs = START_DEADLINE_MS): Promise<Result> {
    const deadline = Date.now() + limitMs;
    try {
      return await repeatUntilPrepared(() => this.#connection.withDeadline(deadline, call), deadline);
    } catch (cause) {
      // The workflow has refused the update, so the server works.
      if (cause instanceof WorkflowUpdateFailedError) throw cause;
      throw unavailableError(cause);
    }
  }
}

/** A workflow with a result that was started. */
interface StartedWorkflow {
  /**
   * Waits for the end of the workflow.
   * @returns the key of the result; `undefined` if there is none within `waitMs` milliseconds
   */
  wait(waitMs: number): Promise<string | undefined>;
}

type ResultWorkflow =
  | typeof preview
  | typeof review
  | typeof scrape
  | typeof map
  | typeof search
  | typeof support;

const toStarted = (
  handle: Pick<WorkflowHandle<ResultWorkflow>, 'result'>,
  missingMs?: number,
): StartedWorkflow => ({
  async wait(waitMs) {
    const result = await waitForEnd(() => handle.result(), waitMs, missingMs);
    return typeof result === 'object' ? result.blob : result;
  },
});

/** Ignores that a workflow with this id has run and ended. */
async function ignoreAlreadyEnded(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  await isFound(call);
}

/** Waits for a call to a workflow. @returns whether the workflow exists and runs */
async function isFound(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * Waits for the end of a workflow, even if the server restarts meanwhile.
 * @param missingMs for how many milliseconds the workflow may not exist yet
 * @returns the result of the workflow; `undefined` if it did not end within `waitMs` milliseconds
 * @throws WorkflowFailedError if the workflow failed
 */
async function waitForEnd<Result>(
  result: () => Promise<Result>,
  waitMs: number,
  missingMs = 0,
): Promise<Result | undefined> {
  const until = Date.now() + waitMs;
  const existsFrom = Date.now() + missingMs;
  const end = async () => {
    while (Date.now() < until) {
      try {
        return await result();
      } catch (error) {
        const isMissing = error instanceof WorkflowNotFoundError && Date.now() < existsFrom;
        // The server was unavailable, but the workflow continues.
        if (!isMissing && !(error instanceof GrpcError || isGrpcServiceError(error))) throw error;
        await sleep(RECONNECT_MS);
      }
    }
    return undefined;
  };
  return Promise.race([end(), sleep(waitMs, undefined, { ref: false })]);
}

/** Starts the upkeep workflow, which runs forever. An earlier run, perhaps of older code, is terminated. */
export async function startUpkeep(connection: NativeConnection, namespace: string): Promise<void> {
  const start = new Client({ connection, namespace }).workflow.start<typeof upkeep>('upkeep', {
    workflowId: 'upkeep',
    taskQueue: QUEUES.scrape,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    priority: { priorityKey: UPKEEP_PRIORITY },
    staticSummary: 'Deletes expired data and restarts jobs that have lost their workflow',
  });
  await withUnavailableError(start);
}
