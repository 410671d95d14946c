import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import type { Collected, CollectedFile, OpenPage } from '../formats/format.ts';
import { pause } from '../pause.ts';
import type { Action } from '../schemas/actions.ts';
import type { LoadedMedia } from '../snapshot.ts';
import { type ActionOutcome, performActions } from './action-handlers.ts';
import type { AdBlocker } from './ad-blocker.ts';
import { createScreenshotTarget } from './capture-screenshot.ts';
import type { Session } from './cdp.ts';
import { rejectCookieNotice } from './cookie-consent.ts';
import type { BrowsingContext } from './browsing-context.ts';
import type { Appearance } from './device-emulation.ts';
import { evaluateIsolated } from './isolated-world.ts';
import { attachPlaywright } from './attach-playwright.ts';
import type { OpenProfile } from './browser-profile.ts';
import { isHtml, readHtml } from './read-html.ts';
import { prepareOwnHeaders } from './request-headers.ts';
import { interceptRequests } from './request-interception.ts';
import { waitUntilSettled } from './wait-until-settled.ts';
import { openTab, type Tab } from './tab.ts';
import type { DocumentResponse } from './network-monitor.ts';

/** How long after an aborted navigation the news of a crash may come. */
const CRASH_EVENT_DELAY_MS = 200;
/** Documents that never end are read after this long as far as they are there. */
const MAX_LOAD_MS = 15_000;

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
export interface VisitOptions {
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
export interface VisitResult {
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
export async function visit(context: BrowsingContext, options: VisitOptions): Promise<VisitResult> {
  const { actions, appearance, maxBytes, profile } = options;
  const waitForVisuals =
    Object.keys(options.collect).length > 0 ||
    actions.some(({ type }) => type === 'screenshot' || type === 'pdf');
  const tab = await openTab(context, { appearance, maxBytes, waitForVisuals });
  if (!actions.length && !profile) return Promise.race([tab.failure, visitTab(tab, options)]);
  await using playwright = await attachPlaywright(tab);
  const runVisit = () => visitTab(tab, options, playwright.page);
  // Playwright stays until it is done.
  return await Promise.race([tab.failure, profile ? profile.runWith(playwright.context, tab, runVisit) : runVisit()]);
}

/** @param page the same one in the hands of Playwright, where there is something to do on it */
async function visitTab(tab: Tab, options: VisitOptions, page?: Page): Promise<VisitResult> {
  const { session, network } = tab;
  const { blockAds } = options;
  const ads = blockAds ? options.adBlocker?.open() : undefined;
  await interceptRequests(tab, { headers: await prepareOwnHeaders(tab.context, options), isBlocked: ads?.isAd });
  const initialResponse = await navigate(tab, options.url);
  await waitUntilSettled(tab);
  if (options.waitForMs) await sleep(options.waitForMs);
  if (blockAds && (await rejectCookieNotice(tab))) await waitUntilSettled(tab);
  const currentResponse = () => network.document() ?? initialResponse;
  const actionBounds = { contentType: currentResponse().contentType, maxCharacters: options.maxBytes };
  const actions =
    page && options.actions.length ? { actions: await performActions(tab, page, options.actions, actionBounds) } : {};
  await ads?.remove(session);
  const collected = await collectFormats(tab, options.collect);
  const response = currentResponse();
  const { statusCode, contentType } = response;
  const reason = network.loadError();
  if (reason) {
    tab.warnings.push(`${tab.url()} broke off (${reason}), and was read as far as it had come. Try again.`);
  }
  return {
    ...{ url: tab.url(), statusCode, contentType },
    ...(isHtml(contentType)
      ? { html: await readHtml(tab, options.maxBytes) }
      : { body: await readBody(session, response) }),
    timezone: await evaluateIsolated(tab, readTimezone, undefined),
    ...collected,
    media: network.media(),
    isPartial: reason !== undefined,
    warnings: tab.warnings,
    ...actions,
  };
}

/** Makes what formats want from the open page, one after the other. */
async function collectFormats(tab: Tab, collectors: VisitOptions['collect']): Promise<Pick<VisitResult, 'files' | 'surveys'>> {
  const files: VisitResult['files'] = {};
  const surveys: VisitResult['surveys'] = {};
  const page: OpenPage = {
    ...createScreenshotTarget(tab),
    ask: (run, argument) => evaluateIsolated(tab, run, argument),
    warn: (text) => tab.warnings.push(text),
  };
  for (const [type, make] of Object.entries(collectors)) {
    const collected = await make(page);
    if ('bytes' in collected) files[type] = collected;
    else surveys[type] = collected.survey;
  }
  return { files, surveys };
}

/** Goes to the address, and waits until its document is there. */
async function navigate(tab: Tab, url: string): Promise<DocumentResponse> {
  const { session, network } = tab;
  const loaded = whenLoaded(tab);
  const { errorText, isDownload = false } = await session.send('Page.navigate', { url });
  if (errorText) {
    // A crash is told after the navigation that it aborted.
    if (errorText.includes('ERR_ABORTED')) await sleep(CRASH_EVENT_DELAY_MS);
    throw new NavigationError(errorText, network.failedUrl() ?? url, isDownload);
  }
  const response = network.document();
  if (!response) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} gave no answer. Check the address.`);
  // Chromium makes a page of its own around such a file, or downloads it, as its build can play it or not.
  if (/^\s*(?:audio|video)\//i.test(response.contentType)) {
    throw new NavigationError(`the answer is ${response.contentType}`, tab.url() || url, true);
  }
  const timer = new AbortController();
  const timeout = pause(MAX_LOAD_MS, timer.signal).then(() => false);
  const isLoaded = await Promise.race([loaded, timeout]).finally(() => timer.abort());
  if (!isLoaded) {
    await session.send('Page.stopLoading');
    const waited = `${MAX_LOAD_MS / 1000} seconds`;
    tab.warnings.push(`${url} had not ended after ${waited}, and was read as far as it had come.`);
  }
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
const readTimezone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

async function readBody(session: Session, { requestId }: DocumentResponse): Promise<Uint8Array> {
  const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
  return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
}
