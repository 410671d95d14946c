import type { DocumentConverter } from '../../content/parsers/conversion/document-converter.ts';
import { createProfiles } from '../../fetch/browser/browser-profile.ts';
import { BrowserPool } from '../../fetch/browser/chromium/browser-pool.ts';
import { launchChromium } from '../../fetch/browser/chromium/launch-chromium.ts';
import { MAX_CONTEXTS, MAX_LOADING_PAGES, MAX_OPEN_PAGES } from '../../fetch/browser/chromium/open-pages.ts';
import { pageMemoryLimits } from '../../fetch/browser/chromium/page-memory.ts';
import { openAdBlocker } from '../../fetch/browser/network/ad-blocker.ts';
import { type BrowserEngineDeps, createBrowserEngine } from '../../fetch/engines/browser-engine.ts';
import { createConvertIfDocument } from '../../fetch/engines/convert-document.ts';
import type { Engines } from '../../fetch/engines/fetch-page.ts';
import { createHttpEngine } from '../../fetch/engines/http-engine.ts';
import { createPageCache, type PageCache } from '../../fetch/engines/page-cache.ts';
import { createUploadEngine } from '../../fetch/engines/upload-engine.ts';
import { createEgress } from '../../fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../fetch/net/egress-proxy.ts';
import { createOwnPorts } from '../../fetch/net/own-ports.ts';
import type { Logger } from '../../system/logger.ts';
import type { Storage } from './storage.ts';
import type { WorkerConfig } from './worker-config.ts';

/** Starts the network access of this process and its browser. */
export async function startBrowser(
  config: Pick<
    WorkerConfig,
    | 'allowPrivate'
    | 'ownAddresses'
    | 'dns'
    | 'proxies'
    | 'sharesBrowserCache'
    | 'maxPageMemoryMb'
    | 'adLists'
    | 'cacheDir'
  >,
  chromium: { path: string },
  logger: Logger,
) {
  const egress = createEgress({
    allowPrivate: config.allowPrivate,
    dns: config.dns,
    ownPorts: createOwnPorts(config.ownAddresses),
    proxies: {
      ...config.proxies,
      onFault: ({ proxy, restMs, error }) =>
        logger.warn({ err: error, proxy, restMs }, 'proxy failed and is not used for a while'),
    },
  });
  const proxy = await startEgressProxy(egress);
  const pool = new BrowserPool({
    launch: () => launchChromium({ executablePath: chromium.path, proxy, contexts: MAX_CONTEXTS, logger }),
    contexts: MAX_OPEN_PAGES,
    loading: MAX_LOADING_PAGES,
    sharesContexts: config.sharesBrowserCache,
    limits: { pages: pageMemoryLimits(config.maxPageMemoryMb) },
    logger,
  });
  const adBlocker = await openAdBlocker({ directory: config.adLists, cacheDir: config.cacheDir, logger });
  return { egress, proxy, pool, adBlocker };
}

/** The network access of a worker, and its browser. */
export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** What fetching a page depends on. */
type FetchConfig = Pick<WorkerConfig, 'secretKey' | 'userAgent' | 'maxBodyBytes' | 'sharesCache'>;

/** The dependencies of opening pages in a browser, of the pool or of a session. */
export const browserEngineDeps = (
  { secretKey, userAgent, maxBodyBytes }: Omit<FetchConfig, 'sharesCache'>,
  { db, results }: Pick<Storage, 'db' | 'results'>,
  { browser: { egress, proxy, adBlocker }, logger }: { browser: Browser; logger: Logger },
): Omit<BrowserEngineDeps, 'pool'> => ({
  egress,
  proxy,
  blobs: results,
  userAgent,
  maxBodyBytes,
  adBlocker,
  logger,
  profiles: createProfiles({ db, secretKey, logger }),
});

/** Creates the engines, the cache of pages and the reader of documents. */
export function createEngines(
  config: FetchConfig,
  storage: Storage,
  { browser, documents, logger }: { browser: Browser; documents: DocumentConverter; logger: Logger },
): Engines & { cache: PageCache } {
  const { secretKey, userAgent, maxBodyBytes } = config;
  const { db, results, cacheBlobs, uploads } = storage;
  const { egress, pool } = browser;
  return {
    http: createHttpEngine({ egress, userAgent, maxBodyBytes }),
    browser: createBrowserEngine({ ...browserEngineDeps(config, storage, { browser, logger }), pool }),
    proxies: egress.upstreams,
    upload: createUploadEngine({ db, uploads, secretKey }),
    convertIfDocument: createConvertIfDocument({ convert: documents.convert, blobs: results }),
    cache: createPageCache({
      db,
      blobs: cacheBlobs,
      results,
      isShared: config.sharesCache,
      onUnreadable: (error) =>
        logger.warn({ err: error }, 'a copy of a page could not be read, so it is fetched'),
    }),
  };
}
