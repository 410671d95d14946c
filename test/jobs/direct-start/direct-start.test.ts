import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScrapeResult } from '../../../src/activities/scrape/scrape-report.ts';
import { createDirectStarts } from '../../../src/jobs/direct-start/client.ts';
import { RunningScrapes } from '../../../src/jobs/direct-start/running-scrapes.ts';
import { serveDirectStarts } from '../../../src/jobs/direct-start/server.ts';
import type { LeasedJob } from '../../../src/storage/db/jobs/jobs.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { untilAborted } from '../../../src/system/until-aborted.ts';
import type { SynchronousStart } from '../../../src/temporal/workflow-starts.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** How the API has a worker of the same machine start a scrape directly. */

const START = { jobId: 'job', teamId: 'team', timeoutMs: 30_000, isQuick: true };

let directory: string;
let socket: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'winnow-socket-'));
  socket = path.join(directory, 'scrapes.sock');
});
afterEach(() => rmSync(directory, { recursive: true }));

const DOCUMENT = Buffer.from('{"markdown":"A page"}');

/**
 * Serves scrapes that end as `work` says, with a document if they have a result, and whose workflows start as
 * `start` says.
 */
async function serve(
  work: () => Promise<ScrapeResult>,
  start: (job: SynchronousStart, signal?: AbortSignal) => Promise<void> = async () => undefined,
) {
  const running = new RunningScrapes<ScrapeResult>();
  const startScrapeHere = vi.fn(start);
  const record = vi.fn(async () => undefined);
  const leased = Promise.withResolvers<LeasedJob | undefined>();
  const server = await serveDirectStarts({
    path: socket,
    scrapes: {
      join(jobId, isUntracked, job) {
        leased.resolve(job);
        return running.join(jobId, {
          isUntracked,
          async work(scrape) {
            const result = await work();
            if (result !== undefined) scrape.document = DOCUMENT;
            return result;
          },
        });
      },
    },
    temporal: { startScrapeHere },
    health: () => false,
    finished: { record, close: async () => undefined },
    logger: createLogger('worker', 'silent'),
  });
  return { startScrapeHere, record, leased: leased.promise, [Symbol.asyncDispose]: () => server.close() };
}

const startDirectly = (job?: LeasedJob) => createDirectStarts(socket)({ start: START, job });
const never = () => new Promise<never>(() => undefined);
const refuse = async () => {
  throw new Error('Temporal does not respond');
};

describe('a scrape that the API starts directly', () => {
  it('comes with its job, so that the worker need not read it', async () => {
    const job = { team_id: 'team', request: { url: 'http://a.test/' }, status: 'scraping', wrappedKey: null };
    await using served = await serve(async () => 'key');
    await startDirectly({ ...job, concurrency: 2, lease: 'taken' });
    expect(await served.leased).toEqual({ ...job, concurrency: 2, lease: 'taken' });
  });

  it('returns its document, and its workflow is a record of it', async () => {
    await using served = await serve(async () => 'key');
    expect(await startDirectly()).toEqual({ document: DOCUMENT });
    expect(served.record).toHaveBeenCalledWith({ ...START, ended: 'key' });
    expect(served.startScrapeHere).not.toHaveBeenCalled();
  });

  it('is left to its workflow when it fails or has no document', async () => {
    for (const work of [refuse, async () => undefined]) {
      await using served = await serve(work);
      expect(await startDirectly()).toEqual({});
      expect(served.startScrapeHere).toHaveBeenCalledWith(START);
      expect(served.record).not.toHaveBeenCalled();
    }
  });

  it('is left to the activity of its workflow when it takes longer than three seconds', async () => {
    await using served = await serve(never);
    expect(await startDirectly()).toEqual({});
    expect(served.startScrapeHere).toHaveBeenCalledWith(
      { ...START, isQuick: undefined },
      expect.any(AbortSignal),
    );
    expect(served.record).not.toHaveBeenCalled();
  });

  it('is only recorded when it ends while its workflow waits to be started', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using served = await serve(
      () => promise,
      async (_, signal) => {
        resolve('key');
        await untilAborted(never, signal!);
      },
    );
    expect(await startDirectly()).toEqual({ document: DOCUMENT });
    expect(served.record).toHaveBeenCalledWith({ ...START, ended: 'key' });
    expect(served.startScrapeHere).toHaveBeenCalledOnce();
  });

  it('is waited for when the worker stops', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const served = await serve(() => promise);
    const direct = startDirectly();
    await served.leased;
    const stopped = served[Symbol.asyncDispose]();
    resolve('key');
    await stopped;
    expect(served.record).toHaveBeenCalledWith({ ...START, ended: 'key' });
    expect(await direct).toEqual({ document: DOCUMENT });
  });

  it('was not taken when it has no document and its workflow could not be started', async () => {
    await using _ = await serve(refuse, refuse);
    expect(await startDirectly()).toBeUndefined();
  });

  it('was not taken when there is no worker, or when it ends before its response', async () => {
    expect(await startDirectly()).toBeUndefined();
    const dying = createServer((request) => request.socket.destroy()).listen(socket);
    await new Promise((resolve) => dying.once('listening', resolve));
    expect(await startDirectly()).toBeUndefined();
    dying.close();
  });

  it('was not taken when the worker gives no sign of life, and is waited for while it does', async () => {
    const responses: ServerResponse[] = [];
    const slow = createServer((_, response) => responses.push(response)).listen(socket);
    await new Promise((resolve) => slow.once('listening', resolve));
    expect(await createDirectStarts(socket, 50)({ start: START })).toBeUndefined();
    const direct = createDirectStarts(socket, 2_000)({ start: START });
    await pollUntil(() => responses.length === 2);
    for (let sign = 0; sign < 5; sign++) {
      await sleep(500);
      responses[1]!.writeProcessing();
    }
    responses[1]!.writeHead(200).end(DOCUMENT);
    expect(await direct).toEqual({ document: DOCUMENT });
    slow.close();
    slow.closeAllConnections();
  });
});

describe('the socket of a worker', () => {
  it('replaces what a dead process has left, and is open to its user only', async () => {
    writeFileSync(socket, 'left over');
    await using _ = await serve(async () => 'key');
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await startDirectly()).toEqual({ document: DOCUMENT });
  });
});
