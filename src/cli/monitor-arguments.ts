import type { ArgsDef } from 'citty';
import { ServiceError } from '../errors.ts';
import { collectValues, parseList, parseWholeNumber } from './arguments.ts';
import { selectorArgs } from './page-arguments.ts';

/** A cron expression begins with a minute, and a schedule in words with a word. */
const CRON = /^[\d*]/;

/** The arguments that describe a new monitor. */
export const monitorArgs = {
  'url...': {
    type: 'positional',
    description: 'URLs of the pages, or of sites with --crawl',
    required: false,
  },
  schedule: {
    type: 'string',
    valueHint: 'when',
    description: 'when it checks: "daily at 9:00", "every 30 minutes", or a cron expression',
    default: 'daily',
  },
  timezone: { type: 'string', valueHint: 'zone', description: 'time zone of the schedule; default UTC' },
  name: { type: 'string', valueHint: 'text', description: 'name of the monitor; default: what it watches' },
  tag: { type: 'string', valueHint: 'text', description: 'a group that it belongs to; may be repeated' },
  crawl: { type: 'boolean', description: 'watch the sites at the URLs, page by page' },
  limit: { type: 'string', valueHint: 'n', description: 'maximum number of pages of a site' },
  query: {
    type: 'string',
    valueHint: 'words',
    description: 'watch the results of this search; may be repeated',
  },
  goal: { type: 'string', valueHint: 'text', description: 'what changes matter, in words' },
  webhook: { type: 'string', valueHint: 'url', description: 'where changes are told' },
  ...selectorArgs,
  ignore: {
    type: 'string',
    valueHint: 'a,b',
    description: 'what is no change: numbers, dates, order, links, images',
  },
  'ignore-pattern': {
    type: 'string',
    valueHint: 'regex',
    description: 'lines that match are no change; may be repeated',
  },
  'min-changed-words': { type: 'string', valueHint: 'n', description: 'fewer changed words are no change' },
  'failure-threshold': {
    type: 'string',
    valueHint: 'n',
    description: 'failed checks in a row after which a failure is told; default 2',
  },
  'retention-days': { type: 'string', valueHint: 'n', description: 'days that checks are kept; default 30' },
} as const satisfies ArgsDef;

/** The values of {@link monitorArgs}. */
type MonitorArgs = {
  [Name in Exclude<keyof typeof monitorArgs, 'url...' | 'crawl'>]?: string | undefined;
} & {
  _: string[];
  crawl?: boolean | undefined;
};

/**
 * Converts the arguments to the body of a request.
 * @param rawArgs the arguments as they were typed, because some may be repeated
 * @throws ServiceError `BAD_REQUEST` if there is nothing to watch, or a number is none
 */
export function readMonitor(values: MonitorArgs, rawArgs: string[]): Record<string, unknown> {
  const urls = [...new Set(values._)];
  const queries = collectValues(rawArgs, monitorArgs, 'query');
  const [first = queries[0]] = urls;
  if (first === undefined)
    throw new ServiceError('BAD_REQUEST', 'There is nothing to watch: provide URLs, or a --query.');
  const { schedule = '', timezone, goal } = values;
  const tags = collectValues(rawArgs, monitorArgs, 'tag');
  return {
    name: (values.name ?? first).slice(0, 256),
    tags: tags.length ? tags : undefined,
    schedule: { ...(CRON.test(schedule) ? { cron: schedule } : { text: schedule }), timezone },
    targets: [
      ...pageTargets(urls, values, rawArgs),
      ...(queries.length ? [{ type: 'search', queries }] : []),
    ],
    webhook: values.webhook,
    goal,
    // A search needs a goal, or has to say that it has none.
    judgeEnabled: queries.length && goal === undefined ? false : undefined,
    retentionDays: parseWholeNumber('retention-days', values['retention-days']),
    origin: 'cli',
  };
}

/** One target for all pages, and one for each site. */
function pageTargets(urls: string[], values: MonitorArgs, rawArgs: string[]): object[] {
  if (urls.length === 0) return [];
  const patterns = collectValues(rawArgs, monitorArgs, 'ignore-pattern');
  const options = {
    scrapeOptions: {
      includeTags: parseList(values['include-tags']),
      excludeTags: parseList(values['exclude-tags']),
    },
    changeDetection: {
      ignore: parseList(values.ignore),
      ignorePatterns: patterns.length ? patterns : undefined,
      minChangedWords: parseWholeNumber('min-changed-words', values['min-changed-words']),
      failureThreshold: parseWholeNumber('failure-threshold', values['failure-threshold']),
    },
  };
  const limit = parseWholeNumber('limit', values.limit);
  return values.crawl
    ? urls.map((url) => ({ type: 'crawl', url, crawlOptions: { limit }, ...options }))
    : [{ type: 'scrape', urls, ...options }];
}
