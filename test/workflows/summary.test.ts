import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rangesOf } from '../../src/jobs/page-jobs/chunk-log.ts';
import { call, scrape } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';
import {
  type History,
  payloadsOf,
  replay,
  silenceReplays,
  unlessMissing,
} from '../support/workflows/histories.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** The summary of an ended job in the Temporal UI. */

silenceReplays();

let pages: Pages;
const temporal = useTemporal();
let held = Promise.withResolvers<void>();

const text = '<p>A page with a sentence that says something about a matter of some weight.</p>';
const page = (...links: string[]) =>
  `<main>${text}${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</main>`;

beforeAll(async () => {
  pages = await startPages({
    '/robots.txt': 'User-agent: *\nDisallow: /private\nCrawl-delay: 0.01\n',
    '/sitemap.xml': (request, response) =>
      void response.end(
        `<urlset><url><loc>http://${request.headers.host}/named</loc></url><url><loc>http://${request.headers.host}/private/2</loc></url></urlset>`,
      ),
    '/': page('/one', '/two', '/moved', '/reset', '/private/1'),
    '/one': page(),
    '/two': page(),
    '/named': page(),
    '/moved': (_request, response) => void response.writeHead(302, { Location: '/two' }).end(),
    '/reset': (request) => void request.socket.destroy(),
    '/held': async (_request, response) => {
      await held.promise;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(page());
    },
    '/forbidden': (_request, response) =>
      void response.writeHead(403, { 'Content-Type': 'text/html' }).end(page()),
  });
});
afterAll(async () => {
  held.resolve();
  await pages[Symbol.asyncDispose]();
});

const detailsOf = async (workflowId: string) =>
  (await temporal.workflow(workflowId).query<{ currentDetails?: string }>('__temporal_workflow_metadata'))
    .currentDetails ?? '';

/** The result of a workflow. That of a quick scrape starts after the response. */
const resultOf = (workflowId: string) =>
  pollUntil(() => temporal.workflow(workflowId).result().catch(unlessMissing));

/** The activities of a history, each with its summary and result. */
function activitiesOf(history: History) {
  const events = history.events ?? [];
  const read = (data: Uint8Array | null | undefined) =>
    data?.length ? JSON.parse(Buffer.from(data).toString()) : undefined;
  return events.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled, userMetadata }) => {
    if (!scheduled) return [];
    const end = events.find(
      (event) => String(event.activityTaskCompletedEventAttributes?.scheduledEventId) === String(eventId),
    );
    return [
      {
        name: scheduled.activityType?.name,
        summary: read(userMetadata?.summary?.data),
        result: read(end?.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.data),
      },
    ];
  });
}

describe('the history of a crawl with failures', () => {
  let id: string;
  let history: History;
  let result: unknown;
  beforeAll(async () => {
    id = await startJob('/v2/crawl', { url: pages.url, scrapeOptions: { maxAge: 0 } });
    await finished('/v2/crawl', id);
    const handle = temporal.workflow(`crawl/${id}`);
    result = await handle.result();
    history = await handle.fetchHistory();
  });

  it('ends with pages, failures by code, credits, the slowest host and skipped URLs', () => {
    expect(result).toEqual({
      status: 'completed',
      pages: 5,
      completed: 4,
      failures: { SCRAPE_SITE_ERROR: 1 },
      failedPages: [{ url: `${pages.url}/reset`, code: 'SCRAPE_SITE_ERROR' }],
      credits: 4,
      slowestHost: {
        host: new URL(pages.url).host,
        requests: expect.any(Number),
        averageMs: expect.any(Number),
      },
      skipped: { 'robots.txt': 2, 'same page as another': 1 },
    });
  });

  it('says the same in its details', async () => {
    const details = await detailsOf(`crawl/${id}`);
    expect(details).toContain('**5 of 5 pages**, completed');
    expect(details).toContain('- failed: 1 (SCRAPE_SITE_ERROR 1)');
    expect(details).toContain('- credits: 4');
    expect(details).toContain(`- slowest host: ${new URL(pages.url).host}, `);
    expect(details).toContain('- skipped: robots.txt 2, same page as another 1');
    expect(details).toContain(`- \`${pages.url}/reset\`: SCRAPE_SITE_ERROR`);
  });

  it('names every step and its result', () => {
    const steps = activitiesOf(history);
    expect(steps.find(({ name }) => name === 'prepareCrawl')).toMatchObject({
      summary: 'robots.txt',
      result: { sitemaps: true, robotsTxt: 'asked', crawlDelayMs: 10 },
    });
    expect(steps.find(({ name }) => name === 'readSitemaps')).toMatchObject({
      summary: 'Sitemaps',
      result: { pages: expect.any(Number), blocked: 1, files: { read: 1, failed: {}, truncated: false } },
    });
    const chunks = steps.filter(({ name }) => name === 'scrapePages');
    expect(chunks[0]?.summary).toBe('Page worker 1');
    for (const { summary } of chunks.slice(1))
      expect(summary).toMatch(/^Page worker \d+, after \d+ of \d+ pages, \d failed$/);
    const reports = chunks.flatMap(({ result: report }) => (report?.chunk ? [report.chunk] : []));
    const ended = reports.flatMap(({ pages: ordinals }: { pages: string }) =>
      ordinals.split(', ').filter(Boolean),
    );
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.join()).toMatch(/^[\d,-]+$/);
    expect(reports.filter(({ failed }) => failed)).toEqual([
      expect.objectContaining({
        failed: { SCRAPE_SITE_ERROR: 1 },
        failedPages: [{ url: `${pages.url}/reset`, code: 'SCRAPE_SITE_ERROR' }],
      }),
    ]);
  });

  it('shows what was asked for, names no page but those that failed, and replays', async () => {
    const told = payloadsOf(history).filter((payload) => !payload.includes(`Crawl of ${pages.url}`));
    expect(told.map((payload) => payload.startsWith('{') && JSON.parse(payload))).toContainEqual({
      jobId: id,
      webhook: false,
      asked: { url: `${pages.url}/`, limit: expect.any(Number) },
    });
    const others = told.filter((payload) => !/"asked"|\/reset/.test(payload));
    expect(others.filter((payload) => /http|\/one|\/two|\/private/.test(payload))).toEqual([]);
    await replay(history, `crawl/${id}`);
  });
});

describe('the result of a batch whose pages the cache answers', () => {
  it('names no slow host', async () => {
    const url = `${pages.url}/one?slow`;
    await scrape({ url });
    const id = await startJob('/v2/batch/scrape', { urls: [url], minAge: 0 });
    await finished('/v2/batch/scrape', id);
    const result = await temporal.workflow(`batch/${id}`).result();
    expect(result).toMatchObject({ status: 'completed', completed: 1 });
    expect(result).not.toHaveProperty('slowestHost');
  });
});

describe('the details of a batch that was cancelled', () => {
  it('say how many pages it scraped', async () => {
    held = Promise.withResolvers();
    const urls = [`${pages.url}/one`, `${pages.url}/held`];
    const id = await startJob('/v2/batch/scrape', { urls, maxAge: 0 });
    await untilStatus(`/v2/batch/scrape/${id}`, ({ completed }) => completed === 1);
    await call(`/v2/batch/scrape/${id}`, { method: 'DELETE' });
    const handle = temporal.workflow(`batch/${id}`);
    await expect(handle.result()).rejects.toThrow();
    held.resolve();
    const details = await detailsOf(`batch/${id}`);
    expect(details).toContain('**1 of 1 pages**, cancelled');
    expect(details).toContain('- skipped: not attempted 1');
    await replay(await handle.fetchHistory(), `batch/${id}`);
  });
});

describe('the history of a scrape', () => {
  it('says which engine returned the page, which ones did not and why, and how long each stage took', async () => {
    const { body } = await scrape({ url: `${pages.url}/forbidden`, maxAge: 0 });
    const workflowId = `scrape/${body.data.metadata.scrapeId}`;
    expect(await resultOf(workflowId)).toMatchObject({
      engine: 'browser',
      statusCode: 403,
      fallbacks: [{ from: 'http', to: 'browser', reason: 'HTTP 403', afterMs: expect.any(Number) }],
      ms: {
        queue: expect.any(Number),
        fetch: expect.any(Number),
        convert: expect.any(Number),
        store: expect.any(Number),
      },
    });
    const details = await detailsOf(workflowId);
    expect(details).toContain('**HTTP 403 from browser**');
    expect(details).toMatch(/- http → browser after \d+ ms: HTTP 403/);
    expect(details).toMatch(/- milliseconds: queue \d+, fetch \d+, convert \d+, store \d+/);
    await replay(await temporal.workflow(workflowId).fetchHistory(), workflowId);
  });

  it('says that the page came from the cache', async () => {
    const url = `${pages.url}/one?cached`;
    await scrape({ url });
    const { body } = await scrape({ url });
    expect(body.data.metadata.cacheState).toBe('hit');
    const result = await resultOf(`scrape/${body.data.metadata.scrapeId}`);
    expect(result).toMatchObject({ engine: 'cache', fallbacks: [] });
  });
});

describe('jobs with zero data retention', () => {
  it('stay without search attributes and input when pages are added or tried again', async () => {
    const BATCH = '/v2/batch/scrape';
    const attributesOf = async (id: string) => {
      const description = await temporal.workflow(`batch/${id}`).describe();
      return description.typedSearchAttributes.getAll().map(({ key }) => key.name);
    };
    const body = { urls: [`${pages.url}/reset`], maxAge: 0, zeroDataRetention: true };
    const id = await startJob(BATCH, body);
    await finished(BATCH, id);
    await temporal.workflow(`batch/${id}`).result();
    // The batch decides, not the request that adds to it.
    await call(BATCH, { body: { urls: [`${pages.url}/two`], appendToId: id } });
    await finished(BATCH, id);
    const added = temporal.workflow(`batch/${id}`);
    await added.result();
    expect(await attributesOf(id)).not.toContain('Host');
    expect(await attributesOf(id)).not.toContain('TeamId');
    expect(payloadsOf(await added.fetchHistory()).join('\n')).not.toContain('"asked"');
    expect((await call(`${BATCH}/${id}/retry`, { method: 'POST' })).body.retried).toBe(1);
    await finished(BATCH, id);
    await temporal.workflow(`batch/${id}`).result();
    expect(await attributesOf(id)).not.toContain('TeamId');
  });

  it('leave nothing about their pages in results, details and summaries', async () => {
    const id = await startJob('/v2/crawl', { url: pages.url, zeroDataRetention: true });
    await finished('/v2/crawl', id);
    const handle = temporal.workflow(`crawl/${id}`);
    expect((await handle.result()) ?? null).toBeNull();
    const told = payloadsOf(await handle.fetchHistory()).join('\n');
    expect(told).not.toContain('127.0.0.1');
    expect(told).not.toMatch(/"asked"|"chunk"|"failed":\{|"blocked"|"robotsTxt"|SCRAPE_SITE_ERROR|, after/);
    expect(await detailsOf(`crawl/${id}`)).not.toContain('slowest');

    const { body } = await scrape({ url: `${pages.url}/one`, zeroDataRetention: true });
    const result = await resultOf(`scrape/${body.data.metadata.scrapeId}`);
    expect(result).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('ranges of ordinals', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[2, 0, 1], '0-2'],
    [[7, 1, 0, 3, 4, 4], '0-1, 3-4, 7'],
  ])('%j is %j', (numbers, ranges) => {
    expect(rangesOf(numbers)).toBe(ranges);
  });
});
