import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { BrowserPool } from '../../../src/fetch/browser/chromium/browser-pool.ts';
import type { BrowsingContext } from '../../../src/fetch/browser/chromium/browsing-context.ts';
import { launchChromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import { type AdBlocker, openAdBlocker } from '../../../src/fetch/browser/network/ad-blocker.ts';
import { type VisitOptions, type VisitResult, visit } from '../../../src/fetch/browser/visit.ts';
import { PLAIN_PAGE } from '../../../src/fetch/engines/engine.ts';
import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { USER_AGENT } from '../../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { startDns } from '../network/dns.ts';

/** A browser as a worker has it, with names and filter lists of its own. */
export interface TestBrowser {
  /**
   * Opens a page, with advertisements and cookie notices unless it is told otherwise.
   * @param wishes.sharedBy the job whose visits may share a context
   * @param wishes.changeContext makes of the context the one that is visited
   */
  visit(url: string, wishes?: Partial<VisitOptions> & ContextWishes): Promise<VisitResult>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface ContextWishes {
  sharedBy?: string;
  changeContext?(context: BrowsingContext): BrowsingContext;
}

export const VISITOR = {
  userAgent: USER_AGENT,
  mobile: false,
  skipTlsVerification: true,
  languages: ['en-US'],
  timezone: 'America/New_York',
};
const SEEN = { appearance: VISITOR, maxBytes: 10_000_000 };
const logger = createLogger('test', 'warn');

/**
 * Starts Chromium behind the egress proxy.
 * @param hosts names that are 127.0.0.1
 * @param lists text of filter lists
 */
export async function startBrowser(options: { hosts: string[]; lists?: string }): Promise<TestBrowser> {
  const config = readConfig();
  const dns = await startDns(Object.fromEntries(options.hosts.map((host) => [host, ['127.0.0.1']])));
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'], dns: dns.address });
  const proxy = await startEgressProxy(egress);
  const { path: executablePath } = await findChromium(config);
  const launch = () => launchChromium({ executablePath, proxy, logger });
  const pool = new BrowserPool({ launch, logger, contexts: 4 });
  const adBlocker = options.lists === undefined ? undefined : await blockerOf(options.lists);
  return {
    visit: (url, { sharedBy, changeContext, ...wishes } = {}) =>
      pool.lease(
        { sharedBy, proxyUrl: proxy.url },
        (context) =>
          visit(changeContext?.(context) ?? context, {
            ...PLAIN_PAGE,
            ...SEEN,
            url,
            adBlocker,
            logger,
            ...wishes,
          }),
        new AbortController().signal,
      ),
    async [Symbol.asyncDispose]() {
      await pool.close();
      await Promise.all([proxy.close(), egress.close(), dns.close()]);
    },
  };
}

async function blockerOf(lists: string): Promise<AdBlocker | undefined> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-lists-'));
  try {
    await writeFile(path.join(directory, 'list.txt'), lists);
    const adBlocker = await openAdBlocker({ directory, cacheDir: path.join(directory, 'cache'), logger });
    // It loads its file, which is about to be deleted.
    await adBlocker?.open();
    return adBlocker;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
