import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  ServiceError as GrpcError,
  isGrpcServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { messageOf, ServiceError } from './errors.ts';
import { JOB_KINDS, type PageJobKind, workflowIdOf } from './job-kinds.ts';
import type { batch } from './workflows/batch.ts';
import type { crawl } from './workflows/crawl.ts';
import type { map } from './workflows/map.ts';
import { QUEUES } from './workflows/queues.ts';
import type { ScrapeInput, scrape } from './workflows/scrape.ts';
import { Host, JobKind, SEARCH_ATTRIBUTES, TeamId } from './workflows/search-attributes.ts';
import type { upkeep } from './workflows/upkeep.ts';
import type { deliver } from './workflows/webhooks.ts';

const RETENTION = '7 days';
const DELIVERIES_PRIORITY = 4;

/**
 * A connection to the Temporal server; worker and API use the same kind.
 * @throws ServiceError `SERVICE_UNAVAILABLE` where the server does not answer
 */
export function connectTemporal(address: string): Promise<NativeConnection> {
  return reached(NativeConnection.connect({ address, grpcCompression: { codec: 'none' } }));
}

/** The result of a call to the server; where that does not answer, an error that says so. */
async function reached<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    const cause = error instanceof GrpcError ? error.cause : error;
    const isAway =
      error instanceof TransportError ||
      (isGrpcServiceError(cause) && (cause.code === UNAVAILABLE || cause.code === DEADLINE_EXCEEDED));
    throw isAway ? noAnswer(error) : error;
  }
}

// Of https://grpc.io/docs/guides/status-codes/.
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

const noAnswer = (cause: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The workflow engine does not answer. Try again in a few seconds.',
    { retryAfterSeconds: 5, cause },
  );

/** What the workflow of a scrape or map is started with. */
export interface ScrapeStart extends ScrapeInput {
  teamId: string;
  /** Absent where nothing of the page may be shown. */
  url?: string;
}

/** A server that does not answer this long is reported to the caller. */
const START_DEADLINE_MS = 10_000;
const RECONNECT_MS = 500;

/** The API's door to Temporal. */
export function createTemporal(connection: NativeConnection, namespace: string) {
  const client = new Client({ connection, namespace });

  /** Runs a call to the server, for a while. */
  async function ask<Result>(call: () => Promise<Result>): Promise<Result> {
    const deadline = Date.now() + START_DEADLINE_MS;
    try {
      for (;;) {
        try {
          return await connection.withDeadline(deadline, call);
        } catch (error) {
          if (!isNewNamespace(error) || Date.now() + RECONNECT_MS > deadline) throw error;
          await sleep(RECONNECT_MS);
        }
      }
    } catch (cause) {
      throw noAnswer(cause);
    }
  }

  async function startAwaited(kind: 'scrape' | 'map', { teamId, url, ...input }: ScrapeStart) {
    const start = () =>
      client.workflow.start<typeof scrape | typeof map>(JOB_KINDS[kind].workflow, {
        workflowId: workflowIdOf(kind, input.jobId),
        taskQueue: QUEUES.scrape,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        priority: { priorityKey: JOB_KINDS[kind].priority, fairnessKey: teamId },
        staticSummary: `${kind === 'map' ? 'Map' : 'Scrape'} ${url ?? 'with zero data retention'}`.slice(
          0,
          200,
        ),
        staticDetails: `${url ? `- URL: ${url}\n` : ''}- Job: ${input.jobId}\n- Team: ${teamId}`,
        typedSearchAttributes: url
          ? [
              { key: TeamId, value: teamId },
              { key: JobKind, value: kind },
              { key: Host, value: new URL(url).host },
            ]
          : [],
      });
    const handle = await ask(start);
    return {
      /** @returns the blob with the result; `undefined` where there is none in time */
      async wait(waitMs: number): Promise<string | undefined> {
        const result = await waitForEnd(() => handle.result(), waitMs);
        return typeof result === 'object' ? result.blob : result;
      },
    };
  }

  return {
    /**
     * Starts a scrape. Started twice with one id, it runs once.
     * @throws ServiceError `SERVICE_UNAVAILABLE` when the server does not answer
     */
    startScrape: (job: ScrapeStart) => startAwaited('scrape', job),

    /** Starts a map, as `startScrape` does a scrape. */
    startMap: (job: ScrapeStart) => startAwaited('map', job),

    /**
     * Starts the workflow of a batch or crawl, or wakes it where it runs.
     * @throws ServiceError `SERVICE_UNAVAILABLE` when the server does not answer
     */
    startPageJob: (job: PageJobStart) => ask(() => startPageJob(client, job)),

    /** Starts the workflow of a job that has begun before, or wakes it where it runs. */
    resumePageJob: (kind: PageJobKind, jobId: string, teamId: string) =>
      ask(() =>
        startPageJob(client, { kind, jobId, teamId, label: 'Resumed', webhook: true, prepared: true }),
      ),

    /** Tells the workflow of a job something; one that has ended has nothing to hear. */
    signalPageJob: (kind: PageJobKind, jobId: string, signal: 'pause' | 'resume' | 'wake') =>
      ask(() => unlessGone(client.workflow.getHandle(workflowIdOf(kind, jobId)).signal(signal))),

    /** Cancels the workflow of a job. */
    cancelPageJob: (kind: PageJobKind, jobId: string) =>
      ask(() => unlessGone(client.workflow.getHandle(workflowIdOf(kind, jobId)).cancel())),

    /** Sees to it that events of a job that are due are sent. */
    startDeliveries: (jobId: string, teamId: string) => ask(() => startDeliveries(client, jobId, teamId)),

    /** Resolves when the server answers. */
    ready: () => pingTemporal(connection),
  };
}

/** What the workflow of a batch or crawl is started with. */
export interface PageJobStart {
  kind: PageJobKind;
  jobId: string;
  teamId: string;
  /** What the Temporal UI shows for it. */
  label: string;
  host?: string;
  /** Nothing of it is to be found by. */
  sealed?: boolean;
  /** Its events go to somebody. */
  webhook: boolean;
  /** What comes before the pages is done. */
  prepared?: boolean;
}

async function startPageJob(client: Client, job: PageJobStart): Promise<void> {
  const { kind, jobId, teamId, label, host, sealed, webhook, prepared } = job;
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
    typedSearchAttributes: sealed
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
    priority: { priorityKey: DELIVERIES_PRIORITY, fairnessKey: teamId },
    staticSummary: `Webhook events of ${jobId}`,
  });
}

/** Search attributes that a worker has just registered are known to all of the server a moment later. */
function isNewNamespace(error: unknown): boolean {
  const text = error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : '';
  return /search attribute/i.test(text);
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** The API's door to Temporal. */
export type Temporal = ReturnType<typeof createTemporal>;

/**
 * Waits for a workflow, over restarts of the server too.
 * @returns its result, `undefined` when it did not end in time; a failure of the workflow is thrown as Temporal's WorkflowFailedError
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
        // The server was away; the workflow is not.
        if (!(error instanceof GrpcError || isGrpcServiceError(error))) throw error;
        await sleep(RECONNECT_MS);
      }
    }
    return undefined;
  };
  return Promise.race([end(), sleep(waitMs, undefined, { ref: false })]);
}

/** Starts what runs for ever; an earlier run, perhaps of older code, ends. */
export async function startUpkeep(connection: NativeConnection, namespace: string): Promise<void> {
  const start = new Client({ connection, namespace }).workflow.start<typeof upkeep>('upkeep', {
    workflowId: 'upkeep',
    taskQueue: QUEUES.scrape,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    priority: { priorityKey: 5 },
    staticSummary: 'Deletes what has expired, and sets jobs going again that lost their workflow',
  });
  await reached(start);
}

/** Resolves when the server answers within three seconds. */
export async function pingTemporal(connection: NativeConnection): Promise<void> {
  await connection.withDeadline(Date.now() + 3_000, () => connection.workflowService.getSystemInfo({}));
}

/** Registers our search attributes and how long history is kept; does nothing where that is done. */
export function prepareNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  return reached(prepare(connection, namespace));
}

async function prepare(connection: NativeConnection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !(name in (customAttributes ?? {})));
  if (missing.length) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)!]),
      ),
    });
  }
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION) },
  });
}
