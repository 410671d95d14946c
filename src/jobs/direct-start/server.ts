import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LeasedJob } from '../../storage/db/jobs/jobs.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { listen } from '../../system/server.ts';
import { runInTrace } from '../../system/tracing.ts';
import { type DirectStart, type JobStart, STATUS } from './protocol.ts';
import type { RunningScrape } from './running-scrapes.ts';
import { SIGN_OF_LIFE_MS, WORKFLOW_AFTER_MS } from './timeline.ts';

/**
 * Options of {@link serveDirectStarts}. `Result` is what a scrape returns; absent if its job ended without a
 * document.
 */
interface ServerOptions<Result> {
  /** The path of the Unix socket. A file that a dead process has left there is replaced. */
  path: string;
  scrapes: {
    join(jobId: string, isUntracked: boolean, job?: LeasedJob): RunningScrape<Result | undefined>;
  };
  temporal: { startScrapeHere(start: JobStart, signal?: AbortSignal): Promise<void> };
  /** Responds to requests about the health of the worker. @returns whether the request was one */
  health(request: IncomingMessage, response: ServerResponse): boolean;
  finished: { record(scrape: JobStart & { ended: Result }): Promise<void>; close(): Promise<void> };
  logger: Logger;
}

/**
 * Serves the API of the same machine: it scrapes pages of stored jobs at once. `timeline.ts` says what
 * happens when, `protocol.ts` what is responded. In a rush, workflows wait for their turn to be started, and
 * a scrape that ends meanwhile is only recorded, too.
 */
export async function serveDirectStarts<Result extends object | string>(
  options: ServerOptions<Result>,
): Promise<{ close(): Promise<void> }> {
  const { path, finished, health, logger } = options;
  await rm(path, { force: true });
  const running = new Set<Promise<unknown>>();
  const onUnheard = (error: unknown) =>
    logger.warn({ err: error }, 'the API was not told that a scrape still runs');
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    if (health(request, response)) return;
    const scrape = readDirectStart(request).then((start) =>
      runInTrace({ traceparent: start.traceparent, job: start.start.jobId }, () =>
        scrapeDirectly(start, options),
      ),
    );
    running.add(scrape);
    const signsOfLife = every(SIGN_OF_LIFE_MS, () => response.writeProcessing(), onUnheard);
    try {
      const document = await scrape;
      response.writeHead(document === undefined ? STATUS.workflow : STATUS.document).end(document);
    } catch (error) {
      logger.warn(
        { err: error },
        'a scrape could not be started directly for the API, which starts it itself',
      );
      response.writeHead(STATUS.unknown).end();
    } finally {
      clearInterval(signsOfLife);
      running.delete(scrape);
    }
  });
  await listen(server, { path }, (error) =>
    logger.warn({ err: error }, 'a scrape of the API could not be accepted, which starts it itself'),
  );
  await chmod(path, 0o600);
  return {
    /** Lets the scrapes of the last three seconds end, or hands them over to their workflows. */
    async close() {
      server.close();
      await Promise.allSettled(running);
      server.closeIdleConnections();
      await finished.close();
    },
  };
}

/** The socket is open to the user of this process only, and its API sends what has this type. */
const readDirectStart = async (request: IncomingMessage) => JSON.parse(await text(request)) as DirectStart;

/** @returns the document as it is stored; `undefined` if it is not there, but the workflow has started */
async function scrapeDirectly<Result extends object | string>(
  { start, job }: DirectStart,
  { scrapes, temporal, finished }: ServerOptions<Result>,
): Promise<Uint8Array | undefined> {
  const scrape = scrapes.join(start.jobId, true, job);
  // However long the workflow waits to be started, it finds the scrape.
  using _ = scrape.attend();
  let outcome = await outcomeOf(scrape, WORKFLOW_AFTER_MS);
  if (outcome === 'running') outcome = await startUnlessEnded(scrape, start, temporal);
  if (outcome === 'running') return undefined;
  const { document } = scrape;
  // The scrape can be joined for some seconds. Whoever does so reads the stored document.
  scrape.document = undefined;
  if (outcome === 'failed' || outcome.result === undefined || document === undefined) {
    await temporal.startScrapeHere(start);
    return undefined;
  }
  await finished.record({ ...start, ended: outcome.result });
  return document;
}

type Outcome<Result> = 'running' | 'failed' | { result: Result | undefined };

/**
 * Waits for the end of a scrape.
 * @param maxMs the milliseconds after which it counts as running; absent: never
 */
async function outcomeOf<Result>(
  scrape: RunningScrape<Result | undefined>,
  maxMs?: number,
): Promise<Outcome<Result>> {
  try {
    return (await scrape.waitUntracked(maxMs)) ?? 'running';
  } catch {
    // The workflow joins the scrape, meets the same error, and records it.
    return 'failed';
  }
}

/** Starts the workflow of a scrape as soon as it is its turn, unless the scrape ends before. */
async function startUnlessEnded<Result>(
  scrape: RunningScrape<Result | undefined>,
  start: JobStart,
  temporal: ServerOptions<Result>['temporal'],
): Promise<Outcome<Result>> {
  const ended = new AbortController();
  // The workflow need not wait for a quick end once more.
  const { isQuick: _, ...tracked } = start;
  const started = temporal.startScrapeHere(tracked, ended.signal);
  try {
    return await Promise.race([outcomeOf(scrape), started.then(() => 'running' as const)]);
  } finally {
    ended.abort();
  }
}
