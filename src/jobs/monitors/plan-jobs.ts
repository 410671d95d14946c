import { v5 as uuidv5 } from 'uuid';
import type { ChangeTrackingMode } from '../../content/changes/compare.ts';
import { findTracking } from '../../content/formats/change-tracking.ts';
import { expectedPriceOf, priceOfSearch } from '../../credits.ts';
import type { MonitorTarget, PageTarget, SearchTarget } from '../../schemas/monitor-targets.ts';
import { searchBody } from '../../schemas/search.ts';
import type { Queryable } from '../../storage/db/client.ts';
import { insertChildJobs } from '../../storage/db/jobs/jobs.ts';
import { insertPageJob } from '../../storage/db/jobs/page-jobs.ts';
import { addCheckJobs } from '../../storage/db/monitors/check-jobs.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import { parseTarget } from '../../url/url.ts';
import { pageKey } from '../crawl/page-key.ts';

/** A target with its name. */
export interface NamedTarget {
  name: string;
  target: MonitorTarget;
}

type CrawlTarget = Extract<MonitorTarget, { type: 'crawl' }>;

/** The check that jobs belong to. */
interface JobOwner {
  checkId: string;
  monitor: StoredMonitor;
  /** How long the results of the jobs are kept, in milliseconds. */
  ttlMs: number;
}

const CALLER = { origin: 'monitor', integration: null, zeroDataRetention: false } as const;

/** The name by which search engines know a period. */
const PERIODS: Record<SearchTarget['searchWindow'], string> = {
  '5m': 'qdr:h',
  '15m': 'qdr:h',
  '1h': 'qdr:h',
  '6h': 'qdr:h6',
  '24h': 'qdr:d',
  '7d': 'qdr:w',
};

/** The formats whose value is the data of a page. */
const DATA_FORMATS: readonly string[] = ['json', 'deterministicJson'];

/** What is compared of the pages of a target: its data where the request asks for some, and its markdown. */
export function modesOf({ scrapeOptions: { formats } }: PageTarget): ChangeTrackingMode[] {
  const own = findTracking(formats)?.modes ?? [];
  if (own.length) return [...new Set(own)];
  const hasData = formats.some(({ type }) => DATA_FORMATS.includes(type));
  const hasText = formats.some(({ type }) => type === 'markdown');
  return hasData ? (hasText ? ['json', 'git-diff'] : ['json']) : ['git-diff'];
}

/** Whether neither words nor data of the pages of a target count, because it asks for their screenshots alone. */
export const ignoresWords = ({ scrapeOptions: { formats }, changeDetection }: PageTarget): boolean =>
  changeDetection.screenshot !== undefined &&
  !formats.some(({ type }) => ['markdown', 'changeTracking', ...DATA_FORMATS].includes(type));

/** The options of the pages of a target, which are tracked under a tag of the target. */
function optionsOf(target: PageTarget, tag: string): PageTarget['scrapeOptions'] & { origin: string } {
  const { formats } = target.scrapeOptions;
  const others = formats
    .filter(({ type }) => type !== 'changeTracking' && type !== 'markdown')
    .map((format) => comparable(format, target));
  const tracking = { ...findTracking(formats), type: 'changeTracking' as const, modes: modesOf(target), tag };
  return {
    ...target.scrapeOptions,
    ...CALLER,
    formats: [{ type: 'markdown' }, ...others, tracking] as PageTarget['scrapeOptions']['formats'],
  };
}

/** A format as it is compared: what the mask of the target names is not in its screenshots, and nothing moves. */
function comparable(
  format: PageTarget['scrapeOptions']['formats'][number],
  { changeDetection: { screenshot } }: PageTarget,
): PageTarget['scrapeOptions']['formats'][number] {
  if (format.type !== 'screenshot' || !screenshot) return format;
  const selectors = screenshot.mask.filter((part) => typeof part === 'string');
  return { ...format, still: true, mask: [...(format.mask ?? []), ...selectors] };
}

/** Calculates the credits of a check of a target. @param pagesOfCrawl pages that a crawl is expected to have */
export function priceOfTarget(target: MonitorTarget, pagesOfCrawl: (limit: number) => number): number {
  if (target.type === 'search') return target.queries.length * priceOfSearch(target.maxResults);
  const formats = optionsOf(target, '').formats;
  const pages =
    target.type === 'scrape' ? new Set(target.urls).size : pagesOfCrawl(target.crawlOptions.limit);
  return pages * expectedPriceOf({ ...target.scrapeOptions, formats });
}

/** Stores the jobs that do the work of a check. Their ids depend on the check only. */
export async function insertCheckJobs(
  query: Queryable,
  owner: JobOwner,
  targets: NamedTarget[],
): Promise<void> {
  for (const { name, target } of targets) {
    if (target.type === 'scrape')
      await insertBatch(query, owner, { name, target, urls: target.urls, isRetry: false });
    else if (target.type === 'crawl') await insertCrawl(query, owner, { name, target, isRetry: false });
    else await insertSearches(query, owner, { name, target, isRetry: false });
  }
}

const tagOf = (monitorId: string, name: string) => `monitor:${monitorId}:${name}`;

/**
 * Stores a search or crawl that has failed once more.
 * @param text the query of a search, whose target may have others
 */
export async function insertRetry(
  query: Queryable,
  owner: JobOwner,
  { name, target, text }: { name: string; target: SearchTarget | CrawlTarget; text: string | null },
): Promise<void> {
  if (target.type === 'crawl') return insertCrawl(query, owner, { name, target, isRetry: true });
  if (text === null) return;
  await insertSearches(query, owner, { name, target: { ...target, queries: [text] }, isRetry: true });
}

/** Stores a batch of pages of a target. */
export async function insertBatch(
  query: Queryable,
  { checkId, monitor, ttlMs }: JobOwner,
  { name, target, urls, isRetry }: { name: string; target: PageTarget; urls: string[]; isRetry: boolean },
): Promise<void> {
  const id = uuidv5(`${isRetry ? 'retry' : 'batch'} ${name}`, checkId);
  const options = optionsOf(target, tagOf(monitor.id, name));
  const distinct = [...new Set(urls)];
  await insertPageJob(query, {
    ...commonOf(monitor, { checkId, id, ttlMs }),
    kind: 'batch_scrape',
    target: distinct[0] ?? null,
    request: options,
    // The API has already decided whether local host names are allowed.
    pages: distinct.map((url) => ({ url, host: parseTarget(url, true).host, depth: 0 })),
    limit: null,
    maxConcurrency: null,
    delayMs: null,
    reserved: expectedPriceOf(options),
  });
  await addCheckJobs(query, checkId, [{ jobId: id, targetId: name, kind: 'batch_scrape', isRetry }]);
}

async function insertCrawl(
  query: Queryable,
  { checkId, monitor, ttlMs }: JobOwner,
  { name, target, isRetry }: { name: string; target: CrawlTarget; isRetry: boolean },
): Promise<void> {
  const id = uuidv5(`${isRetry ? 'retry ' : ''}crawl ${name}`, checkId);
  const scrapeOptions = optionsOf(target, tagOf(monitor.id, name));
  const start = parseTarget(target.url, true);
  const request = { ...target.crawlOptions, ...CALLER, url: target.url, scrapeOptions };
  const { limit, maxConcurrency = null, delay } = target.crawlOptions;
  await insertPageJob(query, {
    ...commonOf(monitor, { checkId, id, ttlMs }),
    kind: 'crawl',
    target: start.href,
    request,
    pages: [{ url: start.href, host: start.host, key: pageKey(id, start.href, request), depth: 0 }],
    limit,
    maxConcurrency,
    delayMs: delay === undefined ? null : Math.round(delay * 1000),
    reserved: expectedPriceOf(scrapeOptions),
  });
  await addCheckJobs(query, checkId, [{ jobId: id, targetId: name, kind: 'crawl', isRetry }]);
}

async function insertSearches(
  query: Queryable,
  { checkId, monitor, ttlMs }: JobOwner,
  { name, target, isRetry }: { name: string; target: SearchTarget; isRetry: boolean },
): Promise<void> {
  const { maxResults: limit, includeDomains, excludeDomains, searchWindow } = target;
  const jobs = [...new Set(target.queries)].map((text) => {
    const request = searchBody.parse({
      query: text,
      limit,
      includeDomains,
      excludeDomains,
      tbs: PERIODS[searchWindow],
    });
    return {
      id: uuidv5(`${isRetry ? 'retry ' : ''}search ${name} ${text}`, checkId),
      text,
      request: { ...request, origin: CALLER.origin },
    };
  });
  await insertChildJobs(
    { query },
    jobs.map(({ id, text, request }) => ({
      ...commonOf(monitor, { checkId, id, ttlMs }),
      kind: 'search' as const,
      target: text,
      request,
      reserved: priceOfSearch(limit),
    })),
  );
  await addCheckJobs(
    query,
    checkId,
    jobs.map(({ id: jobId }) => ({ jobId, targetId: name, kind: 'search', isRetry })),
  );
}

const commonOf = (
  { team_id: teamId, api_key_id: apiKeyId, base_url: baseUrl }: StoredMonitor,
  { checkId: parentId, id, ttlMs }: { checkId: string; id: string; ttlMs: number },
) => ({ id, teamId, apiKeyId, baseUrl, parentId, ttlMs, webhook: undefined });
