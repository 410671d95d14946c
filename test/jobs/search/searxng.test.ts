import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { searchSearxng } from '../../../src/jobs/search/searxng.ts';
import { searchBody } from '../../../src/schemas/search.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';

/** Web searches by a SearXNG, whose place a server takes that responds as its documentation says. */

let server: Pages | undefined;
let requests: URLSearchParams[] = [];

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  requests = [];
});

/** Starts the server; `respond` gets the parameters of each request. */
async function start(respond: (parameters: URLSearchParams) => unknown): Promise<void> {
  const listener: RequestListener = ({ url }, response) => {
    const { searchParams } = new URL(url ?? '', 'http://searxng');
    requests.push(searchParams);
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(respond(searchParams)));
  };
  server = await startPages({ '/search': listener });
}

/** Starts a server that always responds in one way. */
async function startResponding(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<void> {
  server = await startPages({
    '/search': (_request, response) => response.writeHead(status, headers).end(body),
    '/elsewhere': JSON.stringify({ results: [hit('https://elsewhere.example/')] }),
  });
}

const hit = (url: string, more: Record<string, unknown> = {}) => ({
  url,
  title: `Title of ${url}`,
  content: 'A text.',
  ...more,
});
const search = (body: Record<string, unknown>, signal = AbortSignal.timeout(150_000)) =>
  searchSearxng(server?.url ?? '', searchBody.parse({ query: 'lamps', ...body }), signal);

describe('a search by SearXNG', () => {
  it('returns results of each source in their own form', async () => {
    await start((parameters) => {
      const results = {
        general: [hit('https://a.example/'), hit('https://b.example/', { title: '', content: null })],
        news: [hit('https://n.example/1', { publishedDate: '2026-11-01T10:00:00', thumbnail: '/t.png' })],
        images: [hit('https://p.example/', { img_src: 'https://p.example/1.jpg', resolution: '640 x 480' })],
      }[parameters.get('categories') ?? ''];
      return { results: parameters.get('pageno') === '1' ? results : [], unresponsive_engines: [] };
    });
    const { data, warnings } = await search({ sources: ['web', 'news', 'images'] });
    expect(data).toEqual({
      web: [
        {
          url: 'https://a.example/',
          title: 'Title of https://a.example/',
          description: 'A text.',
          position: 1,
        },
        { url: 'https://b.example/', title: 'https://b.example/', description: '', position: 2 },
      ],
      news: [
        {
          url: 'https://n.example/1',
          title: 'Title of https://n.example/1',
          snippet: 'A text.',
          position: 1,
          date: '2026-11-01T10:00:00',
          imageUrl: 'https://n.example/t.png',
        },
      ],
      images: [
        {
          url: 'https://p.example/',
          title: 'Title of https://p.example/',
          position: 1,
          imageUrl: 'https://p.example/1.jpg',
          imageWidth: 640,
          imageHeight: 480,
        },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it('reads further pages until there are enough results, each once', async () => {
    await start((parameters) => {
      const page = Number(parameters.get('pageno'));
      return { results: [0, 1, 2].map((n) => hit(`https://a.example/${page * 2 + n}`)) };
    });
    const { data } = await search({ limit: 6 });
    expect(data.web?.map(({ url }) => url.slice(-1))).toEqual(['2', '3', '4', '5', '6', '7']);
    expect(requests.map((each) => each.get('pageno'))).toEqual(['1', '2', '3']);
  });

  it('passes the options on, those of a source before those of the request', async () => {
    await start(() => ({ results: [] }));
    await search({
      lang: 'de',
      country: 'at',
      safe: true,
      tbs: 'qdr:y',
      includeDomains: ['www.Example.com', 'b.example'],
      sources: [{ type: 'web', tbs: 'qdr:w' }],
    });
    expect(Object.fromEntries(requests[0] ?? [])).toEqual({
      q: 'lamps (site:example.com OR site:b.example)',
      format: 'json',
      categories: 'general',
      pageno: '1',
      language: 'de-AT',
      time_range: 'week',
      safesearch: '2',
    });
  });

  it('leaves out what engines return against the request, and URLs that are no pages', async () => {
    await start(() => ({
      results: [
        'https://a.example/',
        'https://sub.b.example/',
        'ftp://c.example/',
        'javascript:alert(1)',
        'nonsense',
      ].map((url) => hit(url)),
    }));
    const urls = async (body: Record<string, unknown>) =>
      (await search(body)).data.web?.map(({ url }) => url);
    expect(await urls({})).toEqual(['https://a.example/', 'https://sub.b.example/']);
    expect(await urls({ includeDomains: ['b.example'] })).toEqual(['https://sub.b.example/']);
    expect(await urls({ excludeDomains: ['b.example'] })).toEqual(['https://a.example/']);
  });

  it('names the category of results', async () => {
    await start(() => ({
      results: ['https://github.com/a/b', 'https://x.example/paper.pdf', 'https://x.example/'].map((url) =>
        hit(url),
      ),
    }));
    const { data } = await search({ categories: ['github', { type: 'pdf' }] });
    expect(data.web?.map(({ url, category }) => [url, category])).toEqual([
      ['https://github.com/a/b', 'github'],
      ['https://x.example/paper.pdf', 'pdf'],
    ]);
    expect(requests[0]?.get('q')).toBe('lamps (site:github.com OR filetype:pdf)');
  });

  it('warns of engines that did not respond, and of options that SearXNG lacks', async () => {
    await start(() => ({
      results: [],
      unresponsive_engines: [
        ['google', 'CAPTCHA'],
        ['bing', 'timeout'],
      ],
    }));
    const { warnings } = await search({ tbs: 'qdr:h', location: 'Vienna' });
    expect(warnings.join(' ')).toBe(
      'Results may be missing, because search engines did not respond: google (CAPTCHA), bing (timeout). tbs was applied in part: SearXNG knows the last day, week, month and year. location was ignored, because SearXNG has no such option.',
    );
  });
});

describe('a SearXNG that cannot be used', () => {
  it.each([
    [403, '', 'must list json under search.formats'],
    [429, '', 'Switch its limiter off'],
    [500, '', 'responded with 500'],
    [200, '<html>', 'is not one of SearXNG'],
    [200, '{"results":"none"}', 'is not one of SearXNG'],
    [200, ' '.repeat(9 * 1024 * 1024), 'exceeded max size'],
  ])('that responds with %i and %.12j is an error that says what to do', async (status, body, advice) => {
    await startResponding(status, body);
    await expect(search({})).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      message: expect.stringContaining(advice),
    });
  });

  it('is not followed elsewhere', async () => {
    await startResponding(302, '', { Location: '/elsewhere' });
    await expect(search({})).rejects.toMatchObject({
      message: expect.stringContaining('responded with 302'),
    });
  });

  it('that is not there is an error that names the setting', async () => {
    await startResponding(200, '');
    await server?.[Symbol.asyncDispose]();
    const found = search({});
    server = undefined;
    await expect(found).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      message: expect.stringContaining('WINNOW_SEARXNG_URL'),
    });
  });

  it('that does not respond ends with the reason of the signal', async () => {
    server = await startPages({ '/search': () => undefined });
    const stop = new AbortController();
    const found = search({}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(found).rejects.toThrow('enough');
  });
});
