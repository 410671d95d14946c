import type { CrawlRequest } from '../../schemas/crawl.ts';
import { PathPatterns } from '../crawl/path-patterns.ts';
import { createScope, type ScopeOptions } from '../crawl/scope.ts';
import type { CrawlFacts, PageTotals } from './facts.ts';
import type { Finding, Fix } from './finding.ts';

/** A crawl with at most this many pages has found next to nothing. */
const FEW_PAGES = 1;
const ASKS_ABOUT_PAGES =
  /\b(pages?|only|few|missing|more|stop(?:s|ped)?|all|skipp?(?:s|ed)?|nothing|find|found|links?|scope|incomplete)\b/i;
const MAX_LIMIT = 10_000_000;

const links = (parameters: Fix['parameters'], effect: string): Fix => ({
  parameters,
  effect,
  expects: 'moreLinks',
});

/**
 * Explains why a crawl has fewer pages than expected.
 * @returns `undefined` if it has several, and the question is not about them
 */
export function explainCrawl(
  { request }: CrawlFacts,
  pages: PageTotals,
  question: string,
): Finding | undefined {
  const total = pages.completed + pages.failed + pages.open;
  if (total > FEW_PAGES && !ASKS_ABOUT_PAGES.test(question)) return undefined;
  if (pages.limit !== null && total >= pages.limit) return explainLimit(pages.limit, pages.open);
  const isRefused = pages.blocked > 0 && !request.ignoreRobotsTxt;
  if (isRefused && total <= FEW_PAGES) return explainRobots(pages.blocked);
  const robots = isRefused ? ` robots.txt disallows ${pages.blocked} URLs that it found.` : '';
  return {
    topic: 'crawl scope',
    cause: `The crawl found ${total} ${total === 1 ? 'page' : 'pages'} within its scope.${robots}`,
    advice: 'The start page links to no more pages that any option would add.',
    fixes: [...widerScopes(request), ...(isRefused ? [robotsFix()] : [])],
    confidence: total <= FEW_PAGES ? 'high' : 'medium',
  };
}

const explainLimit = (limit: number, open: number): Finding => ({
  topic: 'limit',
  cause: `The crawl ended at its limit of ${limit} pages${open > 0 ? `, and had found ${open} more URLs by then` : ''}.`,
  advice: 'Set a higher limit.',
  fixes: [
    {
      parameters: { limit: Math.min(MAX_LIMIT, limit * 10) },
      expects: 'moreLinks',
      effect: 'With a higher limit, the crawl has more pages.',
      ...(open > 0 && { untestable: `The crawl itself found ${open} more URLs, so no test is needed.` }),
    },
  ],
  confidence: 'high',
});

const robotsFix = (): Fix => ({
  parameters: { ignoreRobotsTxt: true },
  expects: 'page',
  effect:
    'If you are allowed to crawl the site anyway, ignoreRobotsTxt includes the pages that its robots.txt disallows.',
});

const explainRobots = (blocked: number): Finding => ({
  topic: 'robots.txt',
  cause: `The robots.txt of the site disallows ${blocked === 1 ? 'the page' : `${blocked} pages`}, so the crawl left ${blocked === 1 ? 'it' : 'them'} out.`,
  advice: 'Ask the site for permission.',
  fixes: [robotsFix()],
  confidence: 'high',
});

/** The changes of options that let a crawl have more pages, one option each. */
function widerScopes(request: CrawlRequest): Fix[] {
  const { crawlEntireDomain, allowSubdomains, includePaths, excludePaths, maxDiscoveryDepth, sitemap } =
    request;
  return [
    ...(includePaths.length
      ? [links({ includePaths: [] }, `No link matches includePaths (${includePaths.join(', ')}).`)]
      : []),
    ...(excludePaths.length
      ? [links({ excludePaths: [] }, `excludePaths (${excludePaths.join(', ')}) leaves out the links.`)]
      : []),
    ...(crawlEntireDomain
      ? []
      : [
          links(
            { crawlEntireDomain: true },
            'The links lead out of the path of the start URL; crawlEntireDomain includes the whole site.',
          ),
        ]),
    ...(allowSubdomains
      ? []
      : [links({ allowSubdomains: true }, 'The links lead to other hosts of the same domain.')]),
    ...(maxDiscoveryDepth === undefined
      ? []
      : [
          links(
            { maxDiscoveryDepth: null },
            `maxDiscoveryDepth ${maxDiscoveryDepth} ends the crawl too early.`,
          ),
        ]),
    ...(sitemap === 'only'
      ? [links({ sitemap: 'include' }, 'With sitemap "only", the links of pages are not followed.')]
      : []),
  ];
}

/** Counts the links of a page that are pages of the crawl. */
export function countLinks(request: CrawlRequest, page: { url: string; links: readonly string[] }): number {
  if (request.sitemap === 'only') return 0;
  const scope = createScope({ ...scopeOptions(request), startUrl: page.url });
  const decisions = page.links.map((link) => scope.checkLink(link, { url: page.url, depth: 0 }));
  const urls = new PathPatterns(request).applyAtOnce(decisions).flatMap((decision) => {
    return 'url' in decision && decision.url !== page.url ? [decision.url] : [];
  });
  // The start page counts as well.
  return Math.min(new Set(urls).size, request.limit - 1);
}

/** A parameter that is `null` was removed. */
const scopeOptions = ({ maxDiscoveryDepth, ...request }: CrawlRequest): Omit<ScopeOptions, 'startUrl'> => ({
  ...request,
  maxDiscoveryDepth: maxDiscoveryDepth ?? undefined,
});
