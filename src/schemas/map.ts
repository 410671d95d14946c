import { z } from 'zod';
import { crawlOptionFields } from './crawl.ts';
import { callerFields, scrapeOptionFields } from './scrape-options.ts';

/** What a map has where the request says nothing. */
export const MAP_TIMEOUT_MS = 60_000;

/** Options that are understood but not served by this version; one that promises safety is never just ignored. */
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

/** A site to be mapped, as it was asked for. */
export type MapRequest = z.output<typeof mapBody>;

const link = z.object({
  url: z.string().describe('absolute'),
  title: z.string().optional().describe('where it is known'),
  description: z.string().optional(),
});

/** Each link once; the address itself first, or by relevance when words were given. */
const mapResult = z.object({
  links: z.array(link),
  warning: z.string().optional().describe('why there may be more links than these'),
});

/** What a map gives. */
export type MapResult = z.output<typeof mapResult>;

/** Answer of `POST /v2/map`. */
export const mapAnswer = mapResult.extend({ success: z.literal(true), id: z.uuid() });
