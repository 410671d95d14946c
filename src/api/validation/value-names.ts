import { excerpt } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { plainName } from '../../json/similar-name.ts';
import { lookUpValue, substituteFor } from './value-substitutes.ts';
import { waitingAction } from './wait-words.ts';

/**
 * Values that other tools and older versions of this API have, by the last name of their place, with what is
 * written instead: the value, or the object for a place that takes objects.
 */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  formats: {
    'screenshot@fullpage': { type: 'screenshot', fullPage: true },
    fullpagescreenshot: { type: 'screenshot', fullPage: true },
    extract: { type: 'json', prompt: 'The names and prices of all products' },
    'llm-extraction': { type: 'json', prompt: 'The names and prices of all products' },
    text: 'markdown',
    txt: 'markdown',
    plaintext: 'markdown',
    content: 'markdown',
    md: 'markdown',
    raw: 'rawHtml',
    source: 'rawHtml',
    url: 'links',
    urls: 'links',
    image: 'images',
    png: 'screenshot',
    diff: 'changeTracking',
    'git-diff': 'changeTracking',
  },
  actions: {
    sleep: 'wait',
    delay: 'wait',
    pause: 'wait',
    waitfor: 'wait',
    waitforselector: 'wait',
    tap: 'click',
    type: 'write',
    input: 'write',
    fill: 'write',
    enter: 'write',
    key: 'press',
    keypress: 'press',
    javascript: 'executeJavascript',
    js: 'executeJavascript',
    evaluate: 'executeJavascript',
    eval: 'executeJavascript',
    script: 'executeJavascript',
    execute: 'executeJavascript',
    scrolldown: { type: 'scroll', direction: 'down' },
    scrollup: { type: 'scroll', direction: 'up' },
    html: 'scrape',
    submit: { type: 'press', key: 'Enter' },
    keyboard: 'press',
    fullpagescreenshot: { type: 'screenshot', fullPage: true },
    capture: 'screenshot',
  },
  parsers: { ocr: { type: 'pdf', mode: 'ocr' }, tesseract: { type: 'pdf', mode: 'ocr' }, images: 'image' },
  direction: { bottom: 'down', end: 'down', top: 'up', start: 'up' },
  language: {
    javascript: 'node',
    js: 'node',
    nodejs: 'node',
    typescript: 'node',
    py: 'python',
    sh: 'bash',
    shell: 'bash',
  },
  proxy: {
    residential: 'enhanced',
    premium: 'enhanced',
    mobile: 'enhanced',
    datacenter: 'basic',
    none: 'basic',
  },
  sitemap: { ignore: 'skip', none: 'skip', false: 'skip', exclude: 'skip', true: 'include', use: 'include' },
  status: {
    running: 'active',
    open: 'active',
    enabled: 'active',
    closed: 'destroyed',
    ended: 'destroyed',
    inactive: 'paused',
    disabled: 'paused',
    stopped: 'paused',
    ok: 'delivered',
    success: 'delivered',
    sent: 'delivered',
    error: 'failed',
  },
};

/** Values that mean the same in different tools. */
const SYNONYMS: readonly (readonly string[])[] = [
  'active running open scraping processing started inprogress pending queued enabled on'.split(' '),
  'completed done finished success succeeded complete ok delivered sent'.split(' '),
  'failed error failure errored crashed'.split(' '),
  'cancelled canceled aborted stopped killed'.split(' '),
  'paused inactive disabled stopped stop pause suspended off'.split(' '),
  'destroyed closed ended terminated stopped expired'.split(' '),
  'day 1d 24h daily last24hours pastday qdr:d'.split(' '),
  'week 1w 7d 7days weekly last7days pastweek qdr:w'.split(' '),
  'month 1m 1mo 30d 30days monthly last30days pastmonth qdr:m'.split(' '),
  'year 1y 12m 365d yearly lastyear pastyear qdr:y'.split(' '),
  'low minimal min fast small'.split(' '),
  'high max maximum xhigh large best'.split(' '),
  'medium default normal auto balanced standard'.split(' '),
  'web google bing duckduckgo brave general search organic all'.split(' '),
  'images image photos pictures'.split(' '),
  'research papers paper academic scholar scientific arxiv'.split(' '),
  'developer code docs documentation programming stackoverflow'.split(' '),
  'github git repos repository repositories'.split(' '),
  'pdf document documents file files'.split(' '),
  'jsonl json ndjson jsonlines csv xlsx excel tsv txt'.split(' '),
  'parquet arrow feather'.split(' '),
  'basic datacenter none default shared'.split(' '),
  'enhanced residential premium mobile isp'.split(' '),
  'include true use yes'.split(' '),
  'skip ignore none false exclude no'.split(' '),
  'page scraped pages pagescraped onpage'.split(' '),
  'scrape page url website single'.split(' '),
  'crawl site domain spider'.split(' '),
];

const PROXY_ADVICE =
  'The operator sets the proxy servers (WINNOW_PROXIES_BASIC, WINNOW_PROXIES_ENHANCED). Leave proxy out, or choose one of their kinds';

const SITEMAP_ADVICE =
  'The sitemaps of a site are found by its robots.txt and at the usual URLs. Write "only" for nothing but their pages, or "include" for links too';

const isUrl = (value: unknown) => typeof value === 'string' && /^(https?:\/\/|\/?[\w/-]+\.xml)/i.test(value);

/** Whether a value is the URL of a proxy, its host and port, or an object with them. */
const isProxyServer = (value: unknown) =>
  typeof value === 'string' ? /[:.@]/.test(value) : typeof value === 'object' && value !== null;

/**
 * Says what to write instead of a value of another tool or version.
 * @param name the name of the option; for an entry of a list, that of the list
 * @param values those that the place may have
 * @param entry the object with the value, of an entry of a list
 * @returns a sentence without a full stop; undefined for other values
 */
export function adviseOnValue(
  name: string,
  value: unknown,
  values: readonly unknown[],
  entry?: unknown,
): string | undefined {
  if (name === 'proxy' && isProxyServer(value)) return PROXY_ADVICE;
  if (name === 'sitemap' && isUrl(value)) return SITEMAP_ADVICE;
  if (name === 'model') return 'Leave it out: the operator of the service chooses the language model';
  // Of an object, JavaScript may make no text.
  if (typeof value === 'object') return undefined;
  const translated = translate(name, value);
  if (typeof translated === 'object') return `Write ${JSON.stringify(translated)}`;
  const advice = values.includes(translated) ? undefined : substituteFor(name, value, entry);
  if (advice) return advice;
  const meant = meantValue(name, value, values);
  return meant === undefined ? undefined : `Write ${JSON.stringify(meant)}`;
}

/** The value of a place that is meant by that of another tool or version; undefined if none is. */
export function meantValue(name: string, value: unknown, values: readonly unknown[]): unknown {
  const known = translate(name, value);
  return known !== undefined && values.includes(known) ? known : synonymOf(value, values);
}

/** The value of a place that means the same as another one, or that ends it: `scrape` for `/v2/scrape`. */
function synonymOf(value: unknown, values: readonly unknown[]): unknown {
  const plain = plainName(String(value));
  const path = /^[\w.:/-]*[/.:](\w+)$/.exec(String(value))?.[1];
  const last = values.find((each) => path !== undefined && plainName(String(each)) === plainName(path));
  if (last !== undefined) return last;
  const same = synonymsOf(plain);
  return values.find((each) => typeof each === 'string' && same.includes(each));
}

/** Values that mean the same as one in different tools, in lower case. */
export const synonymsOf = (value: string): string[] =>
  SYNONYMS.filter((group) => group.includes(plainName(value))).flat();

/** What is written here for a value of another tool or version; undefined for other values. */
export const translate = (name: string, value: unknown): unknown => lookUpValue(VALUES, name, value);

/**
 * Says how something is asked for that a value of another type was meant to be.
 * @param name the name of the option
 * @returns a sentence without a full stop; undefined for other values
 */
export function adviseOnType(name: string, value: unknown): string | undefined {
  if (name === 'url' && Array.isArray(value) && value.length > 1)
    return 'Send a request for each, or urls to POST /v2/batch/scrape';
  if (name === 'pages' && typeof value === 'string')
    return `To read only the first pages, use maxPages: ${/\d+$/.exec(value)?.[0] ?? 10}`;
  if (name === 'pages' && typeof value === 'number') return `To read no more pages, use maxPages: ${value}`;
  if (name !== 'waitFor' || !value || (typeof value !== 'string' && !isJsonObject(value))) return undefined;
  const action = waitingAction(typeof value === 'string' ? excerpt(value) : value);
  return `To wait for an element or a condition, use actions: [${JSON.stringify(action)}]`;
}
