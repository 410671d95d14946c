import { z } from 'zod';
import { FORMATS, typeOf } from '../../../content/formats/index.ts';
import { bounded } from '../../../json/bounded.ts';
import { fieldsOf } from '../../../json/json-object.ts';
import { scrapeOptionFields } from '../../../schemas/scrape-options.ts';

/** As many as the route allows, which checks the elements again. */
const BOUNDS = { entries: 50 };
const FORMAT_NAMES = [...FORMATS.map(typeOf), 'query'];

const { actions, includeTags, excludeTags, location, maxAge, profile, timeout } = scrapeOptionFields;
const { onlyMainContent, waitFor, mobile, skipTlsVerification, removeBase64Images } = scrapeOptionFields;
const { redactPII, storeInCache, lockdown, proxy, headers } = scrapeOptionFields;

/** Formats whose options are parameters of their own, because models fill in flat parameters more reliably. */
const formatParameters = {
  formats: bounded(z.array(z.union([z.enum(FORMAT_NAMES), z.looseObject({ type: z.string() })])), BOUNDS)
    .optional()
    .describe('outputs to produce, ["markdown"] by default. An object has the options of its format'),
  jsonOptions: z
    .looseObject({ prompt: z.string().optional(), schema: z.record(z.string(), z.unknown()).optional() })
    .optional()
    .describe('options of the format json: a JSON Schema of the data, a prompt, or both'),
  queryOptions: z
    .looseObject({ prompt: z.string(), mode: z.enum(['directQuote', 'freeform']).optional() })
    .optional()
    .describe('a question about the page. freeform answers it; directQuote returns passages word for word'),
};

const screenshotOptions = z
  .looseObject({
    fullPage: z.boolean().optional(),
    quality: z.number().optional(),
    viewport: z.object({ width: z.number(), height: z.number() }).optional(),
  })
  .optional()
  .describe('options of the format screenshot');

const pdfOptions = z
  .looseObject({ maxPages: z.number().optional() })
  .optional()
  .describe('options of the parser pdf');

/** How the content of a page or file is read. */
export const contentParameters = {
  ...formatParameters,
  onlyMainContent: onlyMainContent.optional(),
  includeTags,
  excludeTags,
  parsers: bounded(z.array(z.union([z.string(), z.looseObject({ type: z.string() })])), BOUNDS).optional(),
  pdfOptions,
  removeBase64Images: removeBase64Images.optional(),
  redactPII,
};

/** How a page is scraped. */
export const scrapeParameters = {
  ...contentParameters,
  screenshotOptions,
  actions,
  waitFor: waitFor.optional(),
  timeout,
  maxAge,
  mobile: mobile.optional(),
  location,
  headers,
  proxy: proxy.optional(),
  skipTlsVerification,
  storeInCache: storeInCache.optional(),
  lockdown: lockdown.optional(),
  profile,
};

/**
 * How the pages of a crawl, the results of a search and the page of a browser are scraped: the parameters that matter
 * there. Models read them with each of these tools; all others are accepted.
 */
export const nestedScrapeParameters = {
  ...formatParameters,
  onlyMainContent: onlyMainContent.optional(),
  includeTags,
  excludeTags,
  waitFor: waitFor.optional(),
  maxAge,
  proxy: proxy.optional(),
};

type Options = Readonly<Record<string, unknown>>;

/** The scrape options of the API that parameters stand for. */
export function toScrapeOptions(parameters: Options): Record<string, unknown> {
  const { jsonOptions, queryOptions, screenshotOptions, pdfOptions, formats, parsers, ...options } =
    parameters;
  const formatList = withOptions(formats, {
    json: jsonOptions,
    query: queryOptions,
    screenshot: screenshotOptions,
  });
  const parserList = withOptions(parsers, { pdf: pdfOptions });
  return {
    ...options,
    ...(formatList !== undefined && { formats: formatList }),
    ...(parserList !== undefined && { parsers: parserList }),
  };
}

/**
 * Gives the names of a list their options. A name that has options and is not in the list is added to it.
 * @param options by name; `undefined` for none
 * @returns the list as it is if it is none, for the route to refuse it
 */
function withOptions(list: unknown, options: Options): unknown {
  const given = Object.entries(options).filter(([, each]) => each !== undefined);
  if (given.length === 0) return list;
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const named = entries.map((entry) => {
    const own = given.find(([name]) => name === entry);
    return own ? { type: own[0], ...fieldsOf(own[1]) } : entry;
  });
  const missing = given.filter(([name]) => !named.some((entry) => fieldsOf(entry).type === name));
  return [...named, ...missing.map(([type, each]) => ({ type, ...fieldsOf(each) }))];
}
