import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { MAX_BEGIN_MS, type Scrapes } from '../activities/scrape/scrape.ts';
import type { Logger } from '../logger.ts';
import type { Temporal } from '../temporal/workflow-client.ts';
import type { SynchronousStart } from '../temporal/workflow-starts.ts';

/** Options of {@link serveScrapes}. */
export interface ScrapeServerOptions {
  /** The path of the Unix socket. A file that a dead process has left there is replaced. */
  path: string;
  scrapes: Scrapes;
  temporal: Pick<Temporal, 'startScrapeHere'>;
  logger: Logger;
}

/**
 * Serves the API of the same machine: a stored scrape begins at once, while its workflow is started. The workflow joins it in this
 * process, or begins anew in another one if this process dies.
 * The response is 200 with the key of the blob with the document, or 202 once the workflow has started but no document is there
 * after a second, or will be.
 */
export async function serveScrapes(options: ScrapeServerOptions): Promise<{ close(): void }> {
  const { path, logger } = options;
  await rm(path, { force: true });
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    try {
      const blob = await beginScrape(await readStart(request), options);
      response.writeHead(blob === undefined ? 202 : 200).end(blob);
    } catch (error) {
      logger.warn({ err: error }, 'a scrape could not be begun for the API, which starts it itself');
      response.writeHead(503).end();
    }
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** The socket is open to the user of this process only, and its API sends what has this type. */
const readStart = async (request: IncomingMessage) => JSON.parse(await text(request)) as SynchronousStart;

/** @returns the key of the blob with the document; `undefined` if it is not there, but the workflow has started */
async function beginScrape(
  start: SynchronousStart,
  { scrapes, temporal }: ScrapeServerOptions,
): Promise<string | undefined> {
  const scrape = scrapes.join(start.jobId, true);
  const [ended, started] = await Promise.allSettled([
    scrape.waitAhead(MAX_BEGIN_MS),
    temporal.startScrapeHere(start),
  ]);
  // The workflow meets the same error, and records it.
  const result = ended.status === 'fulfilled' ? ended.value?.result : undefined;
  if (result !== undefined) return typeof result === 'object' ? result.blob : result;
  if (started.status === 'rejected') throw started.reason;
  return undefined;
}
