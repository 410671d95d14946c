import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { LongConversions } from '../../src/activities/scrape/long-conversions.ts';
import type { ScrapeResult } from '../../src/activities/scrape/scrape-report.ts';
import { scrapeStoredJob } from '../../src/activities/scrape/scrape-stored-job.ts';
import { createRenderPool } from '../../src/content/rendering/render-pool.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Engines } from '../../src/fetch/engines/fetch-page.ts';
import { RunningScrape } from '../../src/jobs/direct-start/running-scrapes.ts';
import { createScrapeMetrics } from '../../src/jobs/scraping/scrape-metrics.ts';
import type { PageTrace } from '../../src/schemas/page-trace.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import { insertJob } from '../../src/storage/db/jobs/jobs.ts';
import { openJobResults } from '../../src/storage/job-results.ts';
import { createLogger } from '../../src/system/logger.ts';
import { snapshotOf } from '../content/html/page.ts';
import { enginesBy } from '../support/fetch/engines.ts';
import { makeTeam, useOwnDatabase } from '../support/storage/database.ts';

const db = useOwnDatabase();

const PAGE_URL = 'http://a.test/';

/** Stores a scrape whose pages some engines get. @returns what runs it, and what is known of it then */
async function prepareScrape(engines: Engines) {
  const directory = await mkdtemp(`${tmpdir()}/winnow-scrape-`);
  onTestFinished(() => rm(directory, { recursive: true }));
  const renderer = createRenderPool({ threads: 1, maxMemoryMb: 256, maxTaskMs: 60_000 });
  onTestFinished(() => renderer.close());
  const logger = createLogger('worker', 'silent');
  const { id: teamId } = await makeTeam(db);
  const jobId = uuidv7();
  const request = scrapeBody.parse({ url: PAGE_URL });
  const job = { id: jobId, teamId, apiKeyId: null, kind: 'scrape' as const, target: PAGE_URL, request };
  await insertJob(db, { ...job, ttlMs: 3_600_000 });
  const results = await openJobResults(directory, db);
  const observed: { outcome: string; statusCode: PageTrace['statusCode'] }[] = [];
  const deps = {
    db,
    results,
    uploads: await openBlobs(directory, 'uploads'),
    engines,
    secretKey: 'a secret key',
    longConversions: new LongConversions(db, logger),
    renderer,
    tracker: { track: () => Promise.reject(new Error('no page of the test is tracked')) },
    media: { make: async () => ({}) },
    models: undefined,
    indexesPages: false,
    metrics: createScrapeMetrics(new Registry(), (_team, { statusCode }, outcome) =>
      observed.push({ outcome, statusCode }),
    ),
    logger,
  };
  const work = (run: RunningScrape<ScrapeResult>) => scrapeStoredJob(deps, { jobId, leased: undefined, run });
  const run = new RunningScrape(work, { isUntracked: false, forget: () => undefined });
  return {
    teamId,
    observed,
    run,
    end: () => run.wait(AbortSignal.timeout(60_000)),
    readDocument: async () => JSON.parse((await results.get(jobId)).toString()),
    readJob: () =>
      db.query.selectFrom('jobs').select('status_code').where('id', '=', jobId).executeTakeFirstOrThrow(),
  };
}

it('a scrape ends although its copy for the cache is never stored', async () => {
  const stores: { teamId: string; isAwaited: boolean }[] = [];
  const cache = {
    find: async () => undefined,
    store: (_key: Buffer, _copy: unknown, options: { teamId: string; isAwaited: boolean }) => {
      stores.push(options);
      // As with a bucket that does not respond.
      return new Promise<never>(() => undefined);
    },
  };
  const scrape = await prepareScrape(
    enginesBy(async () => snapshotOf('<p>The page', { url: PAGE_URL, fetchedAt: Date.now() }), { cache }),
  );
  await scrape.end();
  expect(await scrape.readDocument()).toMatchObject({ markdown: 'The page' });
  expect(stores).toEqual([{ teamId: scrape.teamId, isAwaited: false }]);
});

it('a job and the counts of pages have the status of the page that is returned', async () => {
  const text = '<div id="root"></div><script src="/app.js"></script>';
  const snapshot = snapshotOf(text, { url: PAGE_URL, fetchedAt: Date.now() });
  // The site refuses the browser, so that the page without its scripts is returned.
  const browser = { fetchPage: async () => ({ ...snapshot, statusCode: 403 }) };
  const scrape = await prepareScrape(enginesBy(async () => snapshot, { browser }));
  await scrape.end();
  expect(await scrape.readDocument()).toMatchObject({ metadata: { statusCode: 200 } });
  expect(await scrape.readJob()).toEqual({ status_code: 200 });
  expect(scrape.observed).toEqual([{ outcome: 'completed', statusCode: 200 }]);
});

it.each([
  ['an error that the next attempt may not meet', 'WORKER_LOST', false, 'retry'],
  ['such an error of the last attempt', 'WORKER_LOST', true, 'failed'],
  ['an error of the page', 'SCRAPE_SITE_ERROR', false, 'failed'],
] as const)('%s counts as it is', async (_name, code, isLast, outcome) => {
  const scrape = await prepareScrape(
    enginesBy(async () => {
      throw new ServiceError(code, 'It went wrong.');
    }),
  );
  scrape.run.isLast = isLast;
  await expect(scrape.end()).rejects.toThrow('It went wrong.');
  expect(scrape.observed).toEqual([{ outcome, statusCode: undefined }]);
});
