import { z } from 'zod';
import { quote } from '../errors.ts';
import { bounded } from '../json/bounded.ts';
import { fieldsOf } from '../json/json-object.ts';
import { withKeywords, withShorthand } from '../json/schema-keywords.ts';
import { unlessEmpty } from '../json/unless-empty.ts';
import { countryFault } from './country.ts';
import { document } from './document.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import {
  describeUnavailable,
  refuseMarketplace,
  refuseUnavailable,
  requestsThreatProtection,
} from './unavailable-options.ts';

/** The timeout of a search request that does not set one. */
const SEARCH_TIMEOUT_MS = 60_000;
const MAX_QUERY_CHARACTERS = 500;
const MAX_RESULTS = 100;
const MAX_DOMAINS = 100;
/** The most sources, categories and modes, each of which may be repeated. */
const MAX_CHOICES = 20;

/** The kinds of results. */
const SEARCH_SOURCES = ['web', 'images', 'news'] as const;
export type SearchSource = (typeof SEARCH_SOURCES)[number];
/** The parts of the web that results can be limited to. */
const SEARCH_CATEGORIES = ['github', 'research', 'pdf', 'developer'] as const;
export type SearchCategory = (typeof SEARCH_CATEGORIES)[number];

const PERIOD =
  /^(?:sbd:[01],)?(?:qdr:[hdwmy]\d{0,3}|cdr:1(?:,cd_m(?:in|ax):[\d/.-]{1,20}){0,2}|sbd:[01])(?:,sbd:[01])?$/;

/** The options that choose the results of a source. */
const resultOptions = {
  tbs: unlessEmpty(
    z.string().regex(PERIOD, 'tbs must be a period such as qdr:d, qdr:w, qdr:m or qdr:y'),
  ).describe(
    'period of publication: qdr:h, qdr:d, qdr:w, qdr:m, qdr:y for the last hour to year. Only with SearXNG',
  ),
  filter: z.string().max(100).optional().describe('accepted, but has no effect'),
  lang: unlessEmpty(
    z
      .string()
      .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?$/, 'lang must be a language code such as de or pt-BR'),
  ).describe('language of the results; default: the choice of SearXNG'),
  country: unlessEmpty(
    z.string().regex(/^[A-Za-z]{2}$/, { error: ({ input }) => countryFault(input) }),
  ).describe('country of the results, with lang. Only with SearXNG'),
  location: z.string().max(200).optional().describe('accepted, but has no effect beyond a warning'),
};

/** A name, or an object with it as its type. */
const named = <const Name extends string, Shape extends z.ZodRawShape>(
  names: readonly Name[],
  shape: Shape,
) =>
  withShorthand(
    z.preprocess(
      (value) => (typeof value === 'string' ? { type: value } : value),
      z.strictObject({ type: z.enum(names), ...shape }),
    ),
    { enum: names },
  );

const source = named(SEARCH_SOURCES, resultOptions);
const category = named(SEARCH_CATEGORIES, {});

/** Says that a value is no host name, and which one a URL has. */
function domainFault(input: unknown): string {
  const hostname = URL.parse(String(input))?.hostname;
  return `must be a host name such as example.com, not ${quote(String(input))}${hostname ? `. Write ${quote(hostname)}` : ''}`;
}

/** A host name without scheme and path; in lower case, and in ASCII, as URLs have it. */
export const searchDomain = withKeywords(
  z
    .string()
    .max(253)
    .refine(
      (name) => {
        const url = URL.parse(`http://${name}`);
        return url?.href === `http://${url?.hostname}/`;
      },
      { error: ({ input }) => domainFault(input) },
    )
    .transform((name) => URL.parse(`http://${name}`)?.hostname.replace(/^www\./, '') ?? ''),
  { type: 'string', examples: ['example.com'] },
);
const domains = bounded(z.array(searchDomain), { entries: MAX_DOMAINS }).default([]);

const unique = <Item extends { type: string }>(items: Item[]) => [
  ...new Map(items.map((item) => [item.type, item])).values(),
];

const scrapeOptions = z
  .strictObject({
    ...scrapeOptionFields,
    lockdown: withKeywords(scrapeOptionFields.lockdown, { const: false }).describe(
      'not possible in a search',
    ),
    formats: scrapeOptionFields.formats
      .unwrap()
      .default([])
      .describe('outputs to produce; none: no result is scraped'),
    ...callerFields,
  })
  .partial({ origin: true })
  .superRefine(checkScrapeOptions)
  .refine(({ lockdown }) => !lockdown, {
    path: ['lockdown'],
    error:
      'lockdown is not possible in a search, which itself contacts other services. Scrape the results with lockdown instead.',
  })
  .transform(resolveScrapeOptions);

/** The words to search for, and how. */
export const searchBody = z
  .strictObject({
    query: withKeywords(
      z
        .string()
        .max(MAX_QUERY_CHARACTERS, `query must have at most ${MAX_QUERY_CHARACTERS} characters`)
        .refine((text) => text.trim() !== '', 'query must not be empty'),
      { pattern: '\\S' },
    ).describe('words to search for'),
    limit: z.int().min(1).max(MAX_RESULTS).default(10).describe('maximum number of results of each source'),
    sources: bounded(z.array(source).min(1), { entries: MAX_CHOICES })
      .default([{ type: 'web' }])
      .transform(unique)
      .describe('kinds of results; images and news only with SearXNG'),
    categories: bounded(z.array(category), { entries: MAX_CHOICES })
      .default([])
      .transform(unique)
      .describe(
        'parts of the web: github, research (sites of science), pdf, developer (documentation, code, questions)',
      ),
    includeDomains: domains.describe('hosts that results must be on; their subdomains count as well'),
    excludeDomains: domains.describe('hosts that results must not be on; their subdomains count as well'),
    ...resultOptions,
    safe: z.boolean().default(false).describe('leave out explicit results. Only with SearXNG'),
    timeout: z
      .int()
      .min(1, 'timeout must be at least 1')
      .max(300_000, 'timeout must be at most 300000')
      .default(SEARCH_TIMEOUT_MS)
      .describe(
        'time limit of the whole request in ms; results that are not scraped by then come without their pages',
      ),
    ignoreInvalidURLs: z
      .boolean()
      .default(false)
      .describe('accepted, but has no effect: results whose URLs are not http or https are always left out'),
    highlights: z
      .boolean()
      .default(true)
      .describe(
        'describe a result by the part of its text that fits the query; false: as the page describes itself',
      ),
    asyncScraping: z
      .boolean()
      .default(false)
      .describe(
        'return at once, with the ids of scrapes that continue; GET /v2/scrape/{id} returns their results',
      ),
    scrapeOptions: scrapeOptions
      .prefault({})
      .describe('options for scraping the results, with at least one format'),
    enterprise: bounded(
      z.array(describeUnavailable('enterprise', z.enum(['default', 'anon', 'zdr']), { enum: ['default'] })),
      { entries: MAX_CHOICES },
    ).default([]),
    threatProtection: scrapeOptionFields.threatProtection,
    auditMetadata: scrapeOptionFields.auditMetadata,
    domainTools: scrapeOptionFields.domainTools,
    toolDetail: scrapeOptionFields.toolDetail,
    ...callerFields,
  })
  .superRefine(({ enterprise, threatProtection }, context) =>
    refuseUnavailable(
      {
        'enterprise zdr': enterprise.includes('zdr'),
        'enterprise anon': enterprise.includes('anon'),
        threatProtection: requestsThreatProtection(threatProtection),
      },
      context,
    ),
  )
  .refine(({ includeDomains, excludeDomains }) => !includeDomains.length || !excludeDomains.length, {
    path: ['excludeDomains'],
    error: 'includeDomains and excludeDomains cannot both be specified',
  })
  .refine(({ categories }) => categories.length < 2 || categories.every(({ type }) => type !== 'developer'), {
    path: ['categories'],
    error: 'the category developer cannot be combined with others',
  });

const isMarketplace = (source: unknown) => (fieldsOf(source).type ?? source) === 'alexandria';

/**
 * Body of `POST /v2/search`. The official MCP server adds the marketplace to the sources of every search, so it is
 * left out, and refused only where it is the only source.
 */
export const searchRequestBody = z.preprocess((body, context) => {
  const { sources } = fieldsOf(body);
  if (!Array.isArray(sources) || !sources.some(isMarketplace)) return body;
  const others = sources.filter((each) => !isMarketplace(each));
  if (others.length === 0)
    refuseMarketplace(['sources'], 'Leave it out of sources, which are web, images and news.', context);
  return { ...fieldsOf(body), sources: others };
}, searchBody);

/** The body of a search request after validation, with defaults filled in. */
export type SearchRequest = z.output<typeof searchBody>;

const position = z.int().min(1);
const categoryOfResult = z.enum(SEARCH_CATEGORIES).optional();

/** A result of the web; a scraped one also has the fields of its document. */
const webResult = document.partial().extend({
  url: z.string(),
  title: z.string(),
  description: z.string(),
  position,
  category: categoryOfResult,
});
const newsResult = document.partial().extend({
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  date: z.string().optional(),
  imageUrl: z.string().optional(),
  position,
  category: categoryOfResult,
});
const imageResult = z.object({
  title: z.string(),
  imageUrl: z.string(),
  imageWidth: z.int().optional(),
  imageHeight: z.int().optional(),
  url: z.string().describe('the page with the image'),
  position,
});

/** The results of a search by source; only requested sources are keys. */
const searchData = z.object({
  web: z.array(webResult).optional(),
  news: z.array(newsResult).optional(),
  images: z.array(imageResult).optional(),
});
export type SearchData = z.output<typeof searchData>;

/** The result of a search, as its activities store it. */
const searchResult = z.object({
  data: searchData,
  warning: z.string().nullable().describe('which index was searched, and why results may be missing'),
  creditsUsed: z
    .int()
    .describe('2 for each started ten results, and the credits of the scrapes that have ended'),
  scrapeIds: z
    .object({ web: z.array(z.uuid()).optional(), news: z.array(z.uuid()).optional() })
    .optional()
    .describe('with asyncScraping: the ids of the scrapes, in the order of the results'),
});
export type SearchResult = z.output<typeof searchResult>;

/** Response of `POST /v2/search`. */
export const searchResponse = searchResult.extend({ success: z.literal(true), id: z.uuid() });
