import FirecrawlApp from 'firecrawl-v1';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod/v3';
import { articleTruth } from '../site/site.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

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
