import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { articleTruth } from '../site/site.ts';
import type { ApiResponse } from '../support/api/call.ts';
import { findMissingPython, usePythonSdk } from '../support/api/python-sdk.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

/** The official Python SDKs that know version 1 of the API only, unchanged and pointed at us. */

const service = useService();
const site = useSite();
const missing = await findMissingPython();

/** A word that no page of another test has. */
const WORD = `ferryman${Date.now()}`;
const LAMP = '<main><h1>Lamp</h1><dl><dt>Price<dd>$12.50</dl></main>';
const DATA = { title: 'Lamp', price: 12.5 };
const articles = () => [4, 5].map((number) => `${site.url}/article/${number}`);

let pages: Awaited<ReturnType<typeof startPages>>;
/** What both versions returned; the programs print it as JSON. */
let [two, one]: ApiResponse['body'][] = [];

beforeAll(async () => {
  if (missing) return;
  pages = await startPages({
    '/lamp': LAMP,
    '/ferry': `<main><h1>Ferries</h1><p>The ferry of ${WORD} departs at noon.</p></main>`,
  });
  const given = {
    url: service.url,
    key: service.key,
    site: `${site.url}/`,
    article: `${site.url}/article/3`,
    articles: articles(),
    lamp: `${pages.url}/lamp`,
    ferry: `${pages.url}/ferry`,
    query: WORD,
  };
  two = await usePythonSdk(given, '2.16');
  one = await usePythonSdk(given, '1.17');
});
afterAll(() => pages?.[Symbol.asyncDispose]());

describe.skipIf(missing)(`the Python SDK 2.16${missing ? ` (${missing})` : ''}`, () => {
  it('scrapes a page', () => {
    expect(two.scraped.markdown).toContain(articleTruth(3).firstSentence);
    expect(two.scraped.links.length).toBeGreaterThan(0);
    expect(two.scraped.metadata).toMatchObject({ statusCode: 200, sourceURL: `${site.url}/article/3` });
  });

  it('gets data under the name by which it asks for them', () => {
    expect([two.extracted.extract, two.extracted.json]).toEqual([DATA, null]);
    expect([two.named.extract, two.named.json]).toEqual([null, DATA]);
  });

  it('acts on a page', () => {
    expect(two.acted.actions).toMatchObject({ screenshots: [expect.any(String)], pdfs: [] });
  });

  it('shows what is wrong in a request, and what takes the place of deep research', () => {
    expect(two.refusal).toContain('timeout must be at least 1000');
    expect(two.no_research).toContain('POST /v2/agent');
  });

  it('waits for a crawl, reads its status and errors, and cancels one', () => {
    expect(two.crawl).toMatchObject({ status: 'completed', completed: 3, next: null });
    expect(two.crawl.sources).toHaveLength(3);
    expect(two.started.url).toBe(`${service.url}/v1/crawl/${two.started.id}`);
    expect(two.read).toMatchObject({ status: 'completed', completed: 2 });
    expect(two.errors).toEqual({ errors: [], robotsBlocked: [] });
    expect(two.cancelled).toEqual({ status: 'cancelled' });
  });

  it('waits for a batch, and reads its status and errors', () => {
    for (const each of [two.batch, two.batch_read]) {
      expect(each).toMatchObject({ status: 'completed', completed: 2, sources: articles() });
      for (const number of [4, 5]) expect(each.markdown.join()).toContain(articleTruth(number).firstSentence);
    }
    expect(two.batch_started.url).toBe(`${service.url}/v1/batch/scrape/${two.batch_started.id}`);
    expect(two.batch_errors).toEqual({ errors: [], robotsBlocked: [] });
  });

  it('watches crawls and batches, and gets each document and the end once', () => {
    expect(two.watched).toMatchObject({
      ends: [['completed', 2]],
      sources: [expect.any(String), expect.any(String)],
    });
    expect(two.watched_batch).toEqual({ ends: [['completed', 2]], sources: articles() });
  });

  it('maps, searches and extracts', () => {
    expect(two.mapped.links).toEqual([`${pages.url}/lamp`]);
    expect(two.searched.data).toMatchObject([{ url: `${pages.url}/ferry` }]);
    expect(two.searched_pages.data[0].markdown).toContain(WORD);
    expect(two.extract).toMatchObject({ status: 'completed', data: DATA });
    expect(two.extract.sources.price).toEqual([`${pages.url}/lamp`]);
    expect(two.extract_read).toMatchObject({ success: true });
  });

  it('works with asyncio', () => {
    expect(two.asynchronous).toMatchObject({
      markdown: expect.stringContaining('12.50'),
      crawl: { status: 'completed', completed: 2 },
      links: [`${pages.url}/lamp`],
    });
  });
});

describe.skipIf(missing)(`the Python SDK 1.17${missing ? ` (${missing})` : ''}`, () => {
  it('scrapes a page, and data of one', () => {
    expect(one.scraped.markdown).toContain(articleTruth(3).firstSentence);
    expect(one.scraped.screenshot).toMatch(/^http/);
    expect(one.extracted.extract).toEqual(DATA);
    expect(one.extracted).not.toHaveProperty('json');
  });

  it('waits for a crawl and a batch', () => {
    expect(one.crawl).toMatchObject({ status: 'completed', completed: 3 });
    expect(one.crawl).not.toHaveProperty('next');
    expect(one.batch.data.map(({ metadata }: ApiResponse['body']) => metadata.sourceURL).sort()).toEqual(
      articles(),
    );
  });

  it('maps, searches and extracts', () => {
    expect(one.mapped).toMatchObject({ success: true, links: [`${pages.url}/lamp`] });
    expect(one.searched.data).toMatchObject([{ url: `${pages.url}/ferry` }]);
    expect(one.extract).toMatchObject({ success: true, data: DATA });
  });
});
