import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, devices, type Page, type Request, type Response } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import type { CollectedFile, OpenPage } from '../formats/format.ts';
import { MOBILE_USER_AGENT, USER_AGENT } from '../net/user-agent.ts';
import type { AdBlocker } from './ads.ts';
import { rejectCookies } from './consent.ts';
import { lowerCased, ruleRequests } from './requests.ts';

/** A page is quiet when neither network nor DOM stirred for this long. */
const QUIET_MS = 400;
/** How long after an aborted navigation the news of a crash may come. */
const CRASH_NEWS_MS = 200;
/** Pages that are never quiet are read after this long. */
const MOST_SETTLING_MS = 6_000;

/** A page that could not be opened, and the address that failed: after redirects not the one asked for. */
export class NavigationError extends Error {
  override readonly name = 'NavigationError';
  readonly url: string;

  constructor(cause: Error, url: string) {
    super(cause.message, { cause });
    this.url = url;
  }
}

/** What to do on a page. */
export interface Visit {
  url: string;
  headers: Record<string, string>;
  waitForMs: number;
  /** Neither advertisements, where there is a blocker, nor cookie notices. */
  blockAds: boolean;
  adBlocker?: AdBlocker | undefined;
  collect: Record<string, (page: OpenPage) => Promise<CollectedFile>>;
}

/** What was there. */
export interface Visited {
  url: string;
  statusCode: number;
  contentType: string;
  /** The rendered page; absent for an answer that is no HTML. */
  html?: string;
  /** The answer as it was sent, when it is no HTML. */
  body?: Uint8Array;
  timezone: string;
  files: Record<string, CollectedFile>;
}

/** The context that a page is opened in. */
export function contextOptions(page: { mobile: boolean; skipTlsVerification: boolean }) {
  const { defaultBrowserType: _, ...pixel } = devices['Pixel 7']!;
  return {
    ...(page.mobile ? { ...pixel, userAgent: MOBILE_USER_AGENT } : { userAgent: USER_AGENT }),
    ...(!page.mobile && { viewport: { width: 1280, height: 800 } }),
    ignoreHTTPSErrors: page.skipTlsVerification,
    locale: 'en-US',
    serviceWorkers: 'block' as const,
    acceptDownloads: false,
  };
}

/**
 * Goes to a page, waits until it has settled, collects the files that formats want, and reads it.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` when the address is a download
 * @throws Playwright's own errors for what `engines/browser.ts` translates
 */
export async function visit(
  context: BrowserContext,
  { url, headers, waitForMs, blockAds, adBlocker, collect }: Visit,
): Promise<Visited> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const ads = blockAds ? adBlocker?.open() : undefined;
  await ruleRequests(session, { headers: await ownHeaders(context, url, headers), isUnwanted: ads?.isAd });
  const traffic = watchTraffic(page);
  // A dialog would hold the page for ever.
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  const response = await page
    .goto(url, { waitUntil: 'domcontentloaded', timeout: 0 })
    .catch(async (error: Error) => {
      // A crash is told after the navigation that it aborted.
      if (error.message.includes('ERR_ABORTED')) await sleep(CRASH_NEWS_MS);
      const cause = traffic.crashed() ? new Error('the tab crashed', { cause: error }) : error;
      throw new NavigationError(cause, traffic.failedUrl() ?? url);
    });
  if (!response) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} gave no answer. Check the address.`);
  await settle(page, traffic);
  if (waitForMs) await sleep(waitForMs);
  if (blockAds && (await rejectCookies(page, session))) await settle(page, traffic);
  await ads?.remove(session);
  const files: Record<string, CollectedFile> = {};
  for (const [type, make] of Object.entries(collect)) files[type] = await make(page);
  const answer = traffic.document() ?? response;
  const contentType = (await answer.headerValue('content-type')) ?? '';
  return {
    url: page.url(),
    statusCode: answer.status(),
    contentType,
    ...(isHtml(contentType) ? { html: await page.content() } : { body: await answer.body() }),
    timezone: await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
    files,
  };
}

const isHtml = (contentType: string) => !contentType || /\bx?html\b/i.test(contentType);

/** The user's headers for the page's own origin. Cookies go into the jar, as a browser's do. */
async function ownHeaders(context: BrowserContext, url: string, given: Record<string, string>) {
  const origin = new URL(url);
  const { cookie, ...values } = lowerCased(given);
  if (cookie !== undefined) await setCookies(context, origin, cookie);
  return Object.keys(values).length ? { origin, values } : undefined;
}

async function setCookies(context: BrowserContext, { origin }: URL, header: string): Promise<void> {
  const cookies = header
    .split(';')
    .map((pair) => /^\s*([^=]+)=(.*)$/.exec(pair))
    .flatMap((match) => (match ? [{ url: origin, name: match[1]!.trim(), value: match[2]!.trim() }] : []));
  try {
    await context.addCookies(cookies);
  } catch (cause) {
    throw new ServiceError('BAD_REQUEST', `The header Cookie does not hold cookies for ${origin}.`, {
      cause,
    });
  }
}

/** What is under way on the network, and the answer that made the main document. */
function watchTraffic(page: Page) {
  const open = new Set<Request>();
  let document: Response | undefined;
  let failedUrl: string | undefined;
  let crashed = false;
  page.on('crash', () => {
    crashed = true;
  });
  let lastChange = performance.now();
  const touch = () => {
    lastChange = performance.now();
  };
  page.on('request', (request) => {
    open.add(request);
    touch();
  });
  const close = (request: Request) => {
    if (open.delete(request)) touch();
  };
  page.on('requestfinished', close);
  page.on('requestfailed', (request) => {
    close(request);
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) failedUrl = request.url();
  });
  page.on('response', (response) => {
    const request = response.request();
    const redirected = response.status() >= 300 && response.status() < 400;
    if (request.isNavigationRequest() && request.frame() === page.mainFrame() && !redirected)
      document = response;
  });
  return {
    document: () => document,
    failedUrl: () => failedUrl,
    crashed: () => crashed,
    quietForMs: () => (open.size ? 0 : performance.now() - lastChange),
  };
}

/** Waits until network and DOM have been quiet together, at most {@link MOST_SETTLING_MS}. */
async function settle(page: Page, traffic: ReturnType<typeof watchTraffic>): Promise<void> {
  const end = performance.now() + MOST_SETTLING_MS;
  while (performance.now() < end) {
    const quietForMs = Math.min(traffic.quietForMs(), await domQuietMs(page));
    if (quietForMs >= QUIET_MS) return;
    await sleep(Math.max(20, QUIET_MS - quietForMs));
  }
}

/** Milliseconds since the DOM last changed; 0 while the page is between two documents. */
async function domQuietMs(page: Page): Promise<number> {
  try {
    return await page.evaluate(() => {
      const key = Symbol.for('winnow.lastChange');
      const seen = window as unknown as Record<symbol, number>;
      if (seen[key] === undefined) {
        seen[key] = performance.now();
        new MutationObserver(() => {
          seen[key] = performance.now();
        }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      }
      return performance.now() - seen[key];
    });
  } catch (error) {
    if (/Execution context was destroyed|navigat/i.test(String(error))) return 0;
    throw error;
  }
}
