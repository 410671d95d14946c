import { setTimeout as sleep } from 'node:timers/promises';
import { Client, ServiceError as GrpcError, isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection } from '@temporalio/worker';
import { ServiceError } from './errors.ts';
import type { ScrapeInput, scrape } from './workflows/scrape.ts';
import { Host, JobKind, SEARCH_ATTRIBUTES, TeamId } from './workflows/search-attributes.ts';

/** The queue of scrapes: their workflows and activities, together so that an activity starts without a detour. */
export const SCRAPE_QUEUE = 'scrape';

const RETENTION = '7 days';
const INTERACTIVE_PRIORITY = 1;

/** A connection to the Temporal server; worker and API use the same kind. */
export function connectTemporal(address: string): Promise<NativeConnection> {
  return NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
}

/** What a scrape's workflow is started with. */
export interface ScrapeStart extends ScrapeInput {
  teamId: string;
  url: string;
}

/** A server that does not answer this long is reported to the caller. */
const START_DEADLINE_MS = 10_000;
const RECONNECT_MS = 500;

/** The API's door to Temporal. */
export function createTemporal(connection: NativeConnection, namespace: string) {
  const client = new Client({ connection, namespace });
  return {
    /**
     * Starts a scrape. Started twice with one id, it runs once.
     * @throws ServiceError `SERVICE_UNAVAILABLE` when the server does not answer
     */
    async startScrape({ teamId, url, ...input }: ScrapeStart) {
      const start = () =>
        client.workflow.start<typeof scrape>('scrape', {
          workflowId: `scrape/${input.jobId}`,
          taskQueue: SCRAPE_QUEUE,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          priority: { priorityKey: INTERACTIVE_PRIORITY, fairnessKey: teamId },
          staticSummary: `Scrape ${url}`.slice(0, 200),
          staticDetails: `- URL: ${url}\n- Job: ${input.jobId}\n- Team: ${teamId}`,
          typedSearchAttributes: [
            { key: TeamId, value: teamId },
            { key: JobKind, value: 'scrape' },
            { key: Host, value: new URL(url).host },
          ],
        });
      try {
        const handle = await connection.withDeadline(Date.now() + START_DEADLINE_MS, start);
        return { wait: (waitMs: number) => waitForEnd(() => handle.result(), waitMs) };
      } catch (cause) {
        throw new ServiceError(
          'SERVICE_UNAVAILABLE',
          'The workflow engine does not answer. Try again in a few seconds.',
          { retryAfterSeconds: 5, cause },
        );
      }
    },

    /** Resolves when the server answers. */
    ready: () => pingTemporal(connection),
  };
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

/** Resolves when the server answers within three seconds. */
export async function pingTemporal(connection: NativeConnection): Promise<void> {
  await connection.withDeadline(Date.now() + 3_000, () => connection.workflowService.getSystemInfo({}));
}

/** Registers our search attributes and how long history is kept; does nothing where that is done. */
export async function prepareNamespace(connection: NativeConnection, namespace: string): Promise<void> {
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
