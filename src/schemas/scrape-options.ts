import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { cssSelector } from '../content/formats/css-selector.ts';
import type { ConflictingOption } from '../content/formats/format.ts';
import { ENTITIES, REDACTION_MODES, REPLACE_STYLES } from '../content/redaction/redaction.ts';
import { excerpt, quote } from '../errors.ts';
import { bounded } from '../json/bounded.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { unlessEmptyObject } from '../json/unless-empty.ts';
import { actions, waitingMs } from './actions.ts';
import { formatConflicts, formatRequest, optionConflicts } from './formats.ts';
import { parsers } from './parsers.ts';
import { profileName } from './profile.ts';
import {
  describeUnavailable,
  refusalOf,
  refuseUnavailable,
  requestsThreatProtection,
} from './unavailable-options.ts';
import { visitorFields } from './visitor.ts';

const DAY_MS = 86_400_000;
const DEFAULT_TIMEOUT_MS = 60_000;

/** The most selectors of one option; each is matched against the whole page. */
const MAX_SELECTORS = 1_000;
const MAX_SELECTOR_CHARACTERS = 100_000;
const MAX_HEADERS = 1_000;
/**
 * The most formats, which may be repeated, and the most characters of their selectors, schemas and prompts.
 */
const MAX_FORMATS = 50;
const MAX_FORMAT_CHARACTERS = 500_000;
const MAX_ENTITIES = 20;
/** The most entries of the lists of options that are not available. */
const MAX_DOMAINS = 1_000;

const selectors = bounded(z.array(cssSelector), {
  entries: MAX_SELECTORS,
  characters: MAX_SELECTOR_CHARACTERS,
}).optional();

/** Converts a check that throws to a predicate: false if the check throws. */
const passes = (check: () => void) => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

/**
 * Bytes of all headers of a request together. Servers, and the proxy that the browser goes through, read 16
 * KiB with their own.
 */
const MAX_HEADER_BYTES = 12_288;

/** Headers that Node accepts. Values cannot contain line breaks, so they cannot inject other headers. */
const headers = withKeywords(
  bounded(z.record(z.string(), z.string()), { entries: MAX_HEADERS }).superRefine((fields, context) => {
    const entries = Object.entries(fields);
    const refuse = (message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path });
    const bytes = entries.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > MAX_HEADER_BYTES)
      return refuse(`headers have ${bytes} bytes together; at most ${MAX_HEADER_BYTES} are allowed`);
    for (const [name, value] of entries) {
      if (!passes(() => validateHeaderName(name)))
        refuse(`${quote(name)} is no name of a header; names have letters, digits and hyphens`, [name]);
      else if (!passes(() => validateHeaderValue(name, value)))
        refuse(
          `the value of the header ${excerpt(name)} has a character that headers cannot have: a control character, or one outside of Latin-1, which can be sent percent-encoded`,
          [name],
        );
    }
  }),
  {
    // RFC 9110, 5.1 and 5.5, as `validateHeaderName` and `validateHeaderValue` check them.
    propertyNames: { type: 'string', pattern: "^[!#$%&'*+.^_`|~\\w-]+$" },
    additionalProperties: { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
  },
).optional();

const redactPii = z.union([
  z.boolean(),
  z.strictObject({
    mode: z
      .enum(REDACTION_MODES)
      .default('accurate')
      .describe(
        '`fast`: by rules only, without a language model; `aggressive`: also numbers that only may be telephone numbers',
      ),
    entities: bounded(z.array(z.enum(ENTITIES)), { entries: MAX_ENTITIES })
      .optional()
      .describe('the kinds of data to replace; all by default'),
    replaceStyle: z
      .enum(REPLACE_STYLES)
      .default('tag')
      .describe('`tag`: such as `<EMAIL>`; `mask`: as many asterisks as characters; `remove`: nothing'),
  }),
]);
const domains = bounded(z.array(z.string()), { entries: MAX_DOMAINS });
const threatProtection = z.strictObject({
  mode: withKeywords(z.enum(['off', 'manual-only', 'normal', 'zscaler']).optional(), { enum: ['off'] }),
  riskScoreThreshold: z.number().min(0).max(100).optional(),
  blacklist: domains.optional(),
  whitelist: domains.optional(),
  blockedTlds: domains.optional(),
  failurePolicy: z.enum(['open', 'closed']).optional(),
});

/** Fields that every POST and PATCH accepts, because the clients add them. */
export const callerFields = {
  origin: z.string().default('api').describe('name of the calling program'),
  integration: z.string().nullish().describe('name of the calling integration'),
};

/** A list of formats, which is `markdown` by default. */
export const formatList = (request: typeof formatRequest) =>
  bounded(z.array(request), { entries: MAX_FORMATS, characters: MAX_FORMAT_CHARACTERS }).default([
    { type: 'markdown' },
  ]);

/** The scrape options, as fields of the request bodies of scrapes, batches and crawls. */
export const scrapeOptionFields = {
  formats: formatList(formatRequest).describe('outputs to produce'),
  onlyMainContent: z.boolean().default(true).describe('leave out headers, navigation and footers'),
  onlyCleanContent: z
    .boolean()
    .default(false)
    .describe(
      'remove remaining boilerplate from the markdown by a language model, which selects what is removed and writes nothing; a page longer than its output limit stays as it is, with a warning',
    ),
  includeTags: selectors.describe('CSS selectors; only matching elements are kept'),
  excludeTags: selectors.describe('CSS selectors; matching elements are removed'),
  maxAge: z
    .int()
    .min(0)
    .optional()
    .describe('maximum age in ms of a cached copy that may be returned; default two days'),
  minAge: z
    .int()
    .min(0)
    .optional()
    .describe(
      'minimum age in ms of the cached copy to return. With it, only the cache is used, and a crawl reads neither robots.txt nor sitemaps',
    ),
  headers: headers.describe('headers of the request for the page'),
  waitFor: z
    .int()
    .min(0)
    .max(60_000, 'waitFor must be at most 60000')
    .default(0)
    .describe('time in ms to wait before the page is read'),
  mobile: visitorFields.mobile,
  skipTlsVerification: z
    .boolean()
    .optional()
    .describe('accept invalid certificates; default true, but false if headers or actions are set'),
  timeout: z
    .int()
    .min(1000, 'timeout must be at least 1000')
    .max(300_000, 'timeout must be at most 300000')
    .optional()
    .describe('time limit of the whole request in ms; default 60000'),
  parsers,
  actions: unlessEmptyObject(actions).optional().describe('actions to perform on the page before it is read'),
  location: visitorFields.location,
  removeBase64Images: z
    .boolean()
    .default(true)
    .describe('replace data: URLs of images in markdown with a placeholder'),
  fastMode: z.boolean().default(false).describe('use plain HTTP requests only, so that scripts are not run'),
  blockAds: z.boolean().default(true),
  proxy: z
    .enum(['basic', 'stealth', 'enhanced', 'auto'])
    .default('auto')
    .describe(
      'enhanced costs 5 credits; auto costs as much if only an enhanced proxy got the page; stealth means enhanced',
    ),
  storeInCache: z.boolean().default(true),
  lockdown: z.boolean().default(false).describe('return cached copies only and never contact the site'),
  profile: z
    .strictObject({
      name: profileName,
      saveChanges: z
        .boolean()
        .default(true)
        .describe(
          'save the changes of this scrape; only one scrape at a time may do so, and pages of batches and crawls never do',
        ),
    })
    .optional()
    .describe(
      'browser profile: cookies, localStorage and IndexedDB that are kept between scrapes that use the same name',
    ),
  redactPII: redactPii
    .default(false)
    .describe(
      'replace personal data in all texts of the result: e-mail addresses, telephone numbers, postal and IP addresses, payment cards, IBANs, national ids and keys by rules, names of persons by a language model',
    ),
  safeMode: describeUnavailable('safeMode', z.boolean().default(false), { const: false }),
  threatProtection: withKeywords(threatProtection.optional(), {
    description: refusalOf('threatProtection'),
    required: ['mode'],
  }),
  auditMetadata: z.strictObject({ username: z.string().max(1024).optional() }).optional(),
  useMock: describeUnavailable('useMock', z.string().optional()),
  domainTools: z.boolean().optional().describe('accepted, but has no effect'),
  toolDetail: z.enum(['compact', 'summary', 'full']).optional().describe('accepted, but has no effect'),
};

type Fields = z.output<z.ZodObject<typeof scrapeOptionFields>> & { zeroDataRetention?: boolean };

/** Lists the options of a request that formats may exclude, if the request contains them. */
function conflictingOptions(options: Fields): Exclude<ConflictingOption, 'crawl'>[] {
  const isGiven = {
    actions: Boolean(options.actions?.length),
    mobile: options.mobile,
    profile: options.profile !== undefined,
    waitFor: options.waitFor > 0,
    minAge: options.minAge !== undefined,
    redactPII: options.redactPII !== false,
  };
  // The keys of an object literal are those of its type.
  return (Object.keys(isGiven) as (keyof typeof isGiven)[]).filter((name) => isGiven[name]);
}

/** Checks the rules between scrape options. Every schema of a body that contains these options needs it. */
export function checkScrapeOptions(options: Fields, context: z.RefinementCtx): void {
  const addIssue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message, input: options });
  for (const message of formatConflicts(options.formats)) addIssue('formats', message);
  if (options.timeout !== undefined && options.waitFor > options.timeout / 2) {
    addIssue('waitFor', 'waitFor must not exceed half of timeout');
  }
  if (options.waitFor + waitingMs(options.actions ?? []) > 60_000) {
    addIssue('actions', 'waitFor and all wait actions together must not exceed 60000 ms');
  }
  for (const option of conflictingOptions(options)) {
    for (const message of optionConflicts(options.formats, option)) addIssue(option, message);
  }
  if (options.fastMode && options.actions?.length) {
    context.addIssue({
      code: 'custom',
      path: ['actions'],
      input: options,
      message: 'actions need the browser, which fastMode does not use. Leave one of them out.',
      params: { code: 'SCRAPE_ACTIONS_NOT_SUPPORTED' },
    });
  }
  refuseUnavailable(
    {
      safeMode: options.safeMode,
      threatProtection: requestsThreatProtection(options.threatProtection),
      useMock: options.useMock !== undefined,
    },
    context,
  );
}

/** Whether a request is served from the cache only, without a connection to its target. */
export const isCacheOnly = ({ lockdown, minAge }: { lockdown: boolean; minAge?: number | undefined }) =>
  lockdown || minAge !== undefined;

/** Fills in the defaults that depend on other options. */
export function resolveScrapeOptions<Options extends Fields>(options: Options) {
  const sensitive =
    Boolean(options.headers && Object.keys(options.headers).length) || Boolean(options.actions?.length);
  // A cache-only request accepts copies of any age unless it says otherwise: the cache keeps them for 730
  // days by default.
  const cacheOnly = isCacheOnly(options);
  return {
    ...options,
    timeout: options.timeout ?? DEFAULT_TIMEOUT_MS,
    maxAge: options.maxAge ?? (cacheOnly ? 730 * DAY_MS : 2 * DAY_MS),
    skipTlsVerification: options.skipTlsVerification ?? !sensitive,
    storeInCache: options.storeInCache && !sensitive && !options.zeroDataRetention,
  };
}
