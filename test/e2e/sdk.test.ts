import { Firecrawl, SdkError } from 'firecrawl';
import { beforeAll, describe, expect, it } from 'vitest';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { appTruth, articleTruth } from '../site/site.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

/** The official JavaScript SDK, unchanged, pointed at us. */

const service = useService();

const site = useSite();
let client: Firecrawl;
const truth = articleTruth(3);

beforeAll(async () => {
  const { url, key } = service;
  client = new Firecrawl({ apiKey: key, apiUrl: url });
});

const article = () => `${site.url}/article/3`;

describe('the official SDK searches', () => {
  it('and gets results with their pages, or without them', async () => {
    // Other files scrape the articles of the site at other ports.
    const word = `harbour${Date.now()}`;
    await using pages = await startPages({
      '/': `<main><h1>Ferries</h1><p>The ferry to ${word} departs at noon.</p></main>`,
    });
    const url = `${pages.url}/`;
    await client.scrape(url);
    const query = `ferry to ${word}`;
    const { web = [], warning } = await client.search(query, { limit: 3, timeout: 150_000 });
    expect(web[0]).toMatchObject({ url, position: 1, description: expect.any(String) });
    expect(warning).toContain('pages that your team has scraped before');
    const scraped = await client.search(query, {
      limit: 1,
      sources: ['web', 'news'] as const,
      excludeDomains: ['example.com'],
      scrapeOptions: { formats: ['markdown', 'summary'] },
    });
    expect(scraped.news).toEqual([]);
    const [document] = scraped.web ?? [];
    if (!document || !('markdown' in document)) throw new Error('the result was not scraped');
    expect(document.markdown).toContain(word);
  });

  it('and sends feedback', async () => {
    const { metadata } = await client.scrape(article());
    const jobId = String(metadata?.scrapeId);
    const request = { endpoint: 'scrape', jobId, rating: 'partial', note: 'The table is missing.' } as const;
    expect(await client.feedback(request)).toMatchObject({ success: true, creditsRefunded: 0 });
    const id = '0197a000-0000-7000-8000-000000000000';
    await expect(client.searchFeedback(id, { rating: 'bad', querySuggestions: 'x' })).rejects.toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  });
});

describe('the official SDK scrapes', () => {
  it('every text format at once', async () => {
    const document = await client.scrape(article(), {
      formats: [
        'markdown',
        'html',
        'rawHtml',
        'links',
        'images',
        { type: 'attributes', selectors: [{ selector: 'meta[property="og:title"]', attribute: 'content' }] },
      ],
    });
    expect(document.markdown).toContain(truth.firstSentence);
    expect(document.html).toContain(truth.firstSentence);
    expect(document.rawHtml).toMatch(/^<!doctype html>/i);
    expect(document.links?.length).toBeGreaterThan(0);
    expect(document.links?.every((link) => /^(https?|mailto):/.test(link))).toBe(true);
    expect(document.images?.some((image) => image.startsWith('http'))).toBe(true);
    expect(document.attributes?.[0]?.values).toEqual([truth.title]);
    expect(document.metadata?.title).toContain(truth.title);
    expect(document.metadata).toMatchObject({ statusCode: 200, sourceURL: article(), proxyUsed: 'basic' });
  });

  it('a screenshot, readable without a key', async () => {
    const { screenshot } = await client.scrape(article(), {
      formats: [{ type: 'screenshot', fullPage: true, quality: 40 }],
    });
    const file = await fetch(screenshot ?? '');
    expect(file.headers.get('content-type')).toBe('image/jpeg');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  it('the formats that usually need a language model', async () => {
    await using page = await startPages({
      '/': '<main><h1>Lamp</h1><p>The lamp was designed by Anna Berger, and it is made of glass.</p><dl><dt>Price<dd>$12.50</dl></main>',
    });
    const { json, answer, highlights, summary, warning } = await client.scrape(page.url, {
      formats: [
        'summary',
        {
          type: 'json',
          schema: { type: 'object', properties: { title: { type: 'string' }, price: { type: 'number' } } },
        },
        { type: 'question', question: 'Who designed the lamp?' },
        { type: 'highlights', query: 'glass' },
      ],
    });
    expect(json).toEqual({ title: 'Lamp', price: 12.5 });
    const sentence = 'The lamp was designed by Anna Berger, and it is made of glass.';
    expect([answer, highlights, summary]).toEqual([sentence, sentence, sentence]);
    expect(warning).toContain('No language model is configured');
  });

  it('what changed since the last scrape', async () => {
    let text = 'one';
    await using page = await startPages({
      '/': (_request, response) => {
        response
          .writeHead(200, { 'Content-Type': 'text/html' })
          .end(`<main><h1>Page</h1><p>${text}</p></main>`);
      },
    });
    const track = async () => {
      const formats = [
        'markdown' as const,
        { type: 'changeTracking' as const, modes: ['git-diff' as const] },
      ];
      return (await client.scrape(page.url, { formats })).changeTracking;
    };
    expect(await track()).toMatchObject({
      changeStatus: 'new',
      previousScrapeAt: null,
      visibility: 'visible',
    });
    text = 'two';
    expect(await track()).toMatchObject({
      changeStatus: 'changed',
      diff: { text: expect.stringMatching(/-one\n\+two/) },
    });
  });

  it('a page that only scripts fill', async () => {
    const document = await client.scrape(`${site.url}/app/1`, { formats: ['markdown'] });
    expect(document.markdown).toContain(appTruth(1).firstSentence);
  });

  it('with every option of this version', async () => {
    const document = await client.scrape(article(), {
      formats: ['markdown'],
      onlyMainContent: false,
      includeTags: ['main'],
      excludeTags: ['table'],
      headers: { 'X-Test': 'yes' },
      waitFor: 100,
      timeout: 150_000,
      mobile: true,
      skipTlsVerification: true,
      removeBase64Images: true,
      maxAge: 0,
      storeInCache: false,
      blockAds: true,
      proxy: 'auto',
      parsers: ['pdf'],
      integration: 'test',
    });
    expect(document.markdown).toContain(truth.firstSentence);
    expect(document.markdown).not.toContain('| --- |');
  });
});

describe('the official SDK parses', () => {
  const html = '<!doctype html><title>T</title><h1>From the SDK</h1><p>multipart</p>';
  const pdf = writePdf([{ texts: textLines(72, 80, ['From a PDF.']) }]);

  it.each([
    ['a text', { data: html, filename: 'page.html' }],
    ['a text with its type', { data: html, filename: 'page.html', contentType: 'text/html' }],
    ['a buffer', { data: Buffer.from(html), filename: '报告.html' }],
    ['bytes', { data: new TextEncoder().encode(html), filename: 'page.htm' }],
    ['a blob', { data: new Blob([html], { type: 'text/html' }), filename: 'page' }],
  ])('%s', async (_name, file) => {
    const { markdown, metadata } = await client.parse(file, { formats: ['markdown'] });
    expect(markdown).toBe('# From the SDK\n\nmultipart');
    expect(metadata).toMatchObject({ sourceFile: file.filename, statusCode: 200, creditsUsed: 1 });
  });

  it('a PDF, with every option', async () => {
    const { markdown, links, metadata } = await client.parse(
      { data: pdf, filename: 'report.pdf', contentType: 'application/pdf' },
      {
        formats: ['markdown', 'links'],
        onlyMainContent: false,
        includeTags: ['body'],
        excludeTags: ['nav'],
        headers: { 'X-Test': 'yes' },
        timeout: 150_000,
        parsers: [{ type: 'pdf', mode: 'fast', maxPages: 5 }],
        skipTlsVerification: true,
        removeBase64Images: false,
        fastMode: true,
        blockAds: false,
        proxy: 'auto',
        integration: 'test',
      },
    );
    expect([markdown, links]).toEqual(['From a PDF.', []]);
    expect(metadata).toMatchObject({ numPages: 1, totalPages: 1, creditsUsed: 1 });
  });

  it('no file of an unknown type, and says why', async () => {
    const refused = client.parse({ data: 'text', filename: 'notes.xyz' });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'UNSUPPORTED_FILE_TYPE' });
    const broken = { data: Buffer.from('image-data'), filename: 'a.png', contentType: 'image/png' };
    await expect(client.parse(broken)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the official SDK throws an error with the code for', () => {
  const failure = (promise: Promise<unknown>): Promise<SdkError> =>
    promise.then(
      () => Promise.reject(new Error('it should have failed')),
      (error) => error,
    );

  it('a host that does not exist', async () => {
    const error = await failure(client.scrape('http://no-such-host.invalid/'));
    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR', status: 200 });
  });

  it('an invalid request', async () => {
    const error = await failure(client.scrape(article(), { timeout: 10 }));
    expect(error).toMatchObject({ code: 'BAD_REQUEST', status: 400 });
    expect(error.message).toContain('timeout must be at least 1000');
  });

  it('a feature that is not available yet', async () => {
    const error = await failure(client.scrape(article(), { useMock: 'page' }));
    expect(error).toMatchObject({ code: 'FEATURE_NOT_AVAILABLE', status: 400 });
    expect(error.message).toContain('useMock');
  });

  it('a wrong key', async () => {
    const stranger = new Firecrawl({ apiKey: 'fc-nobody', apiUrl: service.url });
    expect(await failure(stranger.scrape(article()))).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  });

  it('a timeout', async () => {
    const error = await failure(client.scrape(`${site.url}/slow/9000/page`, { timeout: 1000 }));
    expect(error).toMatchObject({ code: 'SCRAPE_TIMEOUT', status: 408 });
  });
});

describe('the team methods of the official SDK', () => {
  it('return the remaining credits and the running jobs', async () => {
    expect(await client.getCreditUsage()).toMatchObject({ remainingCredits: 999_999_999 });
    expect(await client.getTokenUsage()).toMatchObject({ remainingTokens: 999_999_999 * 15 });
    expect(await client.getConcurrency()).toMatchObject({ maxConcurrency: 50 });
    expect(await client.getQueueStatus()).toMatchObject({ success: true, maxConcurrency: 50 });
    const history = await client.getCreditUsageHistorical(true);
    // Other tests of the run may have used other keys, or none.
    expect(history.periods).toContainEqual(
      expect.objectContaining({ apiKey: 'default', totalCredits: expect.any(Number) }),
    );
  });
});
