import { v5 as uuidv5 } from 'uuid';
import { type PageContent, packVersion } from '../../content/changes/compare.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import type { Models } from '../../models/index.ts';
import type { MonitorPageStatus } from '../../schemas/monitor.ts';
import {
  DEFAULT_FAILURE_THRESHOLD,
  type MonitorTarget,
  type PageTarget,
} from '../../schemas/monitor-targets.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import type { CheckJob } from '../../storage/db/monitors/check-jobs.ts';
import { warnOfCheck } from '../../storage/db/monitors/checks.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import {
  addCheckPages,
  type EarlierPage,
  type EndedPage,
  findCollectedPages,
  findEarlierFailures,
  findEarlierPages,
  findKnownTargets,
  listEndedPages,
  type NewCheckPage,
} from '../../storage/db/monitors/pages.ts';
import type { Logger } from '../../system/logger.ts';
import { wantsJudgment } from './begin-check.ts';
import { addScreenshot, type CheckedPage, type Comparing, checkPage, ignoredLines } from './checked-page.ts';
import { dataValuesOf } from './data-values.ts';
import { followFailures } from './failures.ts';
import { ignoresWords, modesOf } from './plan-jobs.ts';
import { hasRetry, isTemporary, MAX_RETRIED_PAGES } from './retries.ts';
import { type CheckedScreenshot, checkScreenshot, type ScreenshotDeps } from './screenshots.ts';

/** Dependencies of the collection of pages. */
export interface CollectDeps extends ScreenshotDeps {
  db: Database;
  renderer: Pick<RenderPool, 'comparePictures' | 'matchLines'>;
  /** The documents of pages. */
  results: Blobs;
  /** What differs between the versions of pages, which is kept as long as their checks. */
  monitorBlobs: Blobs;
  resultTtlMs: number;
  logger: Pick<Logger, 'warn'>;
  /** Asked by the check itself whether changes matter; `undefined` if none is configured. */
  models: Models | undefined;
}

/** A check whose pages are collected. */
export interface CollectedCheck {
  checkId: string;
  monitor: StoredMonitor;
  /** Ends the comparison of screenshots. */
  signal: AbortSignal;
}

/** Pages whose documents are read and compared before they are stored together. */
const PAGES_PER_STEP = 25;

/** A document as it was stored. */
type StoredDocument = Record<string, unknown>;

/**
 * Adds the pages of a batch or crawl. Those that an earlier attempt has added are not compared again.
 * @returns the URLs of those that are to be scraped once more, and whether any was read
 */
export async function collectDocuments(
  deps: CollectDeps,
  check: CollectedCheck,
  { job, named: { name, target } }: { job: CheckJob; named: { name: string; target: PageTarget } },
): Promise<{ failed: string[]; hasRead: boolean }> {
  const { db, models } = deps;
  const isRetried = hasRetry(job) && job.status === 'completed';
  let hasRead = false;
  const failed: string[] = [];
  const isJudged = models !== undefined && wantsJudgment(check.monitor);
  const place = { ...ownerOf(check), targetId: name };
  // What the first check of a site finds is what later ones are compared with, and matters for no goal.
  const judgesNew =
    isJudged && target.type === 'crawl' && (await findKnownTargets(db, place, [name])).has(name);
  const comparing = comparingOf(target);
  // The first page has the ordinal 0.
  for (let after = -1; ; ) {
    const ended = await listEndedPages(db, { jobId: job.jobId, after, limit: PAGES_PER_STEP });
    const last = ended.at(-1);
    if (!last) return { failed, hasRead };
    after = last.ordinal;
    const urls = ended.map(({ url }) => url);
    const earlierPages = await findEarlierPages(db, place, urls);
    const earlierFailures = await findEarlierFailures(db, place, urls);
    const idOf = ({ id }: EndedPage) => uuidv5(id, check.checkId);
    const collected = await findCollectedPages(db, ended.map(idOf));
    const pages: NewCheckPage[] = [];
    const faults: string[] = [];
    for (const page of ended) {
      const status = collected.get(idOf(page));
      if (status !== undefined) {
        if (status !== 'error') hasRead = true;
        continue;
      }
      const earlier = earlierPages.get(page.url);
      const document = await readDocument(deps.results, page);
      const { signal } = check;
      const ignored = await ignoredLines(
        document,
        { earlier, comparing },
        {
          matchElsewhere: (task) =>
            deps.renderer.matchLines(task, { owner: check.monitor.team_id, signal, urgent: false }),
          signal,
          onFault: (error) =>
            deps.logger.warn(
              { err: error, checkId: check.checkId, pageId: page.id },
              'lines of a page could not be compared with ignorePatterns, and count as changed',
            ),
        },
      );
      const words = checkPage(page, document, { earlier, comparing, ignored });
      const isRetriedPage = isRetried && failed.length < MAX_RETRIED_PAGES;
      if (words.status !== 'error') hasRead = true;
      else if (isRetriedPage && isTemporary(page.error, words.statusCode)) {
        failed.push(page.url);
        continue;
      }
      const screenshot = await screenshotOf(deps, check, { words, document, earlier, target });
      const found = screenshot ? addScreenshot(words, screenshot) : words;
      if (screenshot?.fault) faults.push(`that of ${page.url} was not: ${screenshot.fault}`);
      const failures = followFailures(found.status, earlierFailures.get(page.url), thresholdOf(target));
      // A model reads words, and looks at no picture.
      const isJudgmentDue = (isJudged && words.status === 'changed') || (judgesNew && words.status === 'new');
      pages.push({
        ...found,
        ...failures,
        isJudgmentDue,
        ...(await store(deps, { found, document })),
        screenshot: screenshot?.kept ?? null,
        id: idOf(page),
        targetId: name,
        url: page.url,
        previousScrapeId: earlier?.scrapeId ?? null,
        currentScrapeId: page.blob === null ? null : page.id,
      });
    }
    await db.query.transaction().execute(async (query) => {
      await addCheckPages(query, place, pages);
      const [first] = faults;
      if (first) await warnOfCheck(query, check.checkId, `Not all screenshots were compared; ${first}`);
    });
  }
}

const comparingOf = (target: PageTarget): Comparing => ({
  detection: target.changeDetection,
  modes: modesOf(target),
  ignoresWords: ignoresWords(target),
});

async function readDocument(results: Blobs, { blob }: EndedPage): Promise<StoredDocument | undefined> {
  // `buildDocument` wrote it as an object.
  return blob === null ? undefined : (JSON.parse((await results.get(blob)).toString()) as StoredDocument);
}

/** Compares the screenshot of a page that was read, if its target wants that. */
async function screenshotOf(
  deps: CollectDeps,
  { monitor, signal }: CollectedCheck,
  {
    words,
    document,
    earlier,
    target,
  }: {
    words: CheckedPage;
    document: StoredDocument | undefined;
    earlier: EarlierPage | undefined;
    target: PageTarget;
  },
): Promise<CheckedScreenshot | undefined> {
  const detection = target.changeDetection.screenshot;
  if (!detection || !document || words.status === 'error' || words.status === 'removed') return undefined;
  return checkScreenshot(
    deps,
    {
      screenshot: document.screenshot,
      earlier: words.status === 'new' ? null : (earlier?.screenshot ?? null),
      hasChanged: words.status === 'changed',
      detection,
    },
    { owner: monitor.team_id, signal },
  );
}

/** Stores what does not fit into the row of a page. */
async function store(
  { monitorBlobs }: CollectDeps,
  { found, document }: { found: CheckedPage; document: StoredDocument | undefined },
): Promise<Pick<NewCheckPage, 'blob' | 'version' | 'dataValues'>> {
  const { details, status } = found;
  const version = versionOf(status, document);
  return {
    blob: details ? await monitorBlobs.put(Buffer.from(JSON.stringify(details))) : null,
    version: version ? await monitorBlobs.put(packVersion(version)) : null,
    dataValues: version && document ? dataValuesOf(document) : null,
  };
}

/** The text and data of a page, so that it can be compared with other checks; `undefined` if it was not read. */
function versionOf(status: MonitorPageStatus, document: StoredDocument | undefined): PageContent | undefined {
  if (!document || status === 'error' || status === 'removed') return undefined;
  const { markdown, json } = document;
  return { markdown: typeof markdown === 'string' ? markdown : '', ...(json !== undefined && { json }) };
}

/** Failed checks in a row after which a failure is told. */
export const thresholdOf = (target: MonitorTarget) =>
  target.type === 'search' ? DEFAULT_FAILURE_THRESHOLD : target.changeDetection.failureThreshold;

/** The check and its monitor, as rows name them. */
export const ownerOf = ({ checkId, monitor }: Pick<CollectedCheck, 'checkId' | 'monitor'>) => ({
  checkId,
  monitorId: monitor.id,
});
