import { appTruth, articleTruth, linkSentence } from '../site/site.ts';

/** The expected result of a page: a document with a status and a text, or an error. */
type Expected = { status: number; text: string } | { error: string };

/** A job and its expected result. */
export interface Plan {
  name: string;
  kind: 'batch_scrape' | 'crawl';
  path: '/v2/batch/scrape' | '/v2/crawl';
  body: Record<string, unknown>;
  /** Expected number of pages. */
  pages: number;
  /** Whether `total` is known from the start. */
  isList: boolean;
  /** The expected result of a URL; `undefined` if the URL is not a page of the job. */
  expect(url: string): Expected | undefined;
}

/** The options for planning jobs. */
export interface PlanOptions {
  siteUrl: string;
  /** Pages of the batch, and of the crawl of the whole graph. */
  pages: number;
  /** Number of the round from 0. Each round uses different articles. */
  round: number;
  /** A URL where no server listens. */
  deadUrl: string;
}

/** Options that bypass the cache, so that the pages of every round are fetched. */
const FRESH = { maxAge: 0, timeout: 60_000 };
const AT_ONCE = 20;

/** The jobs of one round, which run at the same time. */
export const planRound = (options: PlanOptions): Plan[] => [
  batchPlan(options),
  // Its pages are found only by links, so a page that is lost with the process that found it is noticed.
  crawlPlan(options, { name: 'crawl', limit: options.pages + 1, pages: options.pages, sitemap: 'skip' }),
  crawlPlan(options, {
    name: 'limited crawl',
    sitemap: 'include',
    limit: Math.ceil(options.pages / 4),
    pages: Math.ceil(options.pages / 4),
  }),
];

function batchPlan({ siteUrl, pages, round, deadUrl }: PlanOptions): Plan {
  const expected = new Map(
    Array.from({ length: pages }, (_, index) => batchPage(index, round * pages + index, siteUrl, deadUrl)),
  );
  return {
    name: 'batch',
    kind: 'batch_scrape',
    path: '/v2/batch/scrape',
    pages,
    isList: true,
    body: { urls: [...expected.keys()], ...FRESH, maxConcurrency: AT_ONCE },
    expect: (url) => expected.get(url),
  };
}

/**
 * A page of the batch. Of twenty, two need the browser, two respond with an error, one does not respond, the
 * others are articles.
 */
function batchPage(index: number, n: number, siteUrl: string, deadUrl: string): [string, Expected] {
  const article = { status: 200, text: articleTruth(n).firstSentence };
  switch (index % 20) {
    case 3:
    case 13:
      return appPage(n - (n % 3) + (index % 20 === 3 ? 0 : 1), siteUrl);
    case 5:
      return [`${siteUrl}/slow/${300 + (n % 7) * 300}/article/${n}`, article];
    case 7:
      return [`${siteUrl}/redirect/2/article/${n}`, article];
    case 11:
      return [`${siteUrl}/status/404?n=${n}`, { status: 404, text: 'Status 404' }];
    case 17:
      return [`${siteUrl}/status/500?n=${n}`, { status: 500, text: 'Status 500' }];
    case 19:
      return index % 40 === 19
        ? [`${deadUrl}/${n}`, { error: 'SCRAPE_SITE_ERROR' }]
        : [`http://no-such-host-${n}.invalid/`, { error: 'SCRAPE_DNS_RESOLUTION_ERROR' }];
    default:
      return [`${siteUrl}/article/${n}`, article];
  }
}

/** A page that needs the browser. Two of three such pages show that without their script being run. */
function appPage(n: number, siteUrl: string): [string, Expected] {
  return [`${siteUrl}/app/${n}`, { status: 200, text: appTruth(n).firstSentence }];
}

function crawlPlan(
  { siteUrl, pages: graph }: PlanOptions,
  { name, limit, pages, sitemap }: { name: string; limit: number; pages: number; sitemap: string },
): Plan {
  const prefix = `${siteUrl}/links/`;
  return {
    name,
    kind: 'crawl',
    path: '/v2/crawl',
    pages,
    isList: false,
    body: {
      url: `${prefix}0`,
      limit,
      sitemap,
      crawlEntireDomain: true,
      includePaths: ['^/links/\\d+$'],
      scrapeOptions: FRESH,
    },
    expect(url) {
      const n = url.startsWith(prefix) ? Number(url.slice(prefix.length)) : Number.NaN;
      return n >= 0 && n < graph ? { status: 200, text: linkSentence(n) } : undefined;
    },
  };
}
