import { z } from 'zod';
import { crawlOptionFields } from './crawl.ts';
import { callerFields, scrapeOptionFields } from './scrape-options.ts';

/** The timeout of a map request that does not set one. */
export const MAP_TIMEOUT_MS = 60_000;

/**
 * Refuses options that this version does not implement. They are not ignored, because a caller may rely on
 * the protection that such an option promises.
 */
function checkAvailable(
  { useMock, threatProtection }: { useMock?: unknown; threatProtection?: { mode?: string | undefined } },
  context: z.RefinementCtx,
): void {
  const asked = {
    useMock: useMock !== undefined,
    threatProtection: threatProtection !== undefined && threatProtection.mode !== 'off',
  };
  for (const [name, isAsked] of Object.entries(asked)) {
    if (!isAsked) continue;
    context.addIssue({
      code: 'custom',
      path: [],
      message: `${name} is not available in this version of Winnow. Leave it out and try again.`,
      params: { code: 'FEATURE_NOT_AVAILABLE' },
    });
  }
}

const { includePaths, excludePaths, regexOnFullURL, ignoreRobotsTxt } = crawlOptionFields;
const { headers, location, threatProtection, auditMetadata, useMock } = scrapeOptionFields;

/** Body of `POST /v2/map`. */
export const mapBody = z
  .strictObject({
    url: z.string().describe('address of the site; with a path, of the part of it below that path'),
    search: z
      .string()
      .max(1_000)
      .optional()
      .describe('words that the links are ordered by; none is left out for them'),
    sitemap: z
      .enum(['skip', 'include', 'only'])
      .default('include')
      .describe('only: nothing but what sitemaps name'),
    includeSubdomains: z.boolean().default(true).describe('also other hosts of the same domain'),
    ignoreQueryParameters: z
      .boolean()
      .default(true)
      .describe('links come without their query, and what differs in it alone is one link'),
    filterByPath: z
      .boolean()
      .default(true)
      .describe('only what lies below the path of the address, where it has one'),
    includePaths,
    excludePaths,
    regexOnFullURL,
    ignoreRobotsTxt,
    ignoreCache: z.boolean().default(false).describe('only what the site says now, nothing seen before'),
    useIndex: z.boolean().default(true).describe('also pages of the site that were scraped before'),
    limit: z.int().min(1).max(100_000).default(5_000).describe('most links'),
    timeout: z
      .int()
      .min(1, 'timeout must be at least 1')
      .max(300_000, 'timeout must be at most 300000')
      .optional()
      .describe(
        `ms for the whole request; a little earlier the search for links ends; default ${MAP_TIMEOUT_MS}`,
      ),
    headers,
    location: location.describe('its languages are asked for; its country has no effect'),
    threatProtection,
    auditMetadata,
    useMock,
    ...callerFields,
  })
  .superRefine(checkAvailable);

/** The body of a map request after validation, with defaults filled in. */
export type MapRequest = z.output<typeof mapBody>;

const link = z.object({
  url: z.string().describe('absolute'),
  title: z.string().optional().describe('where it is known'),
  description: z.string().optional(),
});

/**
 * The links of a site, without duplicates. The requested URL comes first; with `search`, the links are sorted
 * by relevance instead.
 */
const mapResult = z.object({
  links: z.array(link),
  warning: z.string().optional().describe('why there may be more links than these'),
});

/** The result of a map, as the map activity stores it. */
export type MapResult = z.output<typeof mapResult>;

/** Response of `POST /v2/map`. */
export const mapAnswer = mapResult.extend({ success: z.literal(true), id: z.uuid() });
