import { z } from 'zod';
import { crawlOptionFields } from './crawl.ts';
import { callerFields, scrapeOptionFields } from './scrape-options.ts';
import { refuseUnavailable, requestsThreatProtection } from './unavailable-options.ts';

/** The timeout of a map request that does not set one. */
export const MAP_TIMEOUT_MS = 60_000;

const { includePaths, excludePaths, regexOnFullURL, ignoreRobotsTxt } = crawlOptionFields;
const { headers, location, threatProtection, auditMetadata, useMock } = scrapeOptionFields;

/** Body of `POST /v2/map`. */
export const mapBody = z
  .strictObject({
    url: z
      .string()
      .describe('URL of the site, or of a part of it: with a path, only pages below that path are listed'),
    search: z
      .string()
      .max(1_000)
      .optional()
      .describe('words by whose relevance the links are sorted; no link is left out'),
    sitemap: z
      .enum(['skip', 'include', 'only'])
      .default('include')
      .describe('how sitemaps are used; only: nothing but the URLs in sitemaps is listed'),
    includeSubdomains: z.boolean().default(true).describe('include other hosts of the same domain'),
    ignoreQueryParameters: z
      .boolean()
      .default(true)
      .describe('remove the query from links, and list links that differ only in it once'),
    filterByPath: z
      .boolean()
      .default(true)
      .describe('list only URLs below the path of the requested URL, if it has one'),
    includePaths,
    excludePaths,
    regexOnFullURL,
    ignoreRobotsTxt,
    ignoreCache: z
      .boolean()
      .default(false)
      .describe('read the site again instead of using cached sitemaps and links'),
    useIndex: z.boolean().default(true).describe('include pages of the site that were scraped before'),
    limit: z.int().min(1).max(100_000).default(5_000).describe('maximum number of links'),
    timeout: z
      .int()
      .min(1, 'timeout must be at least 1')
      .max(300_000, 'timeout must be at most 300000')
      .optional()
      .describe(
        `time limit of the whole request in ms; default ${MAP_TIMEOUT_MS}. The search for links ends a little earlier`,
      ),
    headers,
    location: location.describe('languages are sent as Accept-Language; country has no effect'),
    threatProtection,
    auditMetadata,
    useMock,
    ...callerFields,
  })
  .superRefine((options, context) =>
    refuseUnavailable(
      {
        useMock: options.useMock !== undefined,
        threatProtection: requestsThreatProtection(options.threatProtection),
      },
      context,
    ),
  );

/** The body of a map request after validation, with defaults filled in. */
export type MapRequest = z.output<typeof mapBody> & {
  /** The hosts that the site may redirect to; absent if any may be. */
  allowedHosts?: string[];
};

const link = z.object({
  url: z.string().describe('absolute URL'),
  title: z.string().optional().describe('present if it is known'),
  description: z.string().optional(),
});

/**
 * The links of a site, without duplicates. The requested URL comes first; with `search`, the links are sorted
 * by relevance instead.
 */
const mapResult = z.object({
  links: z.array(link),
  warning: z.string().optional().describe('reason why links may be missing'),
});

/** The result of a map, as the map activity stores it. */
export type MapResult = z.output<typeof mapResult>;

/** Response of `POST /v2/map`. */
export const mapResponse = mapResult.extend({ success: z.literal(true), id: z.uuid() });
