import { v5 as uuidv5 } from 'uuid';
import { type PageContent, packVersion } from '../../content/changes/compare.ts';
import type { Models } from '../../models/index.ts';
import type { MonitorPageStatus } from '../../schemas/monitor.ts';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import {
  DEFAULT_FAILURE_THRESHOLD,
  type MonitorTarget,
  type PageTarget,
} from '../../schemas/monitor-targets.ts';
import type { SearchResult } from '../../schemas/search.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { findResult } from '../../storage/db/jobs/jobs.ts';
import { type CheckJob, markCollected } from '../../storage/db/monitors/check-jobs.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import {
  addCheckPages,
  type EarlierPage,
  type EndedPage,
  findEarlierFailures,
  findEarlierPages,
  findKnownTargets,
  listEndedPages,
  type NewCheckPage,
} from '../../storage/db/monitors/pages.ts';
import { wantsJudgment } from './begin-check.ts';
import { checkPage } from './checked-page.ts';
import { dataValuesOf } from './data-values.ts';
import { followFailures } from './failures.ts';
import { modesOf, type NamedTarget } from './plan-jobs.ts';
import { finishCollection, hasRetry, isTemporary, MAX_RETRIED_PAGES, retryJob } from './retries.ts';

/** Dependencies of the collection of pages. */
export interface CollectDeps {
  db: Database;
  /** The documents of pages. */
  results: Blobs;
  /** What differs between the versions of pages, which is kept as long as their checks. */
  monitorBlobs: Blobs;
  resultTtlMs: number;
  /** Asked by the check itself whether changes matter; `undefined` if none is configured. */
  models: Models | undefined;
}

/** A check whose pages are collected. */
export interface CollectedCheck {
  checkId: string;
  monitor: StoredMonitor;
}

/** Pages whose documents are read and compared before they are stored together. */
const PAGES_PER_STEP = 25;

/**
 * Adds the pages of a job that has ended to its check. What could not be read is tried once more, by a job of its own,
 * before it counts. It may be repeated.
 */
export async function collectJob(
  deps: CollectDeps,
  check: CollectedCheck,
  { job, named }: { job: CheckJob; named: NamedTarget },
): Promise<void> {
  const { target } = named;
  if (job.status !== 'completed' && (job.kind === 'search' || job.pages === 0 || job.status === null)) {
    if (await retryJob(deps, { check, job, named })) return;
    return collectFailure(deps, check, { job, target });
  }
  if (job.kind === 'search') return collectResults(deps, check, job);
  if (target.type === 'search') return;
  const pages = await collectDocuments(deps, check, { job, named: { ...named, target } });
  if (job.status !== 'completed') return collectFailure(deps, check, { job, target });
  await finishCollection(deps, { check, job, named }, pages);
}

/** Adds one page in place of all that a job did not do. */
async function collectFailure(
  { db }: CollectDeps,
  check: CollectedCheck,
  { job, target }: { job: CheckJob; target: MonitorTarget },
): Promise<void> {
  const url = job.target ?? '';
  const earlier = await findEarlierFailures(db, { ...ownerOf(check), targetId: job.targetId }, [url]);
  const page = pageOf(uuidv5(job.jobId, check.checkId), {
    targetId: job.targetId,
    url,
    status: 'error',
    ...followFailures('error', earlier.get(url), thresholdOf(target)),
    error: job.error?.message ?? 'The job of this target was cancelled or has expired.',
  });
  await db.query.transaction().execute(async (query) => {
    await addCheckPages(query, ownerOf(check), [page]);
    await markCollected(query, job.jobId);
  });
}

/**
 * Adds the pages of a batch or crawl.
 * @returns the URLs of those that are to be scraped once more, and whether any was read
 */
async function collectDocuments(
  { db, results, monitorBlobs, models }: CollectDeps,
  check: CollectedCheck,
  { job, named: { name, target } }: { job: CheckJob; named: { name: string; target: PageTarget } },
): Promise<{ failed: string[]; hasRead: boolean }> {
  const isRetried = hasRetry(job) && job.status === 'completed';
  let hasRead = false;
  const comparing = { detection: target.changeDetection, modes: modesOf(target) };
  const failed: string[] = [];
  const isJudged = models !== undefined && wantsJudgment(check.monitor);
  const place = { ...ownerOf(check), targetId: name };
  // What the first check of a site finds is what later ones are compared with, and matters for no goal.
  const judgesNew =
    isJudged && target.type === 'crawl' && (await findKnownTargets(db, place, [name])).has(name);
  const isJudgmentDue = (status: MonitorPageStatus) =>
    (isJudged && status === 'changed') || (judgesNew && status === 'new');
  // The first page has the ordinal 0.
  for (let after = -1; ; ) {
    const ended = await listEndedPages(db, { jobId: job.jobId, after, limit: PAGES_PER_STEP });
    const last = ended.at(-1);
    if (!last) return { failed, hasRead };
    after = last.ordinal;
    const urls = ended.map(({ url }) => url);
    const earlierPages = await findEarlierPages(db, place, urls);
    const earlierFailures = await findEarlierFailures(db, place, urls);
    const pages: NewCheckPage[] = [];
    for (const page of ended) {
      const earlier = earlierPages.get(page.url);
      const document = await readDocument(results, page);
      const { details, ...found } = checkPage(page, document, { earlier, comparing });
      const isRetriedPage = isRetried && failed.length < MAX_RETRIED_PAGES;
      if (found.status !== 'error') hasRead = true;
      else if (isRetriedPage && isTemporary(page.error, found.statusCode)) {
        failed.push(page.url);
        continue;
      }
      const failures = followFailures(found.status, earlierFailures.get(page.url), thresholdOf(target));
      pages.push(
        await toPage(
          {
            page,
            name,
            found: { ...found, ...failures, isJudgmentDue: isJudgmentDue(found.status) },
            earlier,
            details,
            document,
          },
          { check, monitorBlobs },
        ),
      );
    }
    await db.query.transaction().execute((query) => addCheckPages(query, place, pages));
  }
}

async function readDocument(
  results: Blobs,
  { blob }: EndedPage,
): Promise<Record<string, unknown> | undefined> {
  // `buildDocument` wrote it as an object.
  return blob === null
    ? undefined
    : (JSON.parse((await results.get(blob)).toString()) as Record<string, unknown>);
}

async function toPage(
  {
    page,
    name,
    found,
    earlier,
    details,
    document,
  }: {
    page: EndedPage;
    name: string;
    found: Omit<
      NewCheckPage,
      'id' | 'targetId' | 'url' | 'previousScrapeId' | 'currentScrapeId' | StoredPart
    >;
    earlier: EarlierPage | undefined;
    details: PageDetails | undefined;
    document: Record<string, unknown> | undefined;
  },
  { check, monitorBlobs }: { check: CollectedCheck; monitorBlobs: Blobs },
): Promise<NewCheckPage> {
  const version = versionOf(found.status, document);
  return {
    ...found,
    id: uuidv5(page.id, check.checkId),
    targetId: name,
    url: page.url,
    previousScrapeId: earlier?.scrapeId ?? null,
    currentScrapeId: page.blob === null ? null : page.id,
    blob: details ? await monitorBlobs.put(Buffer.from(JSON.stringify(details))) : null,
    version: version ? await monitorBlobs.put(packVersion(version)) : null,
    dataValues: version && document ? dataValuesOf(document) : null,
  };
}

/** What of a page is stored beside its row, or derived from it. */
type StoredPart = 'blob' | 'version' | 'dataValues';

/** The text and data of a page, so that it can be compared with other checks; `undefined` if it was not read. */
function versionOf(
  status: MonitorPageStatus,
  document: Record<string, unknown> | undefined,
): PageContent | undefined {
  if (!document || status === 'error' || status === 'removed') return undefined;
  const { markdown, json } = document;
  return { markdown: typeof markdown === 'string' ? markdown : '', ...(json !== undefined && { json }) };
}

/** Adds the results of a search: those that earlier checks have not found are new. */
async function collectResults(
  { db, results, models }: CollectDeps,
  check: CollectedCheck,
  { jobId, targetId, target: words }: CheckJob,
): Promise<void> {
  const stored = await findResult(db, jobId);
  // The activities of the search wrote the result in this shape.
  const found = stored && (JSON.parse((await results.get(stored.blob)).toString()) as SearchResult);
  const byUrl = new Map((found?.data.web ?? []).map((result) => [result.url, result]));
  const place = { ...ownerOf(check), targetId };
  const earlierPages = await findEarlierPages(db, place, [...byUrl.keys()]);
  const isJudged = models !== undefined && wantsJudgment(check.monitor);
  const pages = [...byUrl].map(([url, { title, description, position }]) => {
    const status = earlierPages.has(url) ? 'same' : 'new';
    // Two searches of a target may find the same page.
    return pageOf(uuidv5(JSON.stringify([targetId, url]), check.checkId), {
      targetId,
      url,
      status,
      metadata: { title, description, position, query: words },
      isJudgmentDue: status === 'new' && isJudged,
    });
  });
  await db.query.transaction().execute(async (query) => {
    await addCheckPages(query, place, pages);
    await markCollected(query, jobId);
  });
}

/** Failed checks in a row after which a failure is told. */
const thresholdOf = (target: MonitorTarget) =>
  target.type === 'search' ? DEFAULT_FAILURE_THRESHOLD : target.changeDetection.failureThreshold;

const ownerOf = ({ checkId, monitor }: CollectedCheck) => ({ checkId, monitorId: monitor.id });

/** A page without a document. */
const pageOf = (
  id: string,
  page: Pick<NewCheckPage, 'targetId' | 'url' | 'status'> & Partial<NewCheckPage>,
): NewCheckPage => ({
  previousScrapeId: null,
  currentScrapeId: null,
  statusCode: null,
  error: null,
  metadata: null,
  blob: null,
  failures: 0,
  isFailureTold: false,
  isTold: true,
  isJudgmentDue: false,
  version: null,
  dataValues: null,
  ...page,
  id,
});
