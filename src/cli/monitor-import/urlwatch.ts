import { parseAllDocuments } from 'yaml';
import { ServiceError } from '../../errors.ts';
import { fieldsOf, isJsonObject } from '../../json/json-object.ts';
import { bodyOf, cronOfInterval, type ImportedMonitor, noRules, type Rules } from './imported-monitor.ts';

/** Keys of a job that are read, or that a monitor needs no setting for. */
const KNOWN_KEYS = new Set([
  ...[
    'name',
    'url',
    'navigate',
    'kind',
    'filter',
    'headers',
    'cookies',
    'method',
    'index_number',
    'encoding',
  ],
  ...[
    'max_tries',
    'timeout',
    'ignore_connection_errors',
    'ignore_timeout_errors',
    'ignore_too_many_redirects',
  ],
  ...['ignore_cached', 'ignore_http_error_codes', 'treat_new_as_changed', 'wait_until', 'no_redirects'],
]);
/** Filters that make text of HTML, or tidy it, as monitors always do. */
const NEEDLESS_FILTERS = new Set([
  'html2text',
  'strip',
  'striplines',
  'strip-each-line',
  'beautify',
  'format-json',
]);

/**
 * Reads the jobs of urlwatch, which has no intervals.
 * @param text a `urls.yaml`
 * @param intervalSeconds how often each is checked
 * @throws ServiceError `BAD_REQUEST` if it is no YAML, or has no jobs
 */
export function readUrlwatch(text: string, intervalSeconds: number, timezone: string): ImportedMonitor[] {
  const documents = parseAllDocuments(text);
  const fault = documents.flatMap(({ errors }) => errors)[0];
  if (fault) throw new ServiceError('BAD_REQUEST', `The file is no YAML: ${fault.message}`);
  const jobs = documents.map((document) => document.toJS() as unknown).filter(isJsonObject);
  if (jobs.length === 0) throw new ServiceError('BAD_REQUEST', 'The file has no jobs of urlwatch.');
  return jobs.map((job) => readJob(job, intervalSeconds, timezone));
}

function readJob(job: Record<string, unknown>, intervalSeconds: number, timezone: string): ImportedMonitor {
  const url = String(job.url ?? job.navigate ?? '').trim();
  const label = String(job.name ?? (url || (job.command ?? 'a job without URL')));
  if (!/^https?:\/\//i.test(url)) return { label, notes: ['is no page on the web'] };
  const rules = noRules();
  const notes = filtersOf(job.filter).flatMap(([name, value]) => applyFilter(rules, name, value));
  const cookies = Object.entries(fieldsOf(job.cookies)).map(([name, value]) => `${name}=${String(value)}`);
  const headers = Object.fromEntries([
    ...Object.entries(fieldsOf(job.headers)).map(([name, value]) => [name, String(value)]),
    ...(cookies.length ? [['Cookie', cookies.join('; ')]] : []),
  ]);
  if (job.method !== undefined && job.method !== 'GET') notes.push(`the method ${String(job.method)}`);
  const others = Object.keys(job).filter((name) => !KNOWN_KEYS.has(name));
  const { cron } = cronOfInterval(intervalSeconds, url);
  return {
    label,
    notes: [...notes, ...others],
    body: bodyOf({ name: label, url, cron, timezone }, rules, { headers }),
  };
}

/** The filters of a job, each with its value: as a list, or in one text as older versions have them. */
function filtersOf(filter: unknown): [string, unknown][] {
  if (typeof filter === 'string') return filter.split(',').map(filterOfText);
  return (Array.isArray(filter) ? filter : []).flatMap((each): [string, unknown][] =>
    typeof each === 'string' ? [filterOfText(each)] : Object.entries(fieldsOf(each)),
  );
}

function filterOfText(text: string): [string, string] {
  const [name = '', ...value] = text.trim().split(':');
  return [name, value.join(':')];
}

/** Applies a filter to the rules. @returns what has no counterpart */
function applyFilter(rules: Rules, name: string, value: unknown): string[] {
  const options = fieldsOf(value);
  const text = String(isJsonObject(value) ? (options.selector ?? options.re ?? '') : (value ?? ''));
  const select = (selector: string) => {
    rules.includeTags.push(selector);
    return [];
  };
  if (NEEDLESS_FILTERS.has(name)) return [];
  if (name === 'css' && text) {
    if (typeof options.exclude === 'string') rules.excludeTags.push(options.exclude);
    return select(text);
  }
  if (name === 'element-by-id' && text) return select(`[id="${text}"]`);
  if (name === 'element-by-class' && text) return select(`.${text}`);
  if (name === 'element-by-tag' && text) return select(text);
  if (name === 'grepi' && text) {
    rules.ignorePatterns.push(text);
    return [];
  }
  if (name === 'sort') {
    rules.ignoresOrder = true;
    return [];
  }
  return [`the filter ${text ? `${name}: ${text}` : name}`];
}
