import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeFingerprint } from '../../../src/content/changes/fingerprint.ts';
import { createRenderPool } from '../../../src/content/rendering/render-pool.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { ServiceError } from '../../../src/errors.ts';
import { PageTracer } from '../../../src/fetch/engines/page-tracer.ts';
import {
  type ChangeTracker,
  createChangeTracker,
  type TrackedPage,
} from '../../../src/jobs/change-history/change-tracker.ts';
import { buildDocument } from '../../../src/jobs/scraping/build-document.ts';
import { createScrapeMetrics } from '../../../src/jobs/scraping/scrape-metrics.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { insertJob } from '../../../src/storage/db/jobs/jobs.ts';
import { completeJob, failJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

/**
 * The chain of a page's versions: attempts, scrapes side by side, jobs that come to nothing, and what is
 * kept.
 */

const DAY_MS = 86_400_000;
const URL = 'http://a.test/page';

const db = useDatabase();
let directory: string;
let files: Blobs;
const renderer = createRenderPool({ threads: 1, maxMemoryMb: 256, maxTaskMs: 60_000 });
/** The calls of the blob store. */
let asked: string[];
/** Holds back what is to be put. */
let gate: Promise<void>;
let tracker: ChangeTracker;
let teamId: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'versions-'));
  files = await openBlobs(directory, 'versions');
  const versionBlobs: Blobs = {
    ...files,
    async put(bytes) {
      asked.push('put');
      await gate;
      return files.put(bytes);
    },
    get(key) {
      asked.push('get');
      return files.get(key);
    },
  };
  tracker = createChangeTracker({ db, versionBlobs, renderer, trackingTtlMs: 10 * DAY_MS });
});
afterAll(async () => {
  await Promise.all([renderer.close()]);
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  ({ id: teamId } = await makeTeam(db));
  asked = [];
  gate = Promise.resolve();
});

/** A scrape that runs. */
async function startScrape(): Promise<string> {
  const id = uuidv7();
  const job = {
    id,
    teamId,
    apiKeyId: null,
    kind: 'scrape',
    target: URL,
    request: {},
    ttlMs: 60_000,
  } as const;
  await insertJob(db, job);
  return id;
}
const complete = (jobId: string) => completeJob(db, { jobId, credits: 0, blob: 'b' });

async function track(id: string, markdown: string, change: Partial<TrackedPage> = {}, json?: unknown) {
  const page: TrackedPage = {
    teamId,
    jobId: id,
    scrapeId: id,
    url: URL,
    tag: null,
    crawlStart: undefined,
    hidden: false,
    scrapedAt: Date.now(),
    modes: [],
    current: { markdown, fingerprint: computeFingerprint(markdown), ...(json !== undefined && { json }) },
    ...change,
  };
  return tracker.track(page, { signal: new AbortController().signal, urgent: false });
}
const statusOf = async (...of: Parameters<typeof track>) => (await track(...of)).changeTracking.changeStatus;

/** A scrape from its start to its end. */
async function scrape(
  ...[markdown, change, json]: Parameters<typeof track> extends [string, ...infer Rest] ? Rest : never
) {
  const id = await startScrape();
  const found = await track(id, markdown, change, json);
  await complete(id);
  return found;
}

const versions = () =>
  db.query.selectFrom('page_versions').selectAll().where('team_id', '=', teamId).orderBy('number').execute();

describe('a repeated attempt', () => {
  it('is not compared with the attempt before it', async () => {
    const id = await startScrape();
    expect(await statusOf(id, 'a')).toBe('new');
    expect(await statusOf(id, 'a')).toBe('new');
    expect(await versions()).toHaveLength(1);
    await complete(id);
    expect((await scrape('a')).changeTracking.changeStatus).toBe('same');
  });

  it('stores its own version', async () => {
    await scrape('a');
    const id = await startScrape();
    expect(await statusOf(id, 'b')).toBe('changed');
    expect(await statusOf(id, 'c')).toBe('changed');
    await complete(id);
    expect((await scrape('c')).changeTracking.changeStatus).toBe('same');
  });

  it('stores nothing when another scrape has stored the page meanwhile', async () => {
    const id = await startScrape();
    await track(id, 'a');
    await complete(id);
    expect(await statusOf(id, 'b')).toBe('new');
    expect((await scrape('a')).changeTracking.changeStatus).toBe('same');
  });

  it('has the comparison of the first attempt, whatever was stored between', async () => {
    await scrape('a');
    const id = await startScrape();
    expect(await statusOf(id, 'b')).toBe('changed');
    expect((await scrape('b')).changeTracking.changeStatus).toBe('same');
    expect(await statusOf(id, 'a')).toBe('same');
  });
});

describe('a scrape that fails', () => {
  it('leaves no history', async () => {
    await scrape('a');
    const id = await startScrape();
    expect(await statusOf(id, 'b')).toBe('changed');
    await failJob(db, { jobId: id, credits: 0, error: { code: 'SCRAPE_TIMEOUT', message: 'late' } });
    expect((await scrape('b')).changeTracking.changeStatus).toBe('changed');
    expect((await scrape('b')).changeTracking.changeStatus).toBe('same');
  });
});

describe('scrapes side by side', () => {
  it('are compared in the order in which they end', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const [slow, fast] = [await startScrape(), await startScrape()];
    gate = promise;
    const first = track(slow, 'a');
    while (!asked.includes('put')) await new Promise(setImmediate);
    gate = Promise.resolve();
    const scrapedAt = Date.now() - 5_000;
    expect(await statusOf(fast, 'b', { scrapedAt })).toBe('new');
    resolve();
    expect((await first).changeTracking).toMatchObject({
      changeStatus: 'changed',
      previousScrapeAt: new Date(scrapedAt).toISOString(),
    });
    expect((await versions()).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('are compared with the newest version, even where the one that took their number is deleted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = await startScrape();
    gate = promise;
    const last = track(slow, 'd');
    while (!asked.includes('put')) await new Promise(setImmediate);
    gate = Promise.resolve();
    for (const text of ['a', 'b', 'c', 'd']) await scrape(text);
    expect((await versions()).map(({ number }) => number)).toEqual([3, 4]);
    resolve();
    expect((await last).changeTracking.changeStatus).toBe('same');
    expect((await versions()).at(-1)).toMatchObject({ number: 5, scrape_id: slow });
  });
});

describe('a stored version', () => {
  it('is the last one that was returned, or one that may still be', async () => {
    for (const text of ['a', 'b', 'c', 'd']) await scrape(text);
    expect((await versions()).map(({ number }) => number)).toEqual([3, 4]);
  });

  it('is neither read nor written for an unchanged page until half its lifetime has passed', async () => {
    await scrape('seen 3 minutes ago');
    asked = [];
    expect((await scrape('seen 4 minutes ago')).changeTracking.changeStatus).toBe('same');
    expect(asked).toEqual([]);
    await sql`update page_versions set stored_at = now() - interval '6 days' where team_id = ${teamId}`.execute(
      db.query,
    );
    expect((await scrape('seen 5 minutes ago')).changeTracking.changeStatus).toBe('same');
    expect(asked).toEqual(['put']);
    const [, last] = await versions();
    expect((await files.get(last!.blob!)).toString()).toContain('seen 5 minutes');
  });

  it('is read again when only the fingerprint differs, as after a change of its algorithm', async () => {
    await scrape('a');
    await sql`update page_versions set fingerprint = 'old' where team_id = ${teamId}`.execute(db.query);
    expect((await scrape('a')).changeTracking.changeStatus).toBe('same');
  });

  it('is reported as missing when its text is gone', async () => {
    await scrape('a');
    await sql`update page_versions set blob = ${'0'.repeat(64)} where team_id = ${teamId}`.execute(db.query);
    const { changeTracking, warnings } = await scrape('b', { modes: ['git-diff'] });
    expect(changeTracking).toMatchObject({ changeStatus: 'changed' });
    expect(changeTracking).not.toHaveProperty('diff');
    expect(warnings).toEqual([expect.stringContaining('no longer stored')]);
  });

  it('is found by every spelling of the URL', async () => {
    await scrape('a', { url: 'http://a.test/p?b=2&a=1#top' });
    const found = await scrape('a', { url: 'http://a.test/p/?a=1&b=2' });
    expect(found.changeTracking.changeStatus).toBe('same');
    expect((await scrape('a', { url: 'http://a.test/p?a=1' })).changeTracking.changeStatus).toBe('new');
  });

  it('includes the structured data of its page', async () => {
    const modes = ['json' as const];
    await scrape('a', { modes }, { price: '$1', name: 'x' });
    await scrape('a', { modes }, { price: '$2', name: 'x' });
    const { changeTracking, warnings } = await scrape('b', { modes }, { price: '$3', name: 'x' });
    expect(changeTracking.json).toEqual({ price: { previous: '$2', current: '$3' } });
    expect(warnings).toEqual([]);
  });
});

describe('a document', () => {
  /** The document of a page that is tracked by this. */
  async function documentOf(html: string, change: Partial<Snapshot>, by: ChangeTracker) {
    const id = await startScrape();
    const { json } = await buildDocument(
      {
        renderer,
        tracker: by,
        media: { make: async () => ({}) },
        models: undefined,
        indexesPages: false,
        metrics: createScrapeMetrics(new Registry()),
      },
      {
        scrapeId: id,
        request: scrapeBody.parse({ url: URL, formats: ['markdown', 'changeTracking'] }),
        fetched: {
          snapshot: snapshotOf(html, change),
          cacheState: undefined,
          storeCopy: () => Promise.resolve(),
        },
        queuedMs: undefined,
        tracer: new PageTracer(),
        teamId,
        jobId: id,
        history: { crawlStart: undefined, hidden: false },
        urgent: true,
        deadline: { signal: new AbortController().signal, remainingMs: () => 60_000 },
        onFault: () => undefined,
      },
    );
    return JSON.parse(json.toString());
  }
  const failing = (error: Error): ChangeTracker => ({ track: () => Promise.reject(error) });

  it.each([404, 410])('with status %i reports that the page is removed', async (statusCode) => {
    const { changeTracking } = await documentOf('<p>Not here', { statusCode }, tracker);
    expect(changeTracking).toMatchObject({ changeStatus: 'removed', previousScrapeAt: null });
    expect(await versions()).toMatchObject([{ fingerprint: null, blob: null }]);
  });

  it.each<[string, Partial<Snapshot>, string]>([
    ['a refusal', { statusCode: 403 }, 'HTTP 403'],
    ['a fault', { statusCode: 503 }, 'HTTP 503'],
    ['a challenge', { statusCode: 200, challenge: { maker: 'captcha', isCertain: false } }, 'a challenge'],
  ])('of %s tells nothing of the page, and leaves its history', async (_name, change, response) => {
    const { changeTracking, warning } = await documentOf('<p>Not the page', change, tracker);
    expect(changeTracking).toBeUndefined();
    expect(warning).toContain(`the target responded with ${response} instead of the page`);
    expect(await versions()).toEqual([]);
  });

  it('is returned without the comparison when that fails', async () => {
    const error = new ServiceError('SCRAPE_CONTENT_TOO_LARGE', 'Too large to compare.');
    const document = await documentOf('<p>x', {}, failing(error));
    expect(document.markdown).toBe('x');
    expect(document).not.toHaveProperty('changeTracking');
    expect(document.warning).toBe(
      'changeTracking was left out, because the comparison failed: Too large to compare.',
    );
  });

  it('is scraped again when only the database was unavailable', async () => {
    const error = new ServiceError('SERVICE_UNAVAILABLE', 'The database does not answer.');
    await expect(documentOf('<p>x', {}, failing(error))).rejects.toBe(error);
  });
});
