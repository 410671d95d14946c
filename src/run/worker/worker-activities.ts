import { createActivities } from '../../activities/index.ts';
import { LongConversions } from '../../activities/scrape/long-conversions.ts';
import { createScrapes } from '../../activities/scrape/scrape.ts';
import { KEY_NAMES } from '../../backup/manifest.ts';
import type { BackupPlace } from '../../backup/places/backup-place.ts';
import type { DocumentConverter } from '../../content/parsers/conversion/document-converter.ts';
import { MAX_OPEN_PAGES } from '../../fetch/browser/chromium/open-pages.ts';
import { createMediaExtractor } from '../../fetch/media/extractor.ts';
import { findYtDlp } from '../../fetch/media/yt-dlp.ts';
import { createChangeTracker } from '../../jobs/change-history/change-tracker.ts';
import { createLinkFilterCache } from '../../jobs/crawl/link-filter-cache.ts';
import { createRobotsCache } from '../../jobs/crawl/robots/robots-cache.ts';
import { Mailer } from '../../jobs/monitors/mail/mailer.ts';
import type { MonitorSchedules } from '../../jobs/monitors/schedules.ts';
import type { ScrapeMetrics } from '../../jobs/scraping/scrape-metrics.ts';
import type { Models } from '../../models/index.ts';
import type { Logger } from '../../system/logger.ts';
import { readKeyFiles } from '../embedded/keys.ts';
import type { HostedSessions } from '../process/host-sessions.ts';
import { type Browser, createEngines } from './fetching.ts';
import type { ThreadPools } from './rendering.ts';
import type { Storage } from './storage.ts';
import type { WorkerConfig } from './worker-config.ts';

/** Creates all activities with their dependencies, and the scrapes and the page cache of this process. */
export function createWorkerActivities(
  config: WorkerConfig,
  storage: Storage,
  parts: {
    browser: Browser;
    documents: DocumentConverter;
    threads: ThreadPools;
    sessions: HostedSessions | undefined;
    models: Models | undefined;
    metrics: ScrapeMetrics;
    schedules: MonitorSchedules;
    backups: BackupPlace | undefined;
    logger: Logger;
  },
) {
  const { browser, documents, threads, sessions, models, metrics, schedules, logger } = parts;
  const { renderer, remuxPool } = threads;
  const { egress, proxy } = browser;
  const { db, results, versionBlobs } = storage;
  const { userAgent, trackingTtlMs } = config;
  const robotsCache = createRobotsCache({ db, egress, userAgent, token: config.robotsToken });
  const engines = createEngines(config, storage, { browser, documents, logger });
  const deps = {
    ...storage,
    ...limitsOf(config),
    egress,
    renderer,
    sessions,
    logger,
    longConversions: new LongConversions(db, logger),
    userAgent,
    engines,
    media: createMediaExtractor({
      egress,
      proxy,
      renderer,
      remuxPool,
      blobs: results,
      userAgent,
      maxBytes: config.maxMediaBytes,
      ytDlp: findYtDlp(config.ytDlp),
    }),
    linkFilters: createLinkFilterCache({
      db,
      robotsCache,
      renderer,
      maxRobotsWaitMs: config.maxRobotsWaitMs,
    }),
    models,
    metrics,
    schedules,
    tracker: createChangeTracker({ db, versionBlobs, renderer, trackingTtlMs }),
    mailer: config.mailServer && new Mailer(config.mailServer),
    mailLimit: config.mailLimit,
    backups: backupsOf(config, parts.backups),
    searxngUrl: config.searxngUrl,
    secretKey: config.secretKey,
  };
  const scrapes = createScrapes(deps);
  return { scrapes, activities: createActivities({ ...deps, scrapes }), cache: engines.cache };
}

/** Where daily backups are written and what they are made of. */
const backupsOf = ({ blobs, secretKey, dataDir }: WorkerConfig, place: BackupPlace | undefined) =>
  place && { place, blobs, secretKey, readKeys: () => readKeyFiles(dataDir, KEY_NAMES) };

/** How much a worker does and keeps at most. */
const limitsOf = ({
  maxIndexedPages,
  resultTtlMs,
  cacheTtlMs,
  cacheMaxBytes,
  maxArchiveBytes,
  trackingTtlMs,
  requestsPerHost,
}: WorkerConfig) => ({
  indexesPages: maxIndexedPages > 0,
  maxIndexedPages,
  resultTtlMs,
  cacheTtlMs,
  cacheMaxBytes,
  maxArchiveBytes,
  trackingTtlMs,
  requestsPerHost,
  browserPages: MAX_OPEN_PAGES,
});
