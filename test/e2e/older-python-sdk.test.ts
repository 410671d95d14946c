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

let pages: Awaited<ReturnType<typeof startPages>>;
/** What the SDK returned; the program prints it as JSON. */
let results: ApiResponse['body'];

beforeAll(async () => {
  if (missing) return;
  pages = await startPages({ '/': '<main><h1>Lamp</h1><dl><dt>Price<dd>$12.50</dl></main>' });
  const given = {
    url: service.url,
    key: service.key,
    article: `${site.url}/article/3`,
    lamp: `${pages.url}/`,
  };
  results = await usePythonSdk(given, '2.16');
});
afterAll(() => pages?.[Symbol.asyncDispose]());

describe.skipIf(missing)(`the Python SDK 2.16${missing ? ` (${missing})` : ''}`, () => {
  it('scrapes a page', () => {
    expect(results.scraped.markdown).toContain(articleTruth(3).firstSentence);
    expect(results.scraped.links.length).toBeGreaterThan(0);
    expect(results.scraped.metadata).toMatchObject({ statusCode: 200, sourceURL: `${site.url}/article/3` });
  });

  it('gets data under the name by which it asks for them', () => {
    const data = { title: 'Lamp', price: 12.5 };
    expect([results.extracted.extract, results.extracted.json]).toEqual([data, null]);
    expect([results.named.extract, results.named.json]).toEqual([null, data]);
  });

  it('acts on a page', () => {
    expect(results.acted.actions).toMatchObject({ screenshots: [expect.any(String)], pdfs: [] });
  });

  it('shows what is wrong in a request', () => {
    expect(results.refusal).toContain('timeout must be at least 1000');
  });
});
