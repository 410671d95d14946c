import { z } from 'zod';
import { cssSelector } from '../content/formats/css-selector.ts';
import { MAX_MASKS } from '../content/formats/screenshot.ts';
import { bounded } from '../json/bounded.ts';
import { fieldsOf, isJsonObject } from '../json/json-object.ts';
import { withKeywords } from '../json/schema-keywords.ts';
import { validatePatterns } from '../patterns/pattern-list.ts';
import { crawlOptionFields } from './crawl.ts';
import { optionConflicts } from './formats.ts';
import {
  callerFields,
  checkScrapeOptions,
  resolveScrapeOptions,
  scrapeOptionFields,
} from './scrape-options.ts';
import { searchDomain } from './search.ts';
import { acceptedLocation } from './visitor.ts';

/** The most targets of a monitor. */
const MAX_TARGETS = 50;
/** The most URLs of a target. */
const MAX_URLS = 1_000;
const MAX_URL_CHARACTERS = 500_000;
const MAX_QUERIES = 12;
const MAX_QUERY_CHARACTERS = 256;
const MAX_RESULTS = 50;
const MAX_DOMAINS = 50;
const MAX_IGNORE_PATTERNS = 20;
const MAX_CHANGED_WORDS = 1_000;
const MAX_FAILURE_THRESHOLD = 100;
const MAX_MASK_CHARACTERS = 20_000;
/** More pixels than a picture has in one direction. */
const MAX_PIXELS = 100_000;
/** The share of pixels that has to differ by default: noise of a picture is less, and a product photo more. */
const DEFAULT_CHANGED_SHARE = 0.005;
/** Failed checks in a row after which a failure is told: one that is gone at the next check is told to nobody. */
export const DEFAULT_FAILURE_THRESHOLD = 2;

const NO_COPIES = 'because a monitor compares pages as they are now with stored ones. Leave it out';

/** Without the option that wants old copies. */
const { minAge: _, ...freshFields } = scrapeOptionFields;

const scrapeOptions = z
  .strictObject({
    ...freshFields,
    lockdown: withKeywords(scrapeOptionFields.lockdown, { const: false }).describe(
      'not possible in a monitor',
    ),
    ...callerFields,
  })
  .partial({ origin: true })
  .superRefine(checkScrapeOptions)
  .superRefine((options, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message, input: options });
    if (options.lockdown) refuse('lockdown', `lockdown is not possible in a monitor, ${NO_COPIES}`);
    for (const message of optionConflicts(options.formats, 'crawl')) refuse('formats', message);
  })
  .transform(resolveScrapeOptions)
  .prefault({})
  .describe('options for scraping each page');

const ignorePatterns = bounded(
  z.array(withKeywords(z.string(), { examples: ['^Seen by', '[0-9]+ visitors'] })),
  {
    entries: MAX_IGNORE_PATTERNS,
  },
)
  .default([])
  .superRefine((texts, context) => {
    const message = validatePatterns(texts);
    if (message) context.addIssue({ code: 'custom', message, input: texts });
  });

const pixels = z.int().max(MAX_PIXELS);
const rectangle = z.strictObject({
  x: pixels.min(0),
  y: pixels.min(0),
  width: pixels.min(1),
  height: pixels.min(1),
});

/** How screenshots are compared. */
const screenshotDetection = z
  .strictObject({
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(DEFAULT_CHANGED_SHARE)
      .describe(
        'share of the pixels that has to differ for a change: 0.005 is half a percent, such as 100 by 100 pixels of a window; 0 counts each pixel',
      ),
    mask: bounded(z.array(z.union([cssSelector, rectangle])), {
      entries: MAX_MASKS,
      characters: MAX_MASK_CHARACTERS,
    })
      .default([])
      .describe(
        'what does not count: CSS selectors of elements, which the pictures leave blank, and rectangles in pixels from the upper left corner',
      ),
  })
  .optional()
  .describe(
    'compares screenshots pixel by pixel: a page with a picture that differs is changed. scrapeOptions need the format screenshot; where formats have no text or data besides, only pixels count',
  );

/** What does not count as a change. */
const changeDetection = z
  .strictObject({
    ignore: bounded(z.array(z.enum(['numbers', 'dates', 'order', 'links', 'images'])), { entries: 10 })
      .default([])
      .describe(
        'what does not count: numbers, dates and times, the order of lines, where links lead, images',
      ),
    ignorePatterns: ignorePatterns.describe(
      'regular expressions (RE2 syntax); lines of the markdown that match one of them do not count',
    ),
    minChangedWords: z
      .int()
      .min(1)
      .max(MAX_CHANGED_WORDS)
      .default(1)
      .describe('with fewer changed words, a page counts as unchanged'),
    failureThreshold: z
      .int()
      .min(1)
      .max(MAX_FAILURE_THRESHOLD)
      .default(DEFAULT_FAILURE_THRESHOLD)
      .describe('events tell once that a page cannot be read, after this many checks in a row'),
    screenshot: screenshotDetection,
  })
  .prefault({})
  .describe(
    'what does not count as a change, besides white space, relative times, counters and tokens in links, which never count',
  );
export type ChangeDetection = z.output<typeof changeDetection>;
export type ScreenshotDetection = NonNullable<ChangeDetection['screenshot']>;

/** Refuses to compare screenshots that there are not, or that are no PNG files. */
function requireScreenshot(
  { scrapeOptions: { formats }, changeDetection: { screenshot } }: PageOptions,
  context: z.RefinementCtx,
): void {
  if (!screenshot) return;
  const format = formats.find(({ type }) => type === 'screenshot');
  if (!format)
    context.addIssue({
      code: 'custom',
      path: ['changeDetection', 'screenshot'],
      message:
        'there is no screenshot to compare. Add one to scrapeOptions.formats, such as {"type": "screenshot", "fullPage": true}, or leave screenshot out of changeDetection',
      input: screenshot,
    });
  else if ('quality' in format && format.quality !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['scrapeOptions', 'formats'],
      message:
        'pictures of a quality are JPEG files, which are not compared pixel by pixel. Leave quality out of the screenshot',
      input: formats,
    });
}

/** What requireScreenshot looks at. */
interface PageOptions {
  scrapeOptions: z.output<typeof scrapeOptions>;
  changeDetection: ChangeDetection;
}

const id = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('name of the target in results, unique in the monitor; default: its position, such as target-1');

const scrapeTarget = z
  .strictObject({
    type: z.literal('scrape'),
    id,
    urls: bounded(z.array(z.string()).min(1), { entries: MAX_URLS, characters: MAX_URL_CHARACTERS }).describe(
      'URLs of the pages',
    ),
    scrapeOptions,
    changeDetection,
  })
  .superRefine(requireScreenshot);

const crawlTarget = z
  .strictObject({
    type: z.literal('crawl'),
    id,
    url: z.string().describe('URL where the crawl starts'),
    crawlOptions: z.strictObject(crawlOptionFields).prefault({}).describe('which pages belong to the crawl'),
    scrapeOptions,
    changeDetection,
  })
  .superRefine(requireScreenshot);

const domains = bounded(z.array(searchDomain), { entries: MAX_DOMAINS }).default([]);

const searchTarget = z
  .strictObject({
    type: z.literal('search'),
    id,
    queries: bounded(
      z
        .array(
          withKeywords(
            z
              .string()
              .max(MAX_QUERY_CHARACTERS)
              .refine((text) => text.trim() !== '', 'a query must not be empty'),
            { pattern: '\\S' },
          ),
        )
        .min(1),
      { entries: MAX_QUERIES },
    ).describe('words to search for'),
    searchWindow: z
      .enum(['5m', '15m', '1h', '6h', '24h', '7d'])
      .default('24h')
      .describe('how old results may be, as exactly as the search engine can'),
    maxResults: z
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(10)
      .describe('maximum number of results of each query'),
    includeDomains: domains.describe('hosts that results must be on'),
    excludeDomains: domains.describe('hosts that results must not be on'),
  })
  .refine(({ includeDomains, excludeDomains }) => !includeDomains.length || !excludeDomains.length, {
    path: ['excludeDomains'],
    error: 'includeDomains and excludeDomains cannot both be specified',
  });

const monitorTarget = z.discriminatedUnion('type', [scrapeTarget, crawlTarget, searchTarget]);

/** What a monitor watches. */
export const monitorTargets = bounded(
  z.array(monitorTarget).min(1, 'targets must contain at least one target'),
  {
    entries: MAX_TARGETS,
  },
).superRefine((targets, context) => {
  const names = targets.map(targetName);
  const doubled = names.findIndex((name, index) => names.indexOf(name) < index);
  if (doubled >= 0)
    context.addIssue({
      code: 'custom',
      path: [doubled, 'id'],
      message: 'two targets have this id. Give each an id of its own, or none',
      input: targets,
    });
});

/** Reads the targets of a stored monitor, which an earlier version may have accepted. */
export function readStoredTargets(stored: unknown): z.output<typeof monitorTargets> {
  const targets = Array.isArray(stored) ? stored : [];
  return monitorTargets.parse(
    targets.map((target) => {
      const { scrapeOptions } = fieldsOf(target);
      if (!isJsonObject(scrapeOptions) || scrapeOptions.location === undefined) return target;
      const location = acceptedLocation(scrapeOptions.location);
      return { ...fieldsOf(target), scrapeOptions: { ...scrapeOptions, location } };
    }),
  );
}

export type MonitorTarget = z.output<typeof monitorTarget>;
export type PageTarget = Exclude<MonitorTarget, { type: 'search' }>;
export type SearchTarget = Extract<MonitorTarget, { type: 'search' }>;

/** The name of a target: its `id`, or one by its position. */
export const targetName = ({ id: name }: { id?: string | undefined }, index: number): string =>
  name ?? `target-${index + 1}`;
