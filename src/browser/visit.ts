import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Response } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import type { CollectedFile, OpenPage } from '../formats/format.ts';
import type { Action } from '../schemas/actions.ts';
import { type ActionOutcome, perform } from './actions.ts';
import type { AdBlocker } from './ads.ts';
import { cameraOf } from './camera.ts';
import { rejectCookies } from './consent.ts';
import type { Appearance } from './device.ts';
import { runApart } from './isolated-world.ts';
import { isHtml, readHtml } from './read.ts';
import { ownHeaders } from './request-headers.ts';
import { ruleRequests } from './requests.ts';
import { settle } from './settle.ts';
import { openTab, type Tab } from './tab.ts';

/** How long after an aborted navigation the news of a crash may come. */
const CRASH_NEWS_MS = 200;
/** Documents that never end are read after this long as far as they are there. */
const MOST_LOADING_MS = 15_000;

/** A page that could not be opened, and the address that failed: after redirects not the one asked for. */
export class NavigationError extends Error {
  override readonly name = 'NavigationError';
  readonly url: string;
  /** There is a file, not a page. */
  readonly isDownload: boolean;

  constructor(cause: Error, url: string) {
    super(cause.message, { cause });
    this.url = url;
    this.isDownload = /Download is starting/.test(cause.message);
  }
}

/** What to do on a page. */
export interface Visit {
  url: string;
  headers: Record<string, string>;
  appearance: Appearance;
  waitForMs: number;
  /** Neither advertisements, where there is a blocker, nor cookie notices. */
  blockAds: boolean;
  adBlocker?: AdBlocker | undefined;
  actions: Action[];
  collect: Record<string, (page: OpenPage) => Promise<CollectedFile>>;
  /** Of each document as it is sent, and of the rendered page in characters. */
  maxBytes: number;
}

/** What was there. */
export interface Visited {
  url: string;
  statusCode: number;
  contentType: string;
  /** The rendered page, at most one character larger than allowed; absent for an answer that is no HTML. */
  html?: string;
  /** The answer as it was sent, when it is no HTML. */
  body?: Uint8Array;
  timezone: string;
  files: Record<string, CollectedFile>;
  /** Absent when there was nothing to do. */
  actions?: ActionOutcome;
  /** What could not be done as it was asked for, in words for the user. */
  warnings: string[];
}

/**
 * Goes to a page, waits until it has settled, does the actions, collects the files that formats want, and reads it.
 * @throws ServiceError `SCRAPE_ACTION_ERROR`, `SCRAPE_CONTENT_TOO_LARGE`
 * @throws Playwright's own errors for what `engines/browser.ts` translates
 */
export async function visit(context: BrowserContext, order: Visit): Promise<Visited> {
  const { actions, appearance, maxBytes } = order;
  const pictures =
    Object.keys(order.collect).length > 0 ||
    actions.some(({ type }) => type === 'screenshot' || type === 'pdf');
  const tab = await openTab(context, { appearance, maxBytes, pictures });
  return Promise.race([tab.fault, visitIn(tab, order)]);
}

async function visitIn(tab: Tab, order: Visit): Promise<Visited> {
  const { page, session, traffic } = tab;
  const { blockAds } = order;
  const ads = blockAds ? order.adBlocker?.open() : undefined;
  await ruleRequests(session, { headers: await ownHeaders(page.context(), order), isUnwanted: ads?.isAd });
  const first = await open(tab, order.url);
  await settle(tab);
  if (order.waitForMs) await sleep(order.waitForMs);
  if (blockAds && (await rejectCookies(page, session))) await settle(tab);
  const now = () => traffic.document() ?? first;
  const actions = order.actions.length
    ? {
        actions: await perform(tab, order.actions, {
          contentType: await typeOf(now()),
          maxCharacters: order.maxBytes,
        }),
      }
    : {};
  await ads?.remove(session);
  const files: Record<string, CollectedFile> = {};
  const camera = cameraOf(tab);
  for (const [type, make] of Object.entries(order.collect)) files[type] = await make(camera);
  const answer = now();
  const contentType = await typeOf(answer);
  return {
    url: page.url(),
    statusCode: answer.status(),
    contentType,
    ...(isHtml(contentType) ? { html: await readHtml(tab, order.maxBytes) } : { body: await answer.body() }),
    timezone: await runApart(tab, timezone, undefined),
    files,
    warnings: tab.warnings,
    ...actions,
  };
}

/** Goes to the address, and waits until its document is there. */
async function open(tab: Tab, url: string): Promise<Response> {
  const { page, session, traffic } = tab;
  const loaded = whenLoaded(tab);
  await session.send('Page.enable');
  const response = await page.goto(url, { waitUntil: 'commit', timeout: 0 }).catch(async (error: Error) => {
    // A crash is told after the navigation that it aborted.
    if (error.message.includes('ERR_ABORTED')) await sleep(CRASH_NEWS_MS);
    throw new NavigationError(error, traffic.failedUrl() ?? url);
  });
  if (!response) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} gave no answer. Check the address.`);
  const late = sleep(MOST_LOADING_MS, false, { ref: false });
  if (!(await Promise.race([loaded, late]))) await session.send('Page.stopLoading');
  return response;
}

/**
 * Resolves when the document is there. The event is not enough: a page that asks for an address which another program
 * is for, like `mailto:`, stops loading without it.
 */
function whenLoaded({ session, frameId }: Tab): Promise<true> {
  return new Promise((resolve) => {
    let isThere = false;
    session.once('Page.domContentEventFired', () => resolve(true));
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === frameId) isThere = true;
    });
    session.on('Page.frameStoppedLoading', (stopped) => {
      if (isThere && stopped.frameId === frameId) resolve(true);
    });
  });
}

/** Runs in the page. */
const timezone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const typeOf = async (answer: Response) => (await answer.headerValue('content-type')) ?? '';
