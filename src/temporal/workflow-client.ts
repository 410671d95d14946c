import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  ServiceError as GrpcError,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { messageOf, toServiceError } from '../errors.ts';
import { JOB_KINDS, type PageJobKind, type SessionKind, workflowIdOf } from '../job-kinds.ts';
import type { batch } from '../workflows/batch.ts';
import type { crawl } from '../workflows/crawl.ts';
import type { map } from '../workflows/map.ts';
import { QUEUES } from '../workflows/queues.ts';
import type { ScrapeInput, scrape } from '../workflows/scrape.ts';
import { Host, JobKind, TeamId } from '../workflows/search-attributes.ts';
import type { browser, SessionInput } from '../workflows/session.ts';
import type { upkeep } from '../workflows/upkeep.ts';
import type { deliver } from '../workflows/webhooks.ts';
import { pingTemporal, unavailableError, withUnavailableError } from './connection.ts';

const DELIVERY_PRIORITY = 4;
const UPKEEP_PRIORITY = 5;

/** The options of starting a scrape or map. */
export interface ScrapeStart extends ScrapeInput {
  teamId: string;
  /** The requested URL; absent if nothing of the page may be shown. */
  url?: string;
  /** The name of the file, if the job parses one. */
  file?: string;
}

/** Milliseconds after which a server that does not respond is reported to the caller. */
const START_DEADLINE_MS = 10_000;
const RECONNECT_MS = 500;
/** How long the start of a browser session may take, in milliseconds. */
const SESSION_START_MS = 330_000;

/** The API's access to Temporal. All calls throw ServiceError `SERVICE_UNAVAILABLE` if the server does not respond. */
export class Temporal {
  readonly #connection: NativeConnection;
  readonly #client: Client;

  constructor(connection: NativeConnection, namespace: string) {
    this.#connection = connection;
    this.#client = new Client({ connection, namespace });
  }

  /** Starts a scrape. It runs only once, even if it is started twice with the same id. */
  startScrape(job: ScrapeStart): Promise<StartedWorkflow> {
    return this.#startScrapeOrMap('scrape', job);
  }

  /** A scrape that was started before. */
  findScrape(jobId: string): StartedWorkflow {
    return toStarted(this.#client.workflow.getHandle<typeof scrape>(workflowIdOf('scrape', jobId)));
  }

  /** Starts a map, in the same way as `startScrape` starts a scrape. */
  startMap(job: ScrapeStart): Promise<StartedWorkflow> {
    return this.#startScrapeOrMap('map', job);
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
      await this.#callServer(() => startSession(this.#client, session), SESSION_START_MS);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  /**
   * Ends a browser session, and waits for its end.
   * @returns whether its workflow has ended or is gone; if not, it did not end within `waitMs` milliseconds
   */
  async endSession(sessionId: string, waitMs: number): Promise<boolean> {
    const workflow = this.#client.workflow.getHandle<typeof browser>(workflowIdOf('browser', sessionId));
    await this.#callServer(() => ignoreNotFound(workflow.signal('stop')));
    try {
      const ended = await waitForEnd(async () => {
        await workflow.result();
        return true;
      }, waitMs);
      return ended ?? false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof WorkflowFailedError) return true;
      throw error;
    }
  }

  /** Starts the workflow of a batch or crawl, or wakes it if it is running. */
  startPageJob(job: PageJobStart): Promise<void> {
    return this.#callServer(() => startPageJob(this.#client, job));
  }

  /** Starts the workflow of a job again, without the work before its pages, or wakes it if it is running. */
  resumePageJob(kind: PageJobKind, jobId: string, teamId: string): Promise<void> {
    return this.startPageJob({ kind, jobId, teamId, label: 'Resumed', webhook: true, prepared: true });
  }

  /** Sends a signal to the workflow of a job. Does nothing if the workflow has ended. */
  signalPageJob(kind: PageJobKind, jobId: string, signal: 'pause' | 'resume' | 'wake'): Promise<void> {
    const workflow = this.#client.workflow.getHandle(workflowIdOf(kind, jobId));
    return this.#callServer(() => ignoreNotFound(workflow.signal(signal)));
  }

  /** Cancels the workflow of a job. Does nothing if the workflow has ended. */
  cancelPageJob(kind: PageJobKind, jobId: string): Promise<void> {
    const workflow = this.#client.workflow.getHandle(workflowIdOf(kind, jobId));
    return this.#callServer(() => ignoreNotFound(workflow.cancel()));
  }

  /** Starts the workflow that delivers the events of a job, or wakes it if it is running. */
  startDeliveries(jobId: string, teamId: string): Promise<void> {
    return this.#callServer(() => startDeliveries(this.#client, jobId, teamId));
  }

  /** Resolves if the server responds within three seconds. */
  ready(): Promise<void> {
    return pingTemporal(this.#connection);
  }

  async #startScrapeOrMap(kind: 'scrape' | 'map', job: ScrapeStart): Promise<StartedWorkflow> {
    return toStarted(await this.#callServer(() => startScrapeOrMap(this.#client, kind, job)));
  }

  /**
   * Runs a call to the server with a deadline. The call is repeated while the server does not yet know
   * search attributes that were just registered.
   * @throws ServiceError `SERVICE_UNAVAILABLE` if the call fails
   */
  async #callServer<Result>(call: () => Promise<Result>, limitMs = START_DEADLINE_MS): Promise<Result> {
    const deadline = Date.now() + limitMs;
    try {
      for (;;) {
        try {
          return await this.#connection.withDeadline(deadline, call);
        } catch (error) {
          if (!isUnknownSearchAttribute(error) || Date.now() + RECONNECT_MS > deadline) throw error;
          await sleep(RECONNECT_MS);
        }
      }
    } catch (cause) {
      // The workflow has refused the update, so the server works.
      if (cause instanceof WorkflowUpdateFailedError) throw cause;
      throw unavailableError(cause);
    }
  }
}

/** A scrape or map that was started. */
interface StartedWorkflow {
  /**
   * Waits for the end of the workflow.
   * @returns the key of the blob with the result; `undefined` if there is none within `waitMs` milliseconds
   */
  wait(waitMs: number): Promise<string | undefined>;
}

const toStarted = (handle: WorkflowHandle<typeof scrape> | WorkflowHandle<typeof map>): StartedWorkflow => ({
  async wait(waitMs) {
    const result = await waitForEnd(() => handle.result(), waitMs);
    return typeof result === 'object' ? result.blob : result;
  },
});

function startScrapeOrMap(
  client: Client,
  kind: 'scrape' | 'map',
  { teamId, url, file, ...input }: ScrapeStart,
) {
  const { workflow, priority } = JOB_KINDS[kind];
  const verb = file ? 'Parse' : kind === 'map' ? 'Map' : 'Scrape';
  const summary = `${verb} ${file ?? url ?? 'with zero data retention'}`;
  return client.workflow.start<typeof scrape | typeof map>(workflow, {
    workflowId: workflowIdOf(kind, input.jobId),
    taskQueue: QUEUES.scrape,
    args: [input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    priority: { priorityKey: priority, fairnessKey: teamId },
    staticSummary: summary.slice(0, 200),
    staticDetails: `${url ? `- URL: ${url}\n` : ''}- Job: ${input.jobId}\n- Team: ${teamId}`,
    typedSearchAttributes: url
      ? [
          { key: TeamId, value: teamId },
          { key: JobKind, value: kind },
          { key: Host, value: new URL(url).host },
        ]
      : [],
  });
}

/** The options of starting a browser session. */
export interface SessionStart extends SessionInput {
  kind: SessionKind;
  teamId: string;
  /** The text that the Temporal UI shows for the session. */
  label: string;
}

function startSession(client: Client, session: SessionStart): Promise<void> {
  return client.workflow.executeUpdateWithStart<typeof browser, void, []>('opened', {
    args: [],
    startWorkflowOperation: new WithStartWorkflowOperation<typeof browser>(
      JOB_KINDS[session.kind].workflow,
      sessionOptions(session),
    ),
  });
}

async function beginSession(client: Client, session: SessionStart): Promise<void> {
  await client.workflow.start<typeof browser>(JOB_KINDS[session.kind].workflow, sessionOptions(session));
}

function sessionOptions({ kind, teamId, label, ...input }: SessionStart) {
  return {
    workflowId: workflowIdOf(kind, input.sessionId),
    taskQueue: QUEUES.scrape,
    // The types of the client want a tuple.
    args: [input] as [SessionInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    priority: { priorityKey: JOB_KINDS[kind].priority, fairnessKey: teamId },
    staticSummary: label.slice(0, 200),
    staticDetails: `- Session: ${input.sessionId}\n- Team: ${teamId}`,
    typedSearchAttributes: [
      { key: TeamId, value: teamId },
      { key: JobKind, value: kind },
    ],
  };
}

/** The options of starting the workflow of a batch or crawl. */
export interface PageJobStart {
  kind: PageJobKind;
  jobId: string;
  teamId: string;
  /** The text that the Temporal UI shows for the job. */
  label: string;
  host?: string;
  /** Whether the job has zero data retention, so that it gets no search attributes. */
  isEncrypted?: boolean;
  /** Whether to start the delivery of webhook events. */
  webhook: boolean;
  /** Whether the work before the pages is already done. */
  prepared?: boolean;
}

async function startPageJob(client: Client, job: PageJobStart): Promise<void> {
  const { kind, jobId, teamId, label, host, isEncrypted, webhook, prepared } = job;
  const { workflow, priority } = JOB_KINDS[kind];
  await client.workflow.signalWithStart<typeof batch | typeof crawl>(workflow, {
    workflowId: workflowIdOf(kind, jobId),
    taskQueue: QUEUES.scrape,
    args: [{ jobId, webhook, ...(prepared && { prepared }) }],
    signal: 'wake',
    signalArgs: [],
    priority: { priorityKey: priority, fairnessKey: teamId },
    staticSummary: label.slice(0, 200),
    staticDetails: `- Job: ${jobId}\n- Team: ${teamId}`,
    typedSearchAttributes: isEncrypted
      ? []
      : [
          { key: TeamId, value: teamId },
          { key: JobKind, value: kind },
          ...(host ? [{ key: Host, value: host }] : []),
        ],
  });
}

async function startDeliveries(client: Client, jobId: string, teamId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof deliver>('deliver', {
    workflowId: `webhooks/${jobId}`,
    taskQueue: QUEUES.scrape,
    args: [{ jobId }],
    signal: 'wake',
    signalArgs: [],
    priority: { priorityKey: DELIVERY_PRIORITY, fairnessKey: teamId },
    staticSummary: `Webhook events of ${jobId}`,
  });
}

/**
 * Whether a call failed because a worker has just registered the search attributes: it takes a moment until
 * all parts of the server know them.
 */
function isUnknownSearchAttribute(error: unknown): boolean {
  const text = error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : '';
  return /search attribute/i.test(text);
}

async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Waits for the end of a workflow, even if the server restarts meanwhile.
 * @returns the result of the workflow; `undefined` if it did not end within `waitMs` milliseconds
 * @throws WorkflowFailedError if the workflow failed
 */
async function waitForEnd<Result>(
  result: () => Promise<Result>,
  waitMs: number,
): Promise<Result | undefined> {
  const until = Date.now() + waitMs;
  const end = async () => {
    while (Date.now() < until) {
      try {
        return await result();
      } catch (error) {
        // The server was unavailable, but the workflow continues.
        if (!(error instanceof GrpcError || isGrpcServiceError(error))) throw error;
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
