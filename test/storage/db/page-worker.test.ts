import { setImmediate } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { PageWorker, type PageWorkerOptions } from '../../../src/jobs/page-jobs/page-worker.ts';
import type { Blobs } from '../../../src/storage/blobs/index.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import { NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/**
 * A page worker with a real database. Its clock stands still unless the test moves it, so that it never stops
 * claiming.
 */

const db = useOwnDatabase();
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const REQUESTS_PER_HOST = 8;

async function newBatch(pages: number): Promise<string> {
  const id = uuidv7();
  const { id: teamId } = await makeTeam(db, { concurrency: 100 });
  const host = `${id}.test`;
  await insertPageJob(db.query, {
    id,
    teamId,
    apiKeyId: null,
    kind: 'batch_scrape',
    target: `http://${host}/0`,
    request: {},
    ttlMs: 60_000,
    webhook: undefined,
    baseUrl: 'http://winnow.test',
    delayMs: null,
    limit: null,
    pages: Array.from({ length: pages }, (_, n) => ({ url: `http://${host}/${n}`, host, depth: 0 })),
    maxConcurrency: null,
  });
  return id;
}

/**
 * A page worker of a job whose pages have no documents, and for which no other worker is needed.
 * @param change what sets it apart
 */
const workerOf = (jobId: string, change: Pick<PageWorkerOptions, 'scrape'> & Partial<PageWorkerOptions>) =>
  new PageWorker({
    db,
    jobId,
    name: `${jobId}/0/1`,
    cipher: NULL_CIPHER,
    pageEvents: false,
    maxClaims: Number.POSITIVE_INFINITY,
    requestsPerHost: REQUESTS_PER_HOST,
    waitsForCapacity: true,
    claimsAhead: false,
    blobs: {} as Blobs,
    signal: new AbortController().signal,
    capacity: { reserve: (wanted) => wanted, returnUnused: () => undefined, release: () => undefined },
    requestHelp: async () => undefined,
    onRecorded: () => undefined,
    ...change,
  });

it('a host gets its next requests while the documents of its first pages are being stored', async () => {
  const jobId = await newBatch(REQUESTS_PER_HOST + 2);
  const nextPage = Promise.withResolvers<void>();
  const stored: number[] = [];
  // Only the method that page workers use.
  const blobs = {
    async putAll(items: Uint8Array[]) {
      stored.push(items.length);
      vi.advanceTimersByTime(100);
      await nextPage.promise;
      return items.map((_, index) => `${jobId}-${stored.length}-${index}`);
    },
  } as Blobs;
  const worker = workerOf(jobId, {
    blobs,
    async scrape({ id, host, ordinal }, _job, onFetched) {
      onFetched();
      if (ordinal === REQUESTS_PER_HOST) nextPage.resolve();
      return { end: { id, host, outcome: 'completed', credits: 1 }, json: Buffer.from(`{"n":${ordinal}}`) };
    },
  });
  const { ended, job } = await worker.run();
  expect({ ended, completed: job.completed, open: job.open }).toEqual({ ended: 10, completed: 10, open: 0 });
  expect(stored).toEqual([8, 2]);
});

it('a page worker with one long page requests another one again and again while the job makes no progress', async () => {
  const jobId = await newBatch(3);
  const longPage = Promise.withResolvers<void>();
  const requests: string[] = [];
  const clock = setInterval(() => vi.advanceTimersByTime(1_000), 50);
  onTestFinished(() => clearInterval(clock));
  const worker = workerOf(jobId, {
    // It claims no more than the long page, as after the end of its time.
    maxClaims: 1,
    requestHelp: async (reason) => {
      if (requests.push(reason) < 3) return;
      clearInterval(clock);
      longPage.resolve();
    },
    async scrape({ id, host }) {
      await longPage.promise;
      return { end: { id, host, outcome: 'completed', credits: 1 } };
    },
  });
  const { ended } = await worker.run();
  expect({ ended, requests }).toEqual({ ended: 1, requests: ['full', 'closed', 'closed'] });
});

it('a host gets the next request as soon as one ends, without another claim, and never more than it may have', async () => {
  const jobId = await newBatch(24);
  const ends: (() => void)[] = [];
  let isSlow = true;
  let open = 0;
  let mostOpen = 0;
  const firstClaims = Promise.withResolvers<void>();
  const worker = workerOf(jobId, {
    claimsAhead: true,
    async scrape({ id, host }, _job, onFetched) {
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise<void>((resolve) => {
        if (ends.push(resolve) === REQUESTS_PER_HOST) firstClaims.resolve();
        if (!isSlow) resolve();
      });
      open--;
      onFetched();
      return { end: { id, host, outcome: 'completed', credits: 1 } };
    },
  });
  const run = worker.run();
  await firstClaims.promise;
  // `expect.poll` and `vi.waitFor` would move the clock.
  const begun = (count: number) => pollUntil(() => ends.length >= count);
  ends[0]?.();
  await setImmediate();
  // The claim after the end of a quick request claims one page in its place, and eight ahead.
  vi.advanceTimersByTime(100);
  await begun(9);
  // The clock stands still, so no claim is due.
  for (let page = 1; page <= 8; page++) {
    ends[page]?.();
    await begun(9 + page);
  }
  isSlow = false;
  for (const end of ends) end();
  const clock = setInterval(() => vi.advanceTimersByTime(100), 20);
  onTestFinished(() => clearInterval(clock));
  const { ended } = await run;
  expect({ ended, mostOpen }).toEqual({ ended: 24, mostOpen: REQUESTS_PER_HOST });
});

it('pages that were claimed ahead of a host that asks us to slow down become pending again', async () => {
  const jobId = await newBatch(40);
  const scraped: number[] = [];
  const isLimited = () => scraped.length > 16;
  const clock = setInterval(() => vi.advanceTimersByTime(100), 20);
  onTestFinished(() => clearInterval(clock));
  const worker = workerOf(jobId, {
    waitsForCapacity: false,
    claimsAhead: true,
    blobs: {} as Blobs,
    async scrape({ id, host, ordinal }, _job, onFetched) {
      scraped.push(ordinal);
      await setImmediate();
      onFetched();
      const end = { id, host, outcome: 'completed', credits: 1 } as const;
      return isLimited() ? { end, restMs: 60_000 } : { end };
    },
  });
  const { ended, job } = await worker.run();
  expect(job.open).toBe(40 - ended);
  const rows = await db.query
    .selectFrom('pages')
    .select(['ordinal', 'status', 'attempts'])
    .where('job_id', '=', jobId)
    .where('status', '<>', 'completed')
    .orderBy('ordinal')
    .execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { ordinal, status, attempts } of rows) {
    expect({ status, attempts }).toEqual({ status: 'pending', attempts: 0 });
    expect(scraped).not.toContain(ordinal);
  }
});

it('pages that were claimed ahead do not begin after the job was cancelled', async () => {
  const jobId = await newBatch(24);
  const ends: (() => void)[] = [];
  const firstClaims = Promise.withResolvers<void>();
  const worker = workerOf(jobId, {
    claimsAhead: true,
    async scrape({ id, host }, _job, onFetched) {
      await new Promise<void>((resolve) => {
        if (ends.push(resolve) === REQUESTS_PER_HOST) firstClaims.resolve();
      });
      onFetched();
      return { end: { id, host, outcome: 'completed', credits: 1 } };
    },
  });
  const run = worker.run();
  await firstClaims.promise;
  ends[0]?.();
  await setImmediate();
  // The claim after the end of a quick request claims one page in its place, and eight ahead.
  vi.advanceTimersByTime(100);
  await pollUntil(() => ends.length >= 9);
  await db.query.updateTable('jobs').set({ status: 'cancelled' }).where('id', '=', jobId).execute();
  // The page worker notices when it looks at the state of its job again.
  const clock = setInterval(() => vi.advanceTimersByTime(100), 20);
  onTestFinished(() => clearInterval(clock));
  expect((await run).job.status).toBe('cancelled');
  for (const end of ends) end();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(ends).toHaveLength(9);
});
