import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ScrapeResult, Scrapes } from '../../activities/scrape/scrape.ts';
import type { ScrapeToBegin } from '../../api/http/route.ts';
import type { Logger } from '../../system/logger.ts';
import type { FinishedScrapes } from '../../temporal/finished-scrapes.ts';
import type { Temporal } from '../../temporal/workflow-client.ts';
import type { SynchronousStart } from '../../temporal/workflow-starts.ts';

/**
 * Milliseconds for which a scrape goes without a workflow: most of those that turn out to need the browser
 * end by then, too.
 */
const MAX_AHEAD_MS = 3_000;

/** Milliseconds between two signs of life to the API while a scrape has neither ended nor a workflow. */
const ALIVE_EVERY_MS = 3_000;

/** Options of {@link serveScrapes}. */
export interface ScrapeServerOptions {
  /** The path of the Unix socket. A file that a dead process has left there is replaced. */
  path: string;
  scrapes: Scrapes;
  temporal: Pick<Temporal, 'startScrapeHere'>;
  finished: Pick<FinishedScrapes, 'record' | 'close'>;
  logger: Logger;
}

/**
 * Serves the API of the same machine: a stored scrape begins at once. If it ends within three seconds, its
 * workflow is only a record of it; otherwise the workflow is started then, and joins the scrape in this
 * process, or begins anew in another one if this process dies. In a rush, workflows wait for their turn to be
 * started, and a scrape that ends meanwhile is only recorded, too. The response is 200 with the document as
 * it is stored, or 202 once the workflow has started because no document is there after three seconds, or
 * will be. Until then, 102 every three seconds says that this process is alive.
 */
export async function serveScrapes(options: ScrapeServerOptions): Promise<{ close(): Promise<void> }> {
  const { path, finished, logger } = options;
  await rm(path, { force: true });
  const begun = new Set<Promise<unknown>>();
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const scrape = readScrape(request).then((stored) => beginScrape(stored, options));
    begun.add(scrape);
    const alive = setInterval(() => response.writeProcessing(), ALIVE_EVERY_MS);
    try {
      const document = await scrape;
      response.writeHead(document === undefined ? 202 : 200).end(document);
    } catch (error) {
      logger.warn({ err: error }, 'a scrape could not be begun for the API, which starts it itself');
      response.writeHead(503).end();
    } finally {
      clearInterval(alive);
      begun.delete(scrape);
    }
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    /** Lets the scrapes of the last three seconds end, or hands them over to their workflows. */
    async close() {
      server.close();
      await Promise.allSettled(begun);
      server.closeIdleConnections();
      await finished.close();
    },
  };
}

/** The socket is open to the user of this process only, and its API sends what has this type. */
const readScrape = async (request: IncomingMessage) => JSON.parse(await text(request)) as ScrapeToBegin;

/** @returns the document as it is stored; `undefined` if it is not there, but the workflow has started */
async function beginScrape(
  { start, job }: ScrapeToBegin,
  { scrapes, temporal, finished }: ScrapeServerOptions,
): Promise<Uint8Array | undefined> {
  const scrape = scrapes.join(start.jobId, true, job);
  // However long the workflow waits to be started, it finds the scrape.
  using _ = scrape.attend();
  let outcome = await outcomeOf(scrape, MAX_AHEAD_MS);
  if (outcome === 'running') outcome = await startUnlessEnded(scrape, start, temporal);
  if (outcome === 'running') return undefined;
  const { document } = scrape;
  // The scrape can be joined for some seconds. Whoever does so reads the stored document.
  scrape.document = undefined;
  if (outcome === 'failed' || outcome.result === undefined || document === undefined) {
    // The workflow joins the scrape, meets the same error, and records it.
    await temporal.startScrapeHere(start);
    return undefined;
  }
  await finished.record({ ...start, ended: outcome.result });
  return document;
}

type Scrape = ReturnType<Scrapes['join']>;
type Outcome = 'running' | 'failed' | { result: ScrapeResult };

/**
 * Waits for the end of a scrape.
 * @param maxMs the milliseconds after which it counts as running; absent: never
 */
async function outcomeOf(scrape: Scrape, maxMs?: number): Promise<Outcome> {
  try {
    return (await scrape.waitAhead(maxMs)) ?? 'running';
  } catch {
    return 'failed';
  }
}

/** Starts the workflow of a scrape as soon as it is its turn, unless the scrape ends before. */
async function startUnlessEnded(
  scrape: Scrape,
  start: SynchronousStart,
  temporal: ScrapeServerOptions['temporal'],
): Promise<Outcome> {
  const ended = new AbortController();
  // The workflow need not wait for a quick end once more.
  const started = temporal.startScrapeHere({ ...start, isQuick: undefined }, ended.signal);
  try {
    return await Promise.race([outcomeOf(scrape), started.then(() => 'running' as const)]);
  } finally {
    ended.abort();
  }
}
