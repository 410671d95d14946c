import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import type { Collected, CollectedFile, OpenPage } from '../formats/format.ts';
import { pause } from '../pause.ts';
import type { Action } from '../schemas/actions.ts';
import type { LoadedMedia } from '../snapshot.ts';
import { type ActionOutcome, perform } from './actions.ts';
import type { AdBlocker } from './ads.ts';
import { cameraOf } from './camera.ts';
import type { Session } from './cdp.ts';
import { rejectCookies } from './consent.ts';
import type { BrowsingContext } from './context.ts';
import type { Appearance } from './device.ts';
import { runApart } from './isolated-world.ts';
import { joinPlaywright } from './playwright.ts';
import type { OpenProfile } from './profile.ts';
import { isHtml, readHtml } from './read.ts';
import { ownHeaders } from './request-headers.ts';
import { ruleRequests } from './requests.ts';
import { settle } from './settle.ts';
import { openTab, type Tab } from './tab.ts';
import type { Answer } from './traffic.ts';

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

  /** @param code as Chromium says it, e.g. `net::ERR_CONNECTION_REFUSED` */
  constructor(code: string, url: string, isDownload: boolean) {
    super(code);
    this.url = url;
    this.isDownload = isDownload;
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
  /** The state that the browser starts with. */
  profile?: OpenProfile | undefined;
  collect: Record<string, (page: OpenPage) => Promise<Collected>>;
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
  surveys: Record<string, unknown>;
  /** What was loaded to play. */
  media: LoadedMedia[];
  /** Absent when there was nothing to do. */
  actions?: ActionOutcome;
  /** The page broke off before it was all there. */
  isPartial: boolean;
  /** What could not be done as it was asked for, in words for the user. */
  warnings: string[];
}

/**
 * Goes to a page, waits until it has settled, does the actions, collects the files that formats want, and reads it.
 * @throws ServiceError `SCRAPE_ACTION_ERROR`, `SCRAPE_CONTENT_TOO_LARGE`
 * @throws NavigationError, Disconnected, and Playwright's own errors, which `engines/browser.ts` translates
 */
export async function visit(context: BrowsingContext, order: Visit): Promise<Visited> {
  const { actions, appearance, maxBytes, profile } = order;
  const pictures =
    Object.keys(order.collect).length > 0 ||
    actions.some(({ type }) => type === 'screenshot' || type === 'pdf');
  const tab = await openTab(context, { appearance, maxBytes, pictures });
  if (!actions.length && !profile) return Promise.race([tab.fault, visitIn(tab, order)]);
  await using guest = await joinPlaywright(tab);
  const visiting = () => visitIn(tab, order, guest.page);
  // Playwright stays until it is done.
  return await Promise.race([tab.fault, profile ? profile.keep(guest.context, tab, visiting) : visiting()]);
}

/** @param page the same one in the hands of Playwright, where there is something to do on it */
async function visitIn(tab: Tab, order: Visit, page?: Page): Promise<Visited> {
  const { session, traffic } = tab;
  const { blockAds } = order;
  const ads = blockAds ? order.adBlocker?.open() : undefined;
  await ruleRequests(tab, { headers: await ownHeaders(tab.context, order), isUnwanted: ads?.isAd });
  const first = await open(tab, order.url);
  await settle(tab);
  if (order.waitForMs) await sleep(order.waitForMs);
  if (blockAds && (await rejectCookies(tab))) await settle(tab);
  const now = () => traffic.document() ?? first;
  const bounds = { contentType: now().contentType, maxCharacters: order.maxBytes };
  const actions =
    page && order.actions.length ? { actions: await perform(tab, page, order.actions, bounds) } : {};
  await ads?.remove(session);
  const collected = await collect(tab, order.collect);
  const answer = now();
  const { statusCode, contentType } = answer;
  const reason = traffic.brokenOff();
  if (reason) {
    tab.warnings.push(`${tab.url()} broke off (${reason}), and was read as far as it had come. Try again.`);
  }
  return {
    ...{ url: tab.url(), statusCode, contentType },
    ...(isHtml(contentType)
      ? { html: await readHtml(tab, order.maxBytes) }
      : { body: await bodyOf(session, answer) }),
    timezone: await runApart(tab, timezone, undefined),
    ...collected,
    media: traffic.media(),
    isPartial: reason !== undefined,
    warnings: tab.warnings,
    ...actions,
  };
}

/** Makes what formats want from the open page, one after the other. */
async function collect(tab: Tab, wanted: Visit['collect']): Promise<Pick<Visited, 'files' | 'surveys'>> {
  const files: Visited['files'] = {};
  const surveys: Visited['surveys'] = {};
  const page: OpenPage = {
    ...cameraOf(tab),
    ask: (run, argument) => runApart(tab, run, argument),
    warn: (text) => tab.warnings.push(text),
  };
  for (const [type, make] of Object.entries(wanted)) {
    const made = await make(page);
    if ('bytes' in made) files[type] = made;
    else surveys[type] = made.survey;
  }
  return { files, surveys };
}

/** Goes to the address, and waits until its document is there. */
async function open(tab: Tab, url: string): Promise<Answer> {
  const { session, traffic } = tab;
  const loaded = whenLoaded(tab);
  const { errorText, isDownload = false } = await session.send('Page.navigate', { url });
  if (errorText) {
    // A crash is told after the navigation that it aborted.
    if (errorText.includes('ERR_ABORTED')) await sleep(CRASH_NEWS_MS);
    throw new NavigationError(errorText, traffic.failedUrl() ?? url, isDownload);
  }
  const answer = traffic.document();
  if (!answer) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} gave no answer. Check the address.`);
  // Chromium makes a page of its own around such a file, or downloads it, as its build can play it or not.
  if (/^\s*(?:audio|video)\//i.test(answer.contentType)) {
    throw new NavigationError(`the answer is ${answer.contentType}`, tab.url() || url, true);
  }
  const timer = new AbortController();
  const late = pause(MOST_LOADING_MS, timer.signal).then(() => false);
  const isLoaded = await Promise.race([loaded, late]).finally(() => timer.abort());
  if (!isLoaded) {
    await session.send('Page.stopLoading');
    const waited = `${MOST_LOADING_MS / 1000} seconds`;
    tab.warnings.push(`${url} had not ended after ${waited}, and was read as far as it had come.`);
  }
  return answer;
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

async function bodyOf(session: Session, { requestId }: Answer): Promise<Uint8Array> {
  const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
  return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
}
