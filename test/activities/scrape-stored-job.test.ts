import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { LongConversions } from '../../src/activities/scrape/long-conversions.ts';
import type { ScrapeResult } from '../../src/activities/scrape/scrape-report.ts';
import { scrapeStoredJob } from '../../src/activities/scrape/scrape-stored-job.ts';
import { createRenderPool } from '../../src/content/rendering/render-pool.ts';
import { RunningScrape } from '../../src/jobs/direct-start/running-scrapes.ts';
import { createScrapeMetrics } from '../../src/jobs/scraping/scrape-metrics.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import { insertJob } from '../../src/storage/db/jobs/jobs.ts';
import { openJobResults } from '../../src/storage/job-results.ts';
import { createLogger } from '../../src/system/logger.ts';
import { snapshotOf } from '../content/html/page.ts';
import { enginesBy } from '../support/fetch/engines.ts';
import { makeTeam, useOwnDatabase } from '../support/storage/database.ts';

const db = useOwnDatabase();

it('a scrape ends although its copy for the cache is never stored', async () => {
  const directory = await mkdtemp(`${tmpdir()}/winnow-scrape-`);
  onTestFinished(() => rm(directory, { recursive: true }));
  const renderer = createRenderPool({ threads: 1, maxMemoryMb: 256, maxTaskMs: 60_000 });
  onTestFinished(() => renderer.close());
  const logger = createLogger('worker', 'silent');
  const stores: { teamId: string; isAwaited: boolean }[] = [];
  const cache = {
    find: async () => undefined,
    store: (_key: Buffer, _copy: unknown, options: { teamId: string; isAwaited: boolean }) => {
      stores.push(options);
      // As with a bucket that does not respond.
      return new Promise<never>(() => undefined);
    },
  };
  const { id: teamId } = await makeTeam(db);
  const jobId = uuidv7();
  const url = 'http://a.test/';
  const request = scrapeBody.parse({ url });
  const job = { id: jobId, teamId, apiKeyId: null, kind: 'scrape' as const, target: url, request };
  await insertJob(db, { ...job, ttlMs: 3_600_000 });
  const results = await openJobResults(directory, db);
  const deps = {
    db,
    results,
    uploads: await openBlobs(directory, 'uploads'),
    engines: enginesBy(async () => snapshotOf('<p>The page', { url, fetchedAt: Date.now() }), { cache }),
    secretKey: 'a secret key',
    longConversions: new LongConversions(db, logger),
    renderer,
    tracker: { track: () => Promise.reject(new Error('no page of the test is tracked')) },
    media: { make: async () => ({}) },
    models: undefined,
    indexesPages: false,
    metrics: createScrapeMetrics(new Registry()),
    logger,
  };
  const work = (run: RunningScrape<ScrapeResult>) => scrapeStoredJob(deps, { jobId, leased: undefined, run });
  const run = new RunningScrape(work, { isUntracked: false, forget: () => undefined });
  await run.wait(AbortSignal.timeout(60_000));
  expect(JSON.parse((await results.get(jobId)).toString())).toMatchObject({ markdown: 'The page' });
  expect(stores).toEqual([{ teamId, isAwaited: false }]);
});
