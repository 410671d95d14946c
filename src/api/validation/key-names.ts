import { isJsonObject } from '../../json/json-object.ts';
import { cookieTextOf } from './cookie-text.ts';
import { isShort } from './examples.ts';
import type { Replacement } from './replacement.ts';
import { scheduleOf } from './schedule-words.ts';
import { SCRAPER_NAMES } from './scraper-names.ts';

const json = (value: unknown) => JSON.stringify(value);

/** Advises to ask for a format, with the members that were sent if they are short. */
const asFormat = (type: string, member: string) => (value: unknown) =>
  isJsonObject(value) && Object.keys(value).length && isShort(value)
    ? `Ask for it in formats: [${json({ type, ...value })}].`
    : `Ask for it in formats: [{"type": "${type}", ${json(member)}: …}].`;

/** The object of a viewport, also from a text such as `1280x720`. */
function viewportOf(value: unknown): string {
  const [, width, height] = /^(\d{1,5})\s*\D\s*(\d{1,5})$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (width) return json({ width: Number(width), height: Number(height) });
  return isJsonObject(value) && isShort(value) ? json(value) : json({ width: 1280, height: 720 });
}

/** The URLs of a value, or an example. */
function urlsOf(value: unknown): unknown[] {
  const urls = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each);
  return urls.length && isShort(urls) ? urls : ['https://example.com'];
}

/** Advises to ask for data of the page in a format, with the prompt or schema that was sent. */
const asJsonFormat = (member: 'prompt' | 'schema', begin: string, end = '') => {
  return (value: unknown) =>
    `${begin}[{"type": "json", ${json(member)}: ${isShort(value) ? json(value) : '…'}}]${end}.`;
};

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
  { names: ['userAgent'], beside: 'headers', advice: 'Use headers: {"User-Agent": …}.' },
  {
    names: ['cookies', 'cookie'],
    beside: 'headers',
    advice: (value) => `Use headers: ${json({ Cookie: cookieTextOf(value) ?? 'name=value' })}.`,
  },
  {
    names: ['geolocation', 'country'],
    beside: 'location',
    advice: 'Use location, such as {"country": "DE"}.',
  },
  { names: ['language', 'languages', 'hl'], beside: 'lang', advice: 'Use lang, such as "de".' },
  {
    names: ['lang', 'languages', 'language'],
    beside: 'location',
    advice: 'Use location: {"languages": ["de"]}.',
  },
  {
    names: ['fetchPageContent'],
    beside: 'scrapeOptions',
    advice: 'Use scrapeOptions: {"formats": ["markdown"]}.',
  },
];

/** Options of formats of the older versions, and data that a scrape gets as a format. */
const FORMATS: readonly Replacement[] = [
  {
    names: ['jsonOptions', 'extract', 'extractorOptions'],
    beside: 'scrapeOptions',
    advice: (value) =>
      `Ask for it in scrapeOptions: {"formats": [${json({ type: 'json', ...(isJsonObject(value) && isShort(value) ? value : { prompt: '…' }) })}]}.`,
  },
  { names: ['jsonOptions', 'extract'], beside: 'formats', advice: asFormat('json', 'schema') },
  { names: ['extractorOptions'], beside: 'formats', advice: asFormat('json', 'schema')(undefined) },
  { names: ['changeTrackingOptions'], beside: 'formats', advice: asFormat('changeTracking', 'modes') },
  {
    names: ['screenshot'],
    beside: 'formats',
    advice: (value) =>
      value === true ? 'Use formats: ["screenshot"].' : asFormat('screenshot', 'fullPage')(value),
  },
  {
    names: ['fullPageScreenshot'],
    beside: 'formats',
    advice: 'Use formats: [{"type":"screenshot","fullPage":true}].',
  },
  {
    names: ['viewport'],
    beside: 'formats',
    advice: (value) =>
      `A screenshot has it: formats: [{"type": "screenshot", "viewport": ${viewportOf(value)}}]. For a small screen, use mobile: true.`,
  },
  {
    names: ['prompt', 'extractionPrompt'],
    beside: 'formats',
    advice: asJsonFormat('prompt', 'Ask for it in formats: '),
  },
  {
    names: ['schema', 'extractionSchema'],
    beside: 'formats',
    advice: asJsonFormat('schema', 'Ask for it in formats: '),
  },
  {
    names: ['schema', 'extractionSchema'],
    beside: 'scrapeOptions',
    advice: asJsonFormat('schema', 'Ask for it in scrapeOptions: {"formats": ', '}'),
  },
  { names: ['jsonSchema', 'json_schema', 'extractionSchema'], beside: 'schema', option: 'schema' },
];

/** Members of actions, sessions, webhooks and other objects. */
const MEMBERS: readonly Replacement[] = [
  {
    names: ['text', 'label', 'name', 'role'],
    beside: 'all',
    advice: (value) =>
      `Use selector, which also finds a text: ${json(`button:has-text("${typeof value === 'string' && isShort(value) ? value : 'OK'}")`)}.`,
  },
  { names: ['for', 'until', 'element'], beside: 'milliseconds', option: 'selector' },
  {
    names: ['timeout'],
    beside: 'milliseconds',
    advice: (value) =>
      `For a time, use milliseconds${typeof value === 'number' ? `: ${value}` : ''}. With selector, leave it out: an element is waited for up to 10 seconds.`,
  },
  { names: ['ocr', 'forceOcr', 'useOcr'], beside: 'maxPages', advice: 'Use mode: "ocr".' },
  {
    names: ['ms', 'time', 'duration', 'delay', 'timeout', 'seconds', 'wait'],
    beside: 'milliseconds',
    option: 'milliseconds',
  },
  {
    names: ['selector'],
    beside: 'text',
    advice: (value) =>
      `Text goes where the focus is. Click the field first, with an action of its own: ${json({ type: 'click', selector: isShort(value) ? value : '…' })}.`,
  },
  { names: ['value', 'input', 'content'], beside: 'text', option: 'text' },
  { names: ['code', 'javascript', 'js', 'expression'], beside: 'script', option: 'script' },
  { names: ['script', 'javascript', 'command', 'source'], beside: 'code', option: 'code' },
  {
    names: ['css', 'element', 'target', 'query', 'xpath'],
    beside: 'selector',
    option: 'selector',
    form: 'a CSS selector',
  },
  {
    names: ['amount', 'pixels', 'x', 'y', 'distance'],
    beside: 'direction',
    advice:
      'Leave it out: a scroll goes on by one height of the window. Use direction, which is "up" or "down".',
  },
  {
    names: ['secret', 'signingSecret', 'token'],
    beside: 'events',
    advice:
      'Leave it out: the service signs events by itself, with the secret of the team. A token of yours goes into headers.',
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
    names: ['limit', 'maxPages', 'includePaths', 'excludePaths', 'maxDepth', 'maxDiscoveryDepth'],
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
export const REPLACEMENTS: readonly Replacement[] = [...OLD_NAMES, ...SCRAPER_NAMES, ...FORMATS, ...MEMBERS];

/** Names of options that the place does not have by any name. */
export const FOREIGN_NAMES: readonly Replacement[] = ELSEWHERE;

/** Names of objects in which older versions of this API and some clients put options, in lower case. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  'pageoptions crawleroptions searchoptions scrapeoptions scraperoptions crawloptions mapoptions options params parameters config settings data body request payload args'.split(
    ' ',
  ),
);
