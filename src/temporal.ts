import { Client } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection } from '@temporalio/worker';
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

/** The API's door to Temporal. */
export function createTemporal(connection: NativeConnection, namespace: string) {
  const client = new Client({ connection, namespace });
  return {
    /**
     * Starts a scrape and waits for its end.
     * @param waitMs after which the caller is let go, while the scrape goes on
     * @returns whether it ended; its failure is thrown as Temporal's WorkflowFailedError
     */
    async runScrape({ teamId, url, ...input }: ScrapeStart, waitMs: number): Promise<'ended' | 'running'> {
      const handle = await client.workflow.start<typeof scrape>('scrape', {
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
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<'running'>((resolve) => {
        timer = setTimeout(resolve, waitMs, 'running');
      });
      try {
        return await Promise.race([handle.result().then(() => 'ended' as const), patience]);
      } finally {
        clearTimeout(timer);
      }
    },

    /** Resolves when the server answers. */
    async ready(): Promise<void> {
      await connection.withDeadline(Date.now() + 3_000, () => connection.workflowService.getSystemInfo({}));
    },
  };
}

/** The API's door to Temporal. */
export type Temporal = ReturnType<typeof createTemporal>;

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
