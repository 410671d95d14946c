import { ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { MAX_TAG_CHARACTERS, MAX_TAGS } from '../../schemas/monitor.ts';
import { bodyOf, cronOfInterval, type ImportedMonitor, noRules, patternOfText } from './imported-monitor.ts';

/** The interval of changedetection.io where neither a watch nor the settings have one, in seconds. */
const DEFAULT_INTERVAL = 3 * 3_600;
const SECONDS: Record<string, number> = {
  weeks: 604_800,
  days: 86_400,
  hours: 3_600,
  minutes: 60,
  seconds: 1,
};
const MAX_WAIT_MS = 60_000;

/** What the settings have for all watches. */
interface Defaults {
  headers: Record<string, string>;
  interval: number | undefined;
  /** The titles of tags by their ids. */
  tagTitles: Record<string, string>;
  timezone: string;
}

/** What a watch may have that no monitor has, with the words of the report. */
const WITHOUT_COUNTERPART: Record<string, string> = {
  body: 'the body of the request',
  browser_steps: 'steps in the browser; scrapeOptions.actions of a target has such steps',
  conditions: 'conditions; a goal says in words which changes matter',
  extract_text: 'text to extract',
  notification_urls: 'notifications; set a webhook or mails',
  proxy: 'the proxy',
  text_should_not_be_present: 'text that must not be there; a goal says in words which changes matter',
  trigger_text: 'text that triggers; a goal says in words which changes matter',
  webdriver_js_execute_code: 'code in the browser; scrapeOptions.actions of a target runs code',
};

/**
 * Reads the watches of changedetection.io.
 * @param stores the objects of `url-watches.json`, or those of `changedetection.json` and of each `watch.json`
 * @throws ServiceError `BAD_REQUEST` if there are none
 */
export function readChangedetection(stores: readonly unknown[], timezone: string): ImportedMonitor[] {
  const watches = stores.flatMap((store) => {
    const { watching, url } = fieldsOf(store);
    return url === undefined ? Object.values(fieldsOf(watching)) : [store];
  });
  if (watches.length === 0)
    throw new ServiceError(
      'BAD_REQUEST',
      'The file has no watches of changedetection.io: they are in "watching" of url-watches.json, in the backup as zip.',
    );
  const settings = stores.map((store) => fieldsOf(fieldsOf(store).settings));
  const defaults = {
    headers: Object.assign({}, ...settings.map(({ headers }) => stringsOf(headers))),
    interval: settings.map(({ requests }) => secondsOf(fieldsOf(requests).time_between_check)).find(Boolean),
    tagTitles: Object.assign({}, ...settings.map(({ application }) => titlesOf(fieldsOf(application).tags))),
  };
  return watches.map((watch) => readWatch(fieldsOf(watch), { ...defaults, timezone }));
}

function readWatch(watch: Record<string, unknown>, defaults: Defaults): ImportedMonitor {
  const url = textOf(watch.url).trim();
  const label = textOf(watch.title) || textOf(watch.page_title) || url;
  if (!/^https?:\/\//i.test(url) || /\{[{%]/.test(url))
    return {
      label: label || 'a watch without URL',
      notes: ['is no page on the web, or its URL is a template'],
    };
  const own = watch.time_between_check_use_default === true ? 0 : secondsOf(watch.time_between_check);
  const { cron, note } = cronOfInterval(own || defaults.interval || DEFAULT_INTERVAL, url);
  const { rules, notes } = readRules(watch);
  const delay = Number(watch.webdriver_delay) || 0;
  const headers = { ...defaults.headers, ...stringsOf(watch.headers) };
  const tags = readTags(watch, defaults.tagTitles);
  const page = { name: label, url, cron, timezone: defaults.timezone, tags: tags.known };
  return {
    label,
    isPaused: watch.paused === true,
    notes: [...(note ? [note] : []), ...notes, ...tags.notes, ...othersOf(watch)],
    body: bodyOf(page, rules, { headers, waitFor: Math.min(delay * 1_000, MAX_WAIT_MS) }),
  };
}

/** Which elements and lines count. */
function readRules(watch: Record<string, unknown>) {
  const rules = noRules();
  const notes: string[] = [];
  const selectors = [
    [listOf(watch.include_filters), rules.includeTags],
    [listOf(watch.subtractive_selectors), rules.excludeTags],
  ] as const;
  for (const [texts, tags] of selectors) {
    for (const text of texts) {
      if (/^(?:xpath1?:|\/|json:|jqr?(?:aw)?:)/i.test(text)) notes.push(`the selector ${text} is not CSS`);
      else tags.push(text.replace(/^css:/i, ''));
    }
  }
  for (const text of listOf(watch.ignore_text)) {
    const [, expression, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
    if (expression === undefined) rules.ignorePatterns.push(patternOfText(text));
    else rules.ignorePatterns.push(flags.includes('i') ? `(?i)${expression}` : expression);
  }
  rules.ignoresOrder = watch.sort_text_alphabetically === true;
  return { rules, notes };
}

/** The tags of a watch, which has their ids; older versions have their titles as one text with commas. */
function readTags(watch: Record<string, unknown>, titles: Record<string, string>) {
  const ids = listOf(watch.tags);
  const lost = ids.filter((id) => !titles[id]);
  const all = [...ids.flatMap((id) => titles[id] ?? []), ...textOf(watch.tag).split(',')]
    .map((title) => title.trim().slice(0, MAX_TAG_CHARACTERS))
    .filter(Boolean);
  const distinct = [...new Set(all)];
  const left = distinct.slice(MAX_TAGS);
  const notes = [
    ...lost.map((id) => `the tag ${id}, whose title is not in the file`),
    ...(left.length ? [`the tags after the first ${MAX_TAGS}: ${left.join(', ')}`] : []),
  ];
  return { known: distinct.slice(0, MAX_TAGS), notes };
}

/** What has no counterpart. */
function othersOf(watch: Record<string, unknown>): string[] {
  const isSet = (value: unknown) =>
    Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== '';
  const notes = Object.entries(WITHOUT_COUNTERPART)
    .filter(([name]) => isSet(watch[name]))
    .map(([, words]) => words);
  if (textOf(watch.method) && watch.method !== 'GET') notes.push(`the method ${textOf(watch.method)}`);
  if (fieldsOf(watch.time_schedule_limit).enabled === true) notes.push('the times of day and week');
  if (watch.processor === 'restock_diff')
    notes.push('what is in stock; the format json with a schema compares price and availability');
  else if (watch.processor === 'image_ssim_diff')
    notes.push('how the page looks; the format screenshot with changeDetection.screenshot compares that');
  else if (textOf(watch.processor) && watch.processor !== 'text_json_diff')
    notes.push(`the processor ${textOf(watch.processor)}`);
  return notes;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const titlesOf = (tags: unknown) =>
  Object.fromEntries(Object.entries(fieldsOf(tags)).map(([id, each]) => [id, textOf(fieldsOf(each).title)]));
const listOf = (value: unknown) =>
  (Array.isArray(value) ? value : []).filter(
    (each): each is string => typeof each === 'string' && each !== '',
  );
const stringsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, each]) => [name, String(each)]));
const secondsOf = (value: unknown) =>
  Object.entries(fieldsOf(value)).reduce(
    (sum, [unit, count]) => sum + (SECONDS[unit] ?? 0) * (Number(count) || 0),
    0,
  );
