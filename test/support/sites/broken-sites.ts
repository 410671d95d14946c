import type { RequestListener } from 'node:http';
import { textLines, writePdf } from '../../content/parsers/pdf/pdf-writer.ts';
import { call } from '../api/call.ts';
import { finished, startJob } from '../api/jobs.ts';
import { startPages } from './pages.ts';
import { startTlsSite } from './tls-site.ts';

/** A site with which something goes wrong, and the answer that is right. */
export interface BrokenSite {
  name: string;
  question: string;
  /** Lets it go wrong. @returns the id of the job */
  run(sites: Sites): Promise<string>;
  /** The parameters that help, or `null` if none does. */
  fix: Record<string, unknown> | null;
  validation: 'success' | 'skipped' | 'failure' | null;
}

const SENTENCE =
  'The winter timetable of the mountain railway begins on the first Sunday of December and ends in March. ';
const ARTICLE = `<h1>Timetable</h1><p>${SENTENCE.repeat(4)}</p>`;
const html = (body: string, head = '') => `<!doctype html><title>Page</title>${head}<body>${body}</body>`;
/** When the content of a late page arrives: within a `waitFor` of 5 s, or not before any scrape has ended. */
const LATE_MS = 1_500;
const NEVER_MS = 600_000;
/** A page whose content a script adds after some milliseconds. */
const lateHtml = (ms: number, id = 'late') =>
  html(
    `<div id="app"></div><script>setTimeout(() => { document.getElementById('app').innerHTML = '<main id="${id}">${ARTICLE}</main>'; }, ${ms});</script>`,
  );

const sendHtml =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'Content-Type': 'text/html' }).end(body);

/** A page whose text a parser can only recognise from its image, because the text layer is unusable. */
const SCANNED = writePdf(
  [
    {
      texts: textLines(
        72,
        100,
        [
          'The council met on Tuesday to discuss the winter timetable',
          'of the mountain railway, and agreed on every point.',
        ],
        12,
      ),
    },
  ],
  { garbledText: true },
);

const sendPdf =
  (file: Buffer): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(file);

/** The sites, on free ports of this machine. */
export async function startBrokenSites() {
  let visits = 0;
  let isRepaired = false;
  const withheld = new Set<string>();
  const contentDelayOf = (path: string) => (withheld.has(path) ? NEVER_MS : LATE_MS);
  const pages = await startPages({
    '/late': (request, response) => sendHtml(200, lateHtml(contentDelayOf('/late')))(request, response),
    '/late-selector': (request, response) =>
      sendHtml(200, lateHtml(contentDelayOf('/late-selector'), 'timetable'))(request, response),
    '/script': lateHtml(0),
    '/slow': (_request, response) =>
      setTimeout(
        () => response.writeHead(200, { 'Content-Type': 'text/html' }).end(html(`<main>${ARTICLE}</main>`)),
        2_500,
      ),
    '/article': html(`<main>${ARTICLE}</main>`),
    '/footer': html(
      `<main><h1>Plan</h1><p>${SENTENCE.repeat(8)}</p></main><footer><p>${SENTENCE.replaceAll('mountain', 'harbour').repeat(3)}</p></footer>`,
    ),
    '/circle': (_request, response) => response.writeHead(302, { Location: '/circle' }).end(),
    '/cookie-circle': (request, response) => {
      if (request.headers.cookie?.includes('seen=1'))
        sendHtml(200, html(`<main>${ARTICLE}</main>`))(request, response);
      else response.writeHead(302, { Location: '/cookie-circle', 'Set-Cookie': 'seen=1; Path=/' }).end();
    },
    '/changing': (request, response) => {
      visits += 1;
      sendHtml(200, html(`<main>${ARTICLE}<p>This is edition number ${visits}.</p></main>`))(
        request,
        response,
      );
    },
    '/no-robots': (request, response) =>
      sendHtml(request.headers['x-robot'] ? 403 : 200, html(`<main>${ARTICLE}</main>`))(request, response),
    '/forbidden': sendHtml(403, html('<h1>Forbidden</h1>')),
    '/gone': sendHtml(404, html('<h1>Not found</h1>')),
    '/broken': (request, response) => {
      if (isRepaired) sendHtml(200, html(`<main>${ARTICLE}</main>`))(request, response);
      else request.socket.destroy();
    },
    '/scan.pdf': sendPdf(SCANNED),
    '/plan.pdf': sendPdf(
      writePdf([{ texts: textLines(72, 100, ['The plan has a sentence of several words.']) }]),
    ),
    '/tool.zip': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/zip' })
        .end(Buffer.from('PK\u0003\u0004 archive')),
    '/docs/intro': html(
      '<main><h1>Intro</h1><p>Welcome.</p><a href="/guide/one">One</a> <a href="/guide/two">Two</a></main>',
    ),
    '/guide/one': html(`<main>${ARTICLE}</main>`),
    '/guide/two': html(`<main>${ARTICLE}</main>`),
  });
  const refusing = await startPages({
    '/robots.txt': 'User-agent: *\nDisallow: /\n',
    '/': html(`<main>${ARTICLE}</main>`),
  });
  const tls = await startTlsSite('expired');
  return {
    url: pages.url,
    refusing: refusing.url,
    tls: tls.url,
    repair() {
      isRepaired = true;
    },
    withheld,
    [Symbol.asyncDispose]: async () => {
      for (const site of [pages, refusing, tls]) await site[Symbol.asyncDispose]();
    },
  };
}

export type Sites = Awaited<ReturnType<typeof startBrokenSites>>;

/** Scrapes, and returns the id, wherever the response has it. */
async function scrape(body: Record<string, unknown>): Promise<string> {
  const { body: answer } = await call('/v2/scrape', { body });
  return answer.data?.metadata?.scrapeId ?? answer.details?.scrapeId;
}

const scraping =
  (path: string, options: Record<string, unknown> = {}) =>
  ({ url }: Sites) =>
    scrape({ url: `${url}${path}`, maxAge: 0, ...options });

/** Scrapes a late page before its content arrives, which a busy machine could otherwise still see. */
const scrapingTooEarly =
  (path: string, options: Record<string, unknown> = {}) =>
  async (sites: Sites) => {
    sites.withheld.add(path);
    const id = await scraping(path, options)(sites);
    sites.withheld.delete(path);
    return id;
  };

async function crawl(body: Record<string, unknown>): Promise<string> {
  const id = await startJob('/v2/crawl', { sitemap: 'skip', ...body });
  await finished('/v2/crawl', id);
  return id;
}

const EMPTY = 'Why is the content empty?';
const FAILED = 'Why did this fail?';

export const BROKEN_SITES: BrokenSite[] = [
  {
    name: 'renders late',
    question: 'Why is most of the page missing?',
    run: scrapingTooEarly('/late'),
    fix: { waitFor: 5_000 },
    validation: 'success',
  },
  {
    name: 'is slower than the timeout',
    question: FAILED,
    run: scraping('/slow', { timeout: 1_000 }),
    fix: { timeout: 30_000 },
    validation: 'success',
  },
  {
    name: 'lacks the selected element',
    question: EMPTY,
    run: scraping('/article', { includeTags: ['.no-such-element'] }),
    fix: { includeTags: [] },
    validation: 'success',
  },
  {
    name: 'has a certificate that has expired',
    question: FAILED,
    run: ({ tls }) => scrape({ url: tls, skipTlsVerification: false }),
    fix: { skipTlsVerification: true },
    validation: 'success',
  },
  { name: 'redirects in a circle', question: EMPTY, run: scraping('/circle'), fix: null, validation: null },
  {
    name: 'disallows crawling by robots.txt',
    question: 'Why did my crawl find nothing?',
    run: ({ refusing }) => crawl({ url: refusing }),
    fix: { ignoreRobotsTxt: true },
    validation: 'success',
  },
  {
    name: 'links out of the path of the start URL',
    question: 'Why only one page?',
    run: ({ url }) => crawl({ url: `${url}/docs/intro` }),
    fix: { crawlEntireDomain: true },
    validation: 'success',
  },
  {
    name: 'has changed since it was cached',
    question: 'Why do I get an old version of the page?',
    run: async ({ url }) => {
      await scrape({ url: `${url}/changing`, maxAge: 0 });
      return scrape({ url: `${url}/changing` });
    },
    fix: { maxAge: 0 },
    validation: 'success',
  },
  {
    name: 'is in a private network',
    question: FAILED,
    run: () => scrape({ url: 'http://10.0.0.1/' }),
    fix: null,
    validation: null,
  },
  { name: 'refuses everybody', question: EMPTY, run: scraping('/forbidden'), fix: null, validation: null },
  {
    name: 'is a PDF whose text only recognition can read',
    question: FAILED,
    run: scraping('/scan.pdf', { parsers: [{ type: 'pdf', mode: 'fast' }] }),
    fix: { parsers: [{ type: 'pdf', mode: 'auto' }] },
    validation: 'success',
  },
  {
    name: 'loses its content to excludeTags',
    question: EMPTY,
    run: scraping('/article', { excludeTags: ['main'] }),
    fix: { excludeTags: [] },
    validation: 'success',
  },
  {
    name: 'needs scripts, which fastMode does not run',
    question: EMPTY,
    run: scraping('/script', { fastMode: true }),
    fix: { fastMode: false },
    validation: 'success',
  },
  {
    name: 'has the selected element only late',
    question: EMPTY,
    run: scrapingTooEarly('/late-selector', { includeTags: ['#timetable'] }),
    fix: { waitFor: 5_000 },
    validation: 'success',
  },
  {
    name: 'has what is asked for in its footer',
    question: EMPTY,
    run: scraping('/footer'),
    fix: { onlyMainContent: false },
    validation: 'success',
  },
  {
    name: 'redirects until a cookie is kept',
    question: EMPTY,
    run: scraping('/cookie-circle', { fastMode: true }),
    fix: { fastMode: false, waitFor: 1_000 },
    validation: 'success',
  },
  {
    name: 'refuses a header of the request',
    question: EMPTY,
    run: scraping('/no-robots', { headers: { 'X-Robot': '1' } }),
    fix: { headers: {} },
    validation: 'success',
  },
  {
    name: 'is a PDF that no parser may read',
    question: 'Why do I get base64 instead of text?',
    run: scraping('/plan.pdf', { parsers: [] }),
    fix: { parsers: ['pdf'] },
    validation: 'success',
  },
  { name: 'does not have the page', question: EMPTY, run: scraping('/gone'), fix: null, validation: null },
  {
    name: 'has a name that does not exist',
    question: FAILED,
    run: () => scrape({ url: 'http://no-such-host.invalid/' }),
    fix: null,
    validation: null,
  },
  {
    name: 'was broken for a while',
    question: FAILED,
    run: async (sites) => {
      const id = await scraping('/broken')(sites);
      sites.repair();
      return id;
    },
    fix: null,
    validation: 'success',
  },
  {
    name: 'has no copy in the cache',
    question: FAILED,
    run: ({ url }) => scrape({ url: `${url}/article?uncached`, minAge: 1 }),
    fix: { minAge: null },
    validation: 'success',
  },
  {
    name: 'lacks the element to click',
    question: FAILED,
    run: scraping('/article', { actions: [{ type: 'click', selector: '#no-such-button' }] }),
    fix: { actions: [] },
    validation: 'success',
  },
  { name: 'is an archive', question: FAILED, run: scraping('/tool.zip'), fix: null, validation: null },
  {
    name: 'has no page that matches includePaths',
    question: 'Why are pages missing?',
    run: ({ url }) => crawl({ url: `${url}/docs/intro`, crawlEntireDomain: true, includePaths: ['^/blog'] }),
    fix: { includePaths: [] },
    validation: 'success',
  },
  {
    name: 'has more pages than the limit',
    question: 'Why did the crawl stop?',
    run: ({ url }) => crawl({ url: `${url}/docs/intro`, crawlEntireDomain: true, limit: 1 }),
    fix: { limit: 10 },
    validation: 'skipped',
  },
  {
    name: 'is slower than the timeout of a batch',
    question: FAILED,
    run: async ({ url }) => {
      const id = await startJob('/v2/batch/scrape', {
        urls: [`${url}/slow?batch`],
        timeout: 1_000,
        maxAge: 0,
      });
      await finished('/v2/batch/scrape', id);
      return id;
    },
    fix: { timeout: 30_000 },
    validation: 'success',
  },
];
