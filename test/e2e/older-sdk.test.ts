import { Firecrawl } from 'firecrawl';
import FirecrawlApp, { CrawlWatcher } from 'firecrawl-v1';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod/v3';
import { articleTruth } from '../site/site.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The official JavaScript SDK 1.29, which knows version 1 of the API only, unchanged and pointed at us. */

const service = useService();
const site = useSite();
let client: FirecrawlApp;

beforeAll(() => {
  client = new FirecrawlApp({ apiKey: service.key, apiUrl: service.url });
});

const article = (number: number) => `${site.url}/article/${number}`;
const LAMP = '<main><h1>Lamp</h1><dl><dt>Price<dd>$12.50</dl></main>';
// biome-ignore lint/suspicious/noExplicitAny: to compare the types of two copies of zod 3 is too much for the compiler
const schema: any = z.object({ title: z.string(), price: z.number() });

/** The SDK converts the schemas of scrapes only. */
const priceSchema = { type: 'object', properties: { price: { type: 'number' } } };

/** The document of a scrape. @throws Error if it failed */
async function scraped(...request: Parameters<FirecrawlApp['scrapeUrl']>) {
  const response = await client.scrapeUrl(...request);
  if (!response.success) throw new Error(response.error);
  return response;
}

describe('the JavaScript SDK 1.29 scrapes', () => {
  it('a page as markdown, links and HTML', async () => {
    const document = await scraped(article(3), { formats: ['markdown', 'links', 'html', 'content'] });
    expect(document.markdown).toContain(articleTruth(3).firstSentence);
    expect(document.html).toContain(articleTruth(3).firstSentence);
    expect(document.links?.length).toBeGreaterThan(0);
    expect(document.metadata).toMatchObject({ statusCode: 200, sourceURL: article(3) });
  });

  it('data under the name by which they were asked for', async () => {
    await using pages = await startPages({ '/': LAMP });
    const data = { title: 'Lamp', price: 12.5 };
    const extracted = await scraped(pages.url, { formats: ['extract'], extract: { schema } });
    expect(extracted.extract).toEqual(data);
    expect(extracted).not.toHaveProperty('json');
    const named = await scraped(pages.url, {
      formats: ['json', 'markdown'],
      jsonOptions: { schema, systemPrompt: 'Prices are in dollars.' },
    });
    expect(named.json).toEqual(data);
    expect(named).not.toHaveProperty('extract');
    const both = await scraped(pages.url, { formats: ['json', 'extract'], extract: { schema } });
    expect([both.json, both.extract]).toEqual([data, data]);
  });

  it('a screenshot of the whole page', async () => {
    await using pages = await startPages({ '/': '<div style="height:3000px">tall</div>' });
    const heightOf = async (format: 'screenshot' | 'screenshot@fullPage') => {
      const { screenshot } = await scraped(pages.url, { formats: [format] });
      const file = await fetch(screenshot ?? '');
      // The height of a PNG is at a fixed place (ISO 15948, 11.2.2).
      return Buffer.from(await file.arrayBuffer()).readUInt32BE(20);
    };
    const [screen, whole] = [await heightOf('screenshot'), await heightOf('screenshot@fullPage')];
    expect(screen).toBeLessThan(3000);
    expect(whole).toBeGreaterThanOrEqual(3000);
  });

  it('every time from the site, unless it asks for a copy', async () => {
    let requests = 0;
    await using pages = await startPages({
      '/': (_request, response) => {
        requests++;
        response.end(`<p>The page was sent ${requests} times.</p>`);
      },
    });
    const texts = [];
    for (const params of [{}, {}, { maxAge: 600_000 }])
      texts.push((await scraped(pages.url, params)).markdown);
    expect(texts).toEqual([1, 2, 2].map((count) => `The page was sent ${count} times.`));
  });

  it('what changed since the last scrape', async () => {
    let text = 'one';
    await using pages = await startPages({
      '/': (_request, response) => {
        response.end(`<p>The text is ${text}.</p>`);
      },
    });
    const options = {
      formats: ['markdown' as const, 'changeTracking' as const],
      changeTrackingOptions: { modes: ['git-diff' as const], tag: null },
    };
    const first = await scraped(pages.url, options);
    text = 'two';
    const second = await scraped(pages.url, options);
    expect(first.changeTracking?.changeStatus).toBe('new');
    expect(second.changeTracking?.changeStatus).toBe('changed');
    expect(second.changeTracking?.diff?.text).toContain('+The text is two.');
  });
});

/** A response of the SDK, which is no failure. @throws Error for one that is */
function successOf<Response extends { success: boolean }>(
  response: Response,
): Exclude<Response, { success: false }> {
  if (!response.success) throw new Error(JSON.stringify(response));
  // `success` tells the members of the union apart.
  return response as Exclude<Response, { success: false }>;
}

const sourcesOf = (documents: { metadata?: { sourceURL?: string } }[]) =>
  documents.map(({ metadata }) => metadata?.sourceURL).sort();

describe('the JavaScript SDK 1.29 crawls', () => {
  /** Pages whose paths have one to three parts. */
  const tree = {
    '/': '<a href="/a">a</a>',
    '/a': '<a href="/a/b">b</a>',
    '/a/b': '<a href="/a/b/c">c</a><a href="/other">other</a>',
    '/a/b/c': '<p>c</p>',
    '/other': '<p>other</p>',
  };

  it('a site, waits for it, and counts maxDepth from the start URL', async () => {
    await using pages = await startPages(tree);
    const crawl = async (path: string, params: Parameters<FirecrawlApp['crawlUrl']>[1]) => {
      const { status, data } = successOf(await client.crawlUrl(`${pages.url}${path}`, params, 1));
      return [status, sourcesOf(data).map((url) => URL.parse(url ?? '')?.pathname)];
    };
    expect(await crawl('/', { maxDepth: 2, ignoreSitemap: true })).toEqual([
      'completed',
      ['/', '/a', '/a/b', '/other'],
    ]);
    expect(await crawl('/a', { maxDepth: 1, limit: 9 })).toEqual(['completed', ['/a', '/a/b']]);
    const whole = await crawl('/a/b', { allowBackwardLinks: true, maxDepth: 0 });
    expect(whole).toEqual(['completed', ['/a/b', '/other']]);
  });

  it('a site, and gets its data under the name by which it asks for them', async () => {
    await using pages = await startPages({ '/': LAMP });
    // The types of the SDK lack the options, which it passes on.
    const scrapeOptions = { formats: ['extract'], extract: { schema: priceSchema } } as object;
    const { data } = successOf(await client.crawlUrl(pages.url, { scrapeOptions, limit: 1 }, 1));
    expect(data[0]).toMatchObject({ extract: { price: 12.5 } });
    expect(data[0]).not.toHaveProperty('json');
  });

  it('a site in parts, each at a URL of version 1', async () => {
    const start = successOf(
      await client.asyncCrawlUrl(`${site.url}/links/0`, { limit: 4, crawlEntireDomain: true }),
    );
    expect(start.url).toBe(`${service.url}/v1/crawl/${start.id}`);
    const ended = await pollUntil(async () => {
      const status = successOf(await client.checkCrawlStatus(start.id, false, undefined, 0, 3));
      return status.status === 'completed' && status;
    });
    expect(ended.next).toMatch(`${service.url}/v1/crawl/${start.id}?skip=3`);
    const rest = successOf(await client.checkCrawlStatus(start.id, false, ended.next));
    expect([ended.data.length, rest.data.length]).toEqual([3, 1]);
    expect(rest).toHaveProperty('next', undefined);
    expect(successOf(await client.checkCrawlStatus(start.id, true)).data).toHaveLength(4);
  });

  it('a site with a page that fails, and reads its errors', async () => {
    const start = successOf(await client.asyncCrawlUrl('http://closed.invalid/', { limit: 1 }));
    await pollUntil(async () => successOf(await client.checkCrawlStatus(start.id)).status === 'completed');
    const failed = await client.checkCrawlErrors(start.id ?? '');
    expect(failed).toMatchObject({
      errors: [{ url: 'http://closed.invalid/', error: expect.stringContaining('closed.invalid') }],
      robotsBlocked: [],
    });
  });

  it('a site, and cancels it', async () => {
    const opened = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        await opened.promise;
        response.end('<p>late</p>');
      },
    });
    const start = successOf(await client.asyncCrawlUrl(pages.url, { limit: 1 }));
    expect(await client.cancelCrawl(start.id ?? '')).toMatchObject({ status: 'cancelled' });
    opened.resolve();
    expect(successOf(await client.checkCrawlStatus(start.id)).status).toBe('cancelled');
  });
});

/** Watches a job until the socket is closed. @returns the events at its end, and the URLs of the documents of all events */
async function watched(watcher: CrawlWatcher) {
  const sources: string[] = [];
  const ends: unknown[] = [];
  // The SDK declares neither its events nor its socket.
  const { ws } = watcher as unknown as { ws: WebSocket };
  const target = watcher as unknown as EventTarget;
  const detailOf = (event: Event) => (event as CustomEvent).detail;
  target.addEventListener('document', (event) => sources.push(detailOf(event).metadata.sourceURL));
  for (const type of ['done', 'error'])
    target.addEventListener(type, (event) => ends.push([type, detailOf(event).status]));
  // The watcher itself turns the reason of the closing into an event before.
  await new Promise((resolve) => ws.addEventListener('close', resolve));
  return { ends, sources: sources.sort() };
}

describe('the JavaScript SDK 1.29 watches', () => {
  it('a crawl, and gets each document and its end once', async () => {
    await using pages = await startPages({ '/': '<a href="/a">a</a>', '/a': '<p>a</p>' });
    expect(await watched(await client.crawlUrlAndWatch(pages.url, { limit: 5 }))).toEqual({
      ends: [['done', 'completed']],
      sources: [`${pages.url}/`, `${pages.url}/a`],
    });
  });

  it('a batch, which it takes for a crawl', async () => {
    const urls = [article(4), article(5)];
    expect(await watched(await client.batchScrapeUrlsAndWatch(urls))).toEqual({
      ends: [['done', 'completed']],
      sources: urls,
    });
  });

  it('a crawl that is cancelled, and gets an error', async () => {
    const opened = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        await opened.promise;
        response.end('<p>late</p>');
      },
    });
    const start = successOf(await client.asyncCrawlUrl(pages.url, { limit: 1 }));
    await client.cancelCrawl(start.id ?? '');
    opened.resolve();
    const watcher = new CrawlWatcher(start.id ?? '', client);
    expect(await watched(watcher)).toEqual({ ends: [['error', 'failed']], sources: [] });
  });
});

describe('the JavaScript SDK 1.29', () => {
  it('scrapes a batch, whose status it reads as that of a crawl', async () => {
    const urls = [article(6), article(7)];
    const { status, data } = successOf(
      await client.batchScrapeUrls(urls, { formats: ['extract', 'markdown'], extract: { schema } }, 1),
    );
    expect([status, sourcesOf(data)]).toEqual(['completed', urls]);
    expect(data[0]).toMatchObject({ extract: { title: expect.any(String) }, markdown: expect.any(String) });
    const start = successOf(await client.asyncBatchScrapeUrls(urls));
    expect(start).toMatchObject({ url: `${service.url}/v1/batch/scrape/${start.id}` });
    await pollUntil(
      async () => successOf(await client.checkBatchScrapeStatus(start.id)).status === 'completed',
    );
    expect(await client.checkBatchScrapeErrors(start.id ?? '')).toMatchObject({ errors: [] });
  });

  it('refuses a batch with an invalid URL unless it is told to leave it out', async () => {
    const urls = [article(6), 'not a url'];
    await expect(client.asyncBatchScrapeUrls(urls)).rejects.toThrow('400');
    const start = await client.asyncBatchScrapeUrls(urls, {}, undefined, undefined, true);
    expect(start).toMatchObject({ success: true, invalidURLs: ['not a url'] });
  });

  it('lists the URLs of a site', async () => {
    await using pages = await startPages({ '/': '<a href="/a">a</a>', '/a': '<p>a</p>' });
    const { links } = successOf(await client.mapUrl(pages.url, { ignoreSitemap: true, limit: 10 }));
    expect(links?.toSorted()).toEqual([`${pages.url}/`, `${pages.url}/a`]);
  });

  it('searches, and gets one list of results', async () => {
    const word = `lighthouse${Date.now()}`;
    await using pages = await startPages({ '/': `<main><h1>Coast</h1><p>The ${word} is white.</p></main>` });
    await scraped(pages.url);
    const { data, warning } = await client.search(word, { limit: 2 });
    expect(data[0]).toMatchObject({ url: `${pages.url}/`, title: expect.any(String) });
    expect(warning).toContain('scraped before');
    const pagesOf = await client.search(word, { limit: 1, scrapeOptions: { formats: ['markdown'] } });
    expect(pagesOf.data[0]?.markdown).toContain(word);
  });

  it('extracts data of pages', async () => {
    await using pages = await startPages({ '/': LAMP });
    const extracted = successOf(await client.extract([pages.url], { schema, showSources: true }));
    expect(extracted.data).toEqual({ title: 'Lamp', price: 12.5 });
    expect(extracted.sources).toMatchObject({ price: [expect.stringContaining(pages.url)] });
    const start = successOf(await client.asyncExtract([pages.url], { schema }));
    expect(await client.getExtractStatus(String(Object(start).id))).toMatchObject({ success: true });
  });

  it('is told what takes the place of deep research and llms.txt', async () => {
    await expect(client.deepResearch('ferries', {})).rejects.toThrow('POST /v2/agent');
    await expect(client.generateLLMsText('http://a.test', {})).rejects.toThrow('POST /v2/map');
    await expect(client.checkDeepResearchStatus('1')).rejects.toThrow('deep research');
  });
});

describe('the member v1 of the newest JavaScript SDK', () => {
  it('scrapes, and reads the credits of the team', async () => {
    const { v1 } = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
    expect(await v1.scrapeUrl(article(3), { formats: ['markdown'] })).toMatchObject({
      success: true,
      markdown: expect.stringContaining(articleTruth(3).firstSentence),
    });
    expect(await v1.getCreditUsage()).toMatchObject({
      success: true,
      data: { remaining_credits: expect.any(Number), billing_period_start: null },
    });
    expect(await v1.getTokenUsage()).toMatchObject({ data: { remaining_tokens: expect.any(Number) } });
    expect(await v1.getCreditUsageHistorical()).toMatchObject({ periods: expect.any(Array) });
    expect(await v1.getTokenUsageHistorical(true)).toMatchObject({ periods: expect.any(Array) });
    expect(await v1.getQueueStatus()).toMatchObject({ maxConcurrency: expect.any(Number) });
  });
});
