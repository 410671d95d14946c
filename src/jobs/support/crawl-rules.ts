import { excerpt } from '../../errors.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import { canonicalKey } from '../crawl/canonical-key.ts';
import { PathPatterns } from '../crawl/path-patterns.ts';
import { createScope, type ScopeOptions } from '../crawl/scope.ts';
import { SKIP_REASONS, type SkipReason } from '../crawl/skip-reason.ts';
import type { CrawlFacts, PageTotals } from './facts.ts';
import type { Finding, Fix } from './finding.ts';
import { WAIT_MS, waitLonger } from './fixes.ts';

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
  { request, start, asked }: CrawlFacts,
  pages: PageTotals,
  question: string,
): Finding | undefined {
  const total = pages.completed + pages.failed + pages.open;
  if (asked?.isBlocked) return explainRobots(1);
  if (asked && !asked.isMet) {
    const absence = explainAbsence({ request, start }, asked.url, pages);
    if (absence) return absence;
  }
  if (total > FEW_PAGES && !ASKS_ABOUT_PAGES.test(question)) return undefined;
  if (pages.limit !== null && total >= pages.limit) return explainLimit(pages.limit, pages.open);
  const isRefused = pages.blocked > 0 && !request.ignoreRobotsTxt;
  if (isRefused && total <= FEW_PAGES) return explainRobots(pages.blocked);
  const robots = isRefused ? ` robots.txt disallows ${pages.blocked} URLs that it found.` : '';
  return {
    topic: 'crawl scope',
    cause: `The crawl found ${total} ${total === 1 ? 'page' : 'pages'} within its scope.${robots}`,
    advice: 'The start page links to no more pages that any option would add.',
    fixes: [
      ...widerScopes(request, start),
      ...(isRefused ? [robotsFix()] : []),
      ...laterLinks(request, total),
    ],
    confidence: 'medium',
    isGuess: true,
  };
}

/** The parameters that admit a URL that a crawl leaves out for a reason. */
const ADMISSIONS: Partial<Record<SkipReason, Fix['parameters']>> = {
  depth: { maxDiscoveryDepth: null },
  external: { allowExternalLinks: true },
  subdomain: { allowSubdomains: true },
  startPath: { crawlEntireDomain: true },
  excluded: { excludePaths: [] },
  notIncluded: { includePaths: [] },
};

/** Explains why a crawl has not got a URL: by the rules of its scope, whichever of them comes first. */
function explainAbsence(
  { request, start }: Pick<CrawlFacts, 'request' | 'start'>,
  url: string,
  { depth }: PageTotals,
): Finding | undefined {
  const { maxDiscoveryDepth, ignoreQueryParameters } = request;
  const { maxDiscoveryDepth: _, ...unlimited } = scopeOptions(request);
  const decision = createScope({ ...unlimited, startUrl: start }).checkPage(url);
  const [verdict = decision] = new PathPatterns(request).applyAtOnce([decision]);
  const isTooDeep =
    maxDiscoveryDepth !== undefined && maxDiscoveryDepth !== null && depth >= maxDiscoveryDepth;
  const reason = 'skipReason' in verdict ? verdict.skipReason : isTooDeep ? 'depth' : undefined;
  if (reason === undefined && ignoreQueryParameters && URL.parse(url)?.search)
    return absence(
      { ignoreQueryParameters: false },
      'URLs that differ in their query only are one page, because of ignoreQueryParameters.',
    );
  if (reason === undefined) return undefined;
  const parameters = ADMISSIONS[reason];
  return absence(
    parameters,
    `The crawl leaves ${excerpt(url)} out. ${SKIP_REASONS[reason]}`,
    reason === 'depth' ? 'medium' : 'high',
  );
}

const absence = (
  parameters: Fix['parameters'] | undefined,
  cause: string,
  confidence: Finding['confidence'] = 'high',
): Finding => ({
  topic: 'absent page',
  cause,
  advice: 'No parameter of a crawl changes that.',
  fixes: parameters
    ? [
        {
          parameters,
          expects: 'moreLinks',
          effect: `With ${JSON.stringify(parameters)}, it belongs to the crawl.`,
          untestable: 'The rules of the crawl themselves say so, so no test is needed.',
        },
      ]
    : [],
  confidence,
});

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
function widerScopes(request: CrawlRequest, start: string): Fix[] {
  const { crawlEntireDomain, allowSubdomains, allowExternalLinks, includePaths, excludePaths } = request;
  const { maxDiscoveryDepth, sitemap, ignoreQueryParameters } = request;
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
    ...(ignoreQueryParameters
      ? [
          links(
            { ignoreQueryParameters: false },
            'The links differ in their query only, which ignoreQueryParameters takes for the same page.',
          ),
        ]
      : []),
    ...(allowExternalLinks
      ? []
      : [
          links(
            { allowExternalLinks: true },
            `The links lead to other hosts than ${URL.parse(start)?.host ?? 'that of the start'}; allowExternalLinks includes the pages of other sites that the site links to.`,
          ),
        ]),
    ...(sitemap === 'only'
      ? [links({ sitemap: 'include' }, 'With sitemap "only", the links of pages are not followed.')]
      : []),
  ];
}

/** Waits for links that scripts add to the start page, if the crawl found hardly any. */
function laterLinks({ scrapeOptions }: CrawlRequest, total: number): Fix[] {
  if (total > FEW_PAGES || scrapeOptions.waitFor >= WAIT_MS || scrapeOptions.fastMode) return [];
  const { parameters } = waitLonger(scrapeOptions, WAIT_MS);
  return [
    links(
      { scrapeOptions: parameters },
      `The start page brings its links late: waitFor ${WAIT_MS} gives its scripts 5 seconds.`,
    ),
  ];
}

/** Counts the links of a page that are pages of the crawl. */
export function countLinks(request: CrawlRequest, page: { url: string; links: readonly string[] }): number {
  if (request.sitemap === 'only') return 0;
  const scope = createScope({ ...scopeOptions(request), startUrl: page.url });
  const decisions = page.links.map((link) => scope.checkLink(link, { url: page.url, depth: 0 }));
  const keyOf = (url: string) => canonicalKey(url, request);
  const urls = new PathPatterns(request).applyAtOnce(decisions).flatMap((decision) => {
    return 'url' in decision && keyOf(decision.url) !== keyOf(page.url) ? [keyOf(decision.url)] : [];
  });
  // The start page counts as well.
  return Math.min(new Set(urls).size, request.limit - 1);
}

/** A parameter that is `null` was removed. */
const scopeOptions = ({ maxDiscoveryDepth, ...request }: CrawlRequest): Omit<ScopeOptions, 'startUrl'> => ({
  ...request,
  maxDiscoveryDepth: maxDiscoveryDepth ?? undefined,
});
