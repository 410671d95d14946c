import { z } from 'zod';
import { bounded } from '../../json/bounded.ts';
import { MAX_PATTERNS } from '../../patterns/pattern-list.ts';
import { crawlBody } from '../../schemas/crawl.ts';
import { validate } from '../validation/validate.ts';
import { knownMembers } from './known-members.ts';
import type { TranslatedBody } from './older-route.ts';
import { nameDataOfPages, scrapeOptions, translateScrapeOptions } from './scrape-options.ts';

/** The most parts that the path of a page has. A pattern for more would only take time. */
const MAX_PARTS = 100;

const olderBody = knownMembers(
  {
    url: z.string(),
    maxDepth: z.int().min(0).optional(),
    ignoreSitemap: z.boolean().optional(),
    allowBackwardLinks: z.boolean().optional(),
    crawlEntireDomain: z.boolean().optional(),
    regexOnFullURL: z.boolean().optional(),
    excludePaths: bounded(z.array(z.string()), { entries: MAX_PATTERNS }).optional(),
    delay: z.number().optional(),
    scrapeOptions: scrapeOptions.optional(),
  },
  crawlBody,
);

/** Converts the body of `POST /v1/crawl`. */
export function translateCrawlRequest(sent: unknown): TranslatedBody {
  const {
    maxDepth,
    ignoreSitemap,
    allowBackwardLinks,
    delay,
    scrapeOptions: pages = {},
    ...same
  } = validate(olderBody, sent, 'body');
  const { options, jsonNames } = translateScrapeOptions(pages);
  const { url, excludePaths = [], regexOnFullURL = false, crawlEntireDomain = allowBackwardLinks } = same;
  return {
    body: {
      ...same,
      scrapeOptions: options,
      ...(maxDepth !== undefined && {
        excludePaths: [...excludePaths, ...patternOfDeeper(url, maxDepth, regexOnFullURL)],
      }),
      ...(ignoreSitemap !== undefined && { sitemap: ignoreSitemap ? 'skip' : 'include' }),
      ...(crawlEntireDomain !== undefined && { crawlEntireDomain }),
      // Some clients send a delay of 0 for none.
      ...(delay && { delay }),
    },
    amend: (checked) => nameDataOfPages(checked, { jsonNames }),
  };
}

/**
 * The pattern of all paths that are deeper below the start URL than `maxDepth` of version 1 allows. It counted
 * the parts of paths, which version 2 does not.
 * @returns none if no path is that deep
 */
function patternOfDeeper(url: string, maxDepth: number, regexOnFullURL: boolean): string[] {
  const { pathname = '/' } = URL.parse(url) ?? URL.parse(`http://${url}`) ?? {};
  const parts = pathname.split('/').filter((part) => part !== '' && !/^index\.(?:html|php)$/.test(part));
  const depth = parts.length + maxDepth;
  if (depth >= MAX_PARTS) return [];
  const host = regexOnFullURL ? '^https?://[^/?#]+' : '^';
  return [`${host}(?:/+[^/?#]+){${depth + 1}}`];
}
