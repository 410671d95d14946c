import { cookieTextOf } from './cookie-text.ts';
import { isShort } from './examples.ts';
import { FORMAT_NAMES } from './format-names.ts';
import { json } from './meanings/meaning.ts';
import { MEMBER_NAMES } from './member-names.ts';
import { adviseOnCountry, adviseOnLanguage } from './place-words.ts';
import type { Replacement } from './replacement.ts';
import { scheduleOf } from './schedule-words.ts';
import { SCRAPER_NAMES } from './scraper-names.ts';

/** The URLs of a value, or an example. */
function urlsOf(value: unknown): unknown[] {
  const urls = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each);
  return urls.length && isShort(urls) ? urls : ['https://example.com'];
}

const OLD_NAMES: readonly Replacement[] = [
  {
    names: ['url'],
    beside: 'uploadRef',
    advice: 'This endpoint takes a file. Send a URL to POST /v2/scrape.',
  },
  {
    names: ['file', 'html', 'content', 'data', 'document'],
    beside: 'uploadRef',
    advice:
      'Send the file as multipart/form-data in the part `file`, with its name in the parameter filename.',
  },
  {
    names: ['filename', 'fileName', 'name', 'contentType', 'mimeType', 'size'],
    beside: 'uploadRef',
    advice: 'Leave it out: the part `file` of a form has the name and the type of the file.',
  },
  { names: ['urls'], beside: 'url', advice: 'Use url for one URL, and POST /v2/batch/scrape for several.' },
  { names: ['url'], beside: 'urls', advice: 'Use urls, a list such as ["https://example.com"].' },
  {
    names: ['url'],
    beside: 'activityTtl',
    advice:
      'Start the session without it. Then open the page with POST /v2/browser/{id}/execute and {"code": "await page.goto(\'https://example.com\')"}.',
  },
  {
    names: ['url', 'urls', 'target', 'pages'],
    beside: 'targets',
    advice: (value) => `Use targets: ${json([{ type: 'scrape', urls: urlsOf(value) }])}.`,
  },
  {
    names: ['cron', 'interval', 'every', 'frequency', 'timezone'],
    beside: 'schedule',
    advice: (value) => {
      const schedule = scheduleOf(value);
      return schedule
        ? `Use schedule: ${json(schedule)}.`
        : 'Use schedule, such as {"text": "every 30 minutes"} or {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}.';
    },
  },
  {
    names: ['task', 'goal', 'instruction', 'instructions', 'question', 'query'],
    beside: 'prompt',
    option: 'prompt',
  },
  { names: ['maxDepth', 'depth'], beside: 'maxDiscoveryDepth', option: 'maxDiscoveryDepth' },
  {
    names: ['ignoreSitemap', 'sitemapOnly'],
    beside: 'sitemap',
    advice: 'Use sitemap, which is "skip", "include" or "only".',
  },
  { names: ['allowBackwardLinks'], beside: 'crawlEntireDomain', option: 'crawlEntireDomain' },
  {
    names: ['allowExternalContentLinks', 'followExternalLinks'],
    beside: 'allowExternalLinks',
    option: 'allowExternalLinks',
  },
  { names: ['includes'], beside: 'includePaths', option: 'includePaths' },
  { names: ['excludes'], beside: 'excludePaths', option: 'excludePaths' },
  {
    names: ['maxPages', 'maxUrls', 'maxCrawlPages', 'numResults', 'maxResults', 'num', 'count', 'size'],
    beside: 'limit',
    option: 'limit',
  },
  {
    names: ['page', 'offset', 'start', 'cursor'],
    beside: 'skip',
    advice: 'Use skip, the number of entries to pass over, and limit.',
  },
  { names: ['perPage', 'pageSize'], beside: 'skip', option: 'limit' },
  { names: ['concurrency'], beside: 'maxConcurrency', option: 'maxConcurrency' },
  { names: ['webhookUrl', 'callback', 'callbackUrl'], beside: 'webhook', advice: 'Use webhook: {"url": …}.' },
  { names: ['q'], beside: 'query', option: 'query' },
  { names: ['query', 'q', 'keyword', 'keywords', 'filter'], beside: 'search', option: 'search' },
  {
    names: ['message', 'query', 'q', 'prompt', 'text', 'problem'],
    beside: 'question',
    option: 'question',
  },
  {
    names: ['seconds', 'duration', 'extendBy', 'timeout'],
    beside: 'ttl',
    option: 'ttl',
    form: 'in seconds',
  },
  {
    names: ['format', 'output', 'outputFormat'],
    beside: 'formats',
    advice: 'Use formats, a list such as ["markdown"].',
  },
  {
    names: ['parsePDF'],
    beside: 'parsers',
    advice: 'Use parsers: ["pdf"] to convert a PDF, [] to get it as base64.',
  },
  { names: ['wait', 'delayMs', 'waitMs'], beside: 'waitFor', option: 'waitFor', form: 'in milliseconds' },
  { names: ['timeoutMs', 'pageTimeout'], beside: 'timeout', option: 'timeout' },
  {
    names: ['selector', 'cssSelector', 'onlyIncludeTags', 'targetSelector'],
    beside: 'includeTags',
    option: 'includeTags',
    form: 'a list of CSS selectors',
  },
  {
    names: ['removeTags', 'excludedTags', 'removeSelector'],
    beside: 'excludeTags',
    option: 'excludeTags',
    form: 'a list of CSS selectors',
  },
  {
    names: ['userAgent'],
    beside: 'headers',
    advice: (value) =>
      `Use headers: ${typeof value === 'string' && isShort(value) ? json({ 'User-Agent': value }) : '{"User-Agent": …}'}.`,
  },
  {
    names: ['cookies', 'cookie'],
    beside: 'headers',
    advice: (value) => `Use headers: ${json({ Cookie: cookieTextOf(value) ?? 'name=value' })}.`,
  },
  {
    names: ['geolocation', 'country'],
    beside: 'location',
    advice: adviseOnCountry,
  },
  { names: ['language', 'languages', 'hl'], beside: 'lang', advice: 'Use lang, such as "de".' },
  {
    names: ['lang', 'languages', 'language'],
    beside: 'location',
    advice: adviseOnLanguage,
  },
  {
    names: ['fetchPageContent'],
    beside: 'scrapeOptions',
    advice: 'Use scrapeOptions: {"formats": ["markdown"]}.',
  },
];

/** Options of other endpoints and of the HTTP request. */
const ELSEWHERE: readonly Replacement[] = [
  {
    names: ['apiKey', 'api_key', 'key', 'token', 'authorization'],
    advice: 'Send the key in the header Authorization: Bearer <API key>.',
  },
  {
    names: ['webhook', 'webhooks', 'webhookUrl', 'callback', 'callbackUrl'],
    advice: 'Leave it out. Only crawl, batch/scrape, extract and agent take a webhook.',
  },
  {
    names: ['async', 'background'],
    advice: 'Leave it out. POST /v2/batch/scrape and POST /v2/crawl run in the background.',
  },
  ...['crawlEntireDomain', 'appendToId'].map((beside) => ({
    names: ['wait', 'waitForCompletion', 'sync', 'blocking', 'poll', 'pollInterval', 'waitUntilDone'],
    beside,
    advice:
      'Leave it out: the job runs in the background. GET with its id in the path returns its state and its pages so far.',
  })),
  {
    names: ['limit', 'maxPages', 'includePaths', 'excludePaths', 'depth', 'maxDepth', 'maxDiscoveryDepth'],
    beside: 'formats',
    advice: 'Leave it out, or use POST /v2/crawl, which follows links from a URL and has this option.',
  },
  {
    names: ['formats', 'format', 'onlyMainContent', 'includeTags', 'excludeTags', 'waitFor', 'actions'],
    beside: 'includeSubdomains',
    advice: 'Leave it out: a map lists URLs only. POST /v2/crawl also scrapes the pages.',
  },
  { names: ['idempotencyKey', 'idempotency_key'], advice: 'Send it in the header x-idempotency-key.' },
];

/**
 * Names of older versions of this API and of other clients and tools. Names that differ only a little from
 * an option, such as `max_age`, need no line. What fits a place best comes first.
 */
export const REPLACEMENTS: readonly Replacement[] = [
  ...OLD_NAMES,
  ...SCRAPER_NAMES,
  ...FORMAT_NAMES,
  ...MEMBER_NAMES,
];

/** Names of options that the place does not have by any name. */
export const FOREIGN_NAMES: readonly Replacement[] = ELSEWHERE;

/** Names of objects in which older versions of this API and some clients put options, in lower case. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  'pageoptions crawleroptions searchoptions scrapeoptions scraperoptions crawloptions mapoptions options params parameters config settings data body request payload args'.split(
    ' ',
  ),
);
