import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Firecrawl, SdkError } from 'firecrawl';
import { beforeAll, describe, expect, it } from 'vitest';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

/** The official JavaScript SDK, unchanged, with batches and crawls; and how often it asks. */

const service = useService();

const PAGES = IS_FULL_RUN ? 3_000 : 250;

const site = useSite({ pages: PAGES });
let client: Firecrawl;
beforeAll(async () => {
  const { url, key } = service;
  client = new Firecrawl({ apiKey: key, apiUrl: url });
});

const start = () => `${site.url}/links/0`;
const scrapeOptions = { formats: ['markdown' as const], maxAge: 0 };
const articles = (count: number) => Array.from({ length: count }, (_, n) => `${site.url}/article/${n}`);

/** Counts what a client asks the service for. */
async function startCounter() {
  const requests: { at: number; line: string }[] = [];
  const target = new URL(service.url);
  const server = createServer((incoming, outgoing) => {
    requests.push({ at: Date.now(), line: `${incoming.method} ${incoming.url}` });
    const { method, url, headers } = incoming;
    const onward = request(
      { host: target.hostname, port: target.port, method, path: url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    close: () => server.close(() => undefined).closeAllConnections(),
  };
}

describe('the official SDK', () => {
  it(`crawls ${PAGES} pages, gets each once, and polls no more often than its interval`, async () => {
    const counter = await startCounter();
    const counted = new Firecrawl({ apiKey: service.key, apiUrl: counter.url });
    const before = Date.now();
    const job = await counted.crawl(start(), {
      limit: PAGES,
      crawlEntireDomain: true,
      scrapeOptions,
      pollInterval: 1,
    });
    counter.close();
    expect(job).toMatchObject({ status: 'completed', total: PAGES, completed: PAGES, creditsUsed: PAGES });
    expect(new Set(job.data.map(({ metadata }) => metadata?.sourceURL)).size).toBe(PAGES);
    // The last look reads the result page by page; before it, one request a second.
    const seconds = (Date.now() - before) / 1_000;
    const looks = counter.requests.filter(({ line }) => line.startsWith('GET'));
    expect(looks.length).toBeLessThanOrEqual(seconds + 10);
    // Thousands of pages in a full run.
  }, 900_000);

  it('scrapes a batch, page by page or all at once', async () => {
    const job = await client.batchScrape(articles(25), { options: scrapeOptions, pollInterval: 1 });
    expect(job).toMatchObject({ status: 'completed', total: 25, completed: 25 });
    expect(job.data).toHaveLength(25);
    const page = await client.getBatchScrapeStatus(job.id ?? '', { autoPaginate: false });
    expect(page.next).toBeFalsy();
    // It is never answered, so the batch cannot end before it is cancelled.
    await using silent = await startPages({ '/': () => undefined });
    const started = await client.startBatchScrape([...articles(2), `${silent.url}/`], {
      options: scrapeOptions,
      idempotencyKey: crypto.randomUUID(),
    });
    expect(started).toMatchObject({
      id: expect.any(String),
      url: expect.stringContaining('/v2/batch/scrape/'),
      invalidURLs: [],
    });
    expect((await client.getBatchScrapeErrors(started.id)).errors).toEqual([]);
    expect(await client.cancelBatchScrape(started.id)).toBe(true);
  });

  it('watches a crawl to its end', async () => {
    const { id } = await client.startCrawl(start(), { limit: 60, crawlEntireDomain: true, scrapeOptions });
    const watcher = client.watcher(id, { kind: 'crawl', pollInterval: 1, timeout: 170 });
    const seen: unknown[] = [];
    watcher.on('document', (document) => seen.push(document));
    const done = new Promise<{ status: string; data: unknown[] }>((resolve, reject) => {
      watcher.on('done', resolve);
      watcher.on('error', reject);
    });
    await watcher.start();
    const result = await done;
    expect(result.status).toBe('completed');
    expect(result.data).toHaveLength(60);
    expect(seen.length).toBeGreaterThanOrEqual(60);
  });

  it('watches a batch', async () => {
    const { id } = await client.startBatchScrape(articles(5), { options: scrapeOptions });
    const watcher = client.watcher(id, { kind: 'batch', pollInterval: 1, timeout: 170 });
    const done = new Promise<{ status: string; data: unknown[] }>((resolve) => watcher.on('done', resolve));
    await watcher.start();
    expect((await done).data).toHaveLength(5);
  });

  it('cancels a crawl and reads its documents', async () => {
    const { id } = await client.startCrawl(start(), {
      limit: 2_000,
      delay: 0.2,
      crawlEntireDomain: true,
      scrapeOptions,
    });
    expect((await client.getActiveCrawls()).crawls.map((each) => each.id)).toContain(id);
    expect(await client.cancelCrawl(id)).toBe(true);
    const status = await client.getCrawlStatus(id);
    expect(status).toMatchObject({ status: 'cancelled', total: status.completed });
    const errors = await client.getCrawlErrors(id);
    expect(errors.robotsBlocked.every((url) => url.includes('/private/'))).toBe(true);
  });

  it('configures a crawl by a prompt', async () => {
    const params = await client.crawlParamsPreview('https://example.com', 'only the blog, at most 20 pages');
    expect(params).toMatchObject({ limit: 20, includePaths: [expect.any(String)] });
  });

  it('throws the reason when a crawl is refused', async () => {
    const refused = await client.startCrawl(start(), { includePaths: ['('] }).catch((error) => error);
    expect(refused).toBeInstanceOf(SdkError);
    expect(refused).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    const missing = await client.getCrawlStatus(crypto.randomUUID()).catch((error) => error);
    expect(missing).toMatchObject({ status: 404 });
  });
});
