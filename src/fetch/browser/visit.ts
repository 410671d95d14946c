import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import type { Collected, CollectedFile, OpenPage } from '../../content/formats/format.ts';
import type { LoadedMedia } from '../../content/snapshot.ts';
import { ServiceError } from '../../errors.ts';
import type { Action } from '../../schemas/actions.ts';
import type { Redirect } from '../../schemas/page-trace.ts';
import type { Logger } from '../../system/logger.ts';
import { pause } from '../../system/pause.ts';
import { type ActionOutcome, performActions } from './actions/action-handlers.ts';
import { createScreenshotTarget } from './actions/capture-screenshot.ts';
import { attachPlaywright } from './attach-playwright.ts';
import type { OpenProfile } from './browser-profile.ts';
import type { BrowsingContext } from './chromium/browsing-context.ts';
import { rejectCookieNotice, searchCookieNotices } from './cookie-consent.ts';
import type { Appearance } from './device-emulation.ts';
import { evaluateIsolated } from './dom/isolated-world.ts';
import { isHtml, readHtml } from './dom/read-html.ts';
import { leaveTab } from './leave-tab.ts';
import type { AdBlocker } from './network/ad-blocker.ts';
import type { DocumentResponse } from './network/network-monitor.ts';
import { prepareOwnHeaders } from './network/request-headers.ts';
import { interceptRequests } from './network/request-interception.ts';
import type { RecordedPage } from './network/response-recorder.ts';
import { takeOptionalStep } from './optional-step.ts';
import { createPageClock, runWithClock } from './page-clock.ts';
import { readBody, readSource } from './read-response.ts';
import { openTab, type Tab } from './tab.ts';
import { waitUntilSettled } from './wait-until-settled.ts';

/** How long after an aborted navigation the event of a crash may arrive. */
const CRASH_EVENT_DELAY_MS = 200;
/** Chromium closes all connections when an interface of its machine appears, also while it starts. */
const NETWORK_CHANGED = 'ERR_NETWORK_CHANGED';
/** A navigation is begun at most this often when the network changes. */
const MAX_NETWORK_CHANGES = 3;
/** A document that has not ended after this long is read as far as it has loaded. */
export const MAX_LOAD_MS = 15_000;

/** A page that could not be opened. After redirects, `url` is the URL that failed, not the requested one. */
export class NavigationError extends Error {
  override readonly name = 'NavigationError';
  readonly url: string;
  /** Whether the URL is a file to download, not a page. */
  readonly isDownload: boolean;

  /** @param code error code of Chromium, such as `net::ERR_CONNECTION_REFUSED` */
  constructor(code: string, url: string, isDownload: boolean) {
    super(code);
    this.url = url;
    this.isDownload = isDownload;
  }
}

/** The options of a visit to a page. */
export interface VisitOptions {
  url: string;
  headers: Record<string, string>;
  appearance: Appearance;
  waitForMs: number;
  /** The hosts that the tab may be on; absent if any may be. Other documents of it are not requested. */
  allowedHosts?: readonly string[] | undefined;
  /** Whether to remove cookie notices and, if there is a blocker, advertisements. */
  blockAds: boolean;
  adBlocker?: Pick<AdBlocker, 'open'> | undefined;
  actions: Action[];
  /** The profile to restore and perhaps save. */
  profile?: OpenProfile | undefined;
  collect: Record<string, (page: OpenPage) => Promise<Collected>>;
  /**
   * Called once at most, when the page is only watched for late changes, see `wait-until-settled.ts`. It is
   * not called if actions follow, or if the page has an error status.
   */
  onRequestsEnded?: (() => void) | undefined;
  /** Called with each URL of the page that leads to another document. */
  onRedirect?: ((redirect: Redirect) => void) | undefined;
  /** Decides by the rendered page whether the HTML of its response is read as well; absent if it never is. */
  needsSource?: ((page: { html: string; hasEnded: boolean }) => boolean) | undefined;
  /** Maximum size of each document in bytes, and of the rendered page in characters. */
  maxBytes: number;
  /** Whether to keep the responses as they come; absent if not. */
  archive?: boolean | undefined;
  /** Logs steps that only help and have failed. */
  logger: Pick<Logger, 'warn'>;
}

/** The page, as it was read. */
export interface VisitResult {
  url: string;
  statusCode: number;
  contentType: string;
  /** The rendered page, at most one character larger than allowed; absent when the response is not HTML. */
  html?: string;
  /** The HTML of the response, if it was needed and Chromium still had it. */
  source?: string | undefined;
  /** The response body, when it is not HTML. */
  body?: Uint8Array;
  timezone: string;
  files: Record<string, CollectedFile>;
  collectedData: Record<string, unknown>;
  /** The media that the page loaded. */
  media: LoadedMedia[];
  /** Absent when the request had no actions. */
  actions?: ActionOutcome;
  /** Whether the document had ended; false if it was read as far as it had come after {@link MAX_LOAD_MS}. */
  hasEnded: boolean;
  /** Whether the document ended before it was complete. */
  isPartial: boolean;
  /** Warnings for the user. */
  warnings: string[];
  /** The requests of the page with their responses; absent unless they were to be kept. */
  exchanges?: RecordedPage['exchanges'];
}

/**
 * Opens a page, waits until it has settled, performs the actions, runs the collectors of formats, and reads
 * the page.
 * @throws ServiceError `SCRAPE_ACTION_ERROR`, `SCRAPE_CONTENT_TOO_LARGE`
 * @throws NavigationError, Disconnected, and Playwright's own errors, which `fetch/engines/browser-engine.ts`
 * translates
 */
export async function visit(context: BrowsingContext, options: VisitOptions): Promise<VisitResult> {
  const { actions, appearance, maxBytes, onRedirect, logger, headers } = options;
  const waitForVisuals =
    Object.keys(options.collect).length > 0 ||
    actions.some(({ type }) => type === 'screenshot' || type === 'pdf');
  const archive = options.archive ? { userHeaders: headers } : undefined;
  const tab = await openTab(context, { appearance, maxBytes, waitForVisuals, onRedirect, archive, logger });
  const result = await useTab(tab, options);
  if (context.keepPage) {
    await leaveTab(tab, appearance);
    context.keepPage(appearance);
  }
  return result;
}

/** Attaches Playwright if there are actions or a profile. */
async function useTab(tab: Tab, options: VisitOptions): Promise<VisitResult> {
  const { actions, profile } = options;
  if (!actions.length && !profile) return Promise.race([tab.failure, visitTab(tab, options)]);
  await using playwright = await attachPlaywright(tab);
  const runVisit = () => visitTab(tab, options, playwright.page);
  // Playwright has to stay attached until the visit has ended.
  return await Promise.race([
    tab.failure,
    profile ? profile.runWith(playwright.context, tab, runVisit) : runVisit(),
  ]);
}

/** @param page the page as Playwright controls it, when there are actions or a profile */
async function visitTab(tab: Tab, options: VisitOptions, page?: Page): Promise<VisitResult> {
  const { session, network } = tab;
  const { blockAds } = options;
  const { adBlocker } = options;
  const ads =
    blockAds && adBlocker
      ? await takeOptionalStep(tab.logger, 'a page is read with its advertisements', () => adBlocker.open())
      : undefined;
  await interceptRequests(tab, {
    headers: await prepareOwnHeaders(tab.context, options),
    isBlocked: ads?.isAd,
    allowedHosts: options.allowedHosts,
  });
  const { hasEnded, ...initialResponse } = await navigate(tab, options.url);
  const currentResponse = () => network.document() ?? initialResponse;
  const clock = isOnlyRead(tab, options) ? createPageClock(tab) : undefined;
  const onRequestsEnded = () => {
    // A host that may have asked us to slow down gets its next request only when that is known, after the
    // visit.
    if (currentResponse().statusCode < 400) options.onRequestsEnded?.();
  };
  await waitUntilSettled(tab, {
    clock,
    onRequestsEnded: options.actions.length ? undefined : onRequestsEnded,
  });
  if (options.waitForMs) await sleep(options.waitForMs);
  const notices = blockAds
    ? await takeOptionalStep(tab.logger, 'a page is read with its cookie notice', () =>
        searchCookieNotices(tab),
      )
    : undefined;
  const isChanged =
    notices?.suspected.length &&
    (await runWithClock(clock, () => rejectCookieNotice(notices.suspected, tab.logger)));
  if (isChanged) await waitUntilSettled(tab, { clock });
  const actionBounds = { contentType: currentResponse().contentType, maxCharacters: options.maxBytes };
  const actions =
    page && options.actions.length
      ? { actions: await performActions(tab, page, options.actions, actionBounds) }
      : {};
  await ads?.remove(tab, isChanged || options.actions.length ? undefined : notices?.names);
  requireOpened(tab, options.url);
  const collected = await collectFormats(tab, options.collect);
  const response = currentResponse();
  const { statusCode, contentType } = response;
  const reason = network.loadError();
  if (reason) {
    tab.warnings.push(`${tab.url()} broke off (${reason}), and was read as far as it had come. Try again.`);
  }
  const recorded = await tab.recorder?.take();
  if (recorded?.leftOut) tab.warnings.push(notKept(tab.url(), recorded.leftOut));
  return {
    url: tab.url(),
    statusCode,
    contentType,
    ...(isHtml(contentType)
      ? await readRendered(tab, { response, hasEnded, ...options })
      : { body: await readBody(session, response) }),
    hasEnded,
    timezone: options.appearance.timezone,
    ...collected,
    media: network.media(),
    isPartial: reason !== undefined,
    warnings: tab.warnings,
    ...actions,
    ...(recorded && { exchanges: recorded.exchanges }),
  };
}

const notKept = (url: string, responses: number) =>
  `The archive lacks ${responses} of the responses that ${url} has loaded, because they are too many or too large for one page.`;

/**
 * @throws NavigationError if the page has left for a URL that cannot be opened, in whose place the browser
 * shows a page of its own
 */
function requireOpened({ network, url }: Tab, requestedUrl: string): void {
  if (!url().startsWith('chrome-error:')) return;
  const { code = 'the page left for a URL that is not opened', url: failedUrl = requestedUrl } =
    network.failed() ?? {};
  throw new NavigationError(code, failedUrl, false);
}

/**
 * Whether nothing is done on the page but to read it, and on no other in its process, so that it needs no
 * clock that runs as ours does.
 */
const isOnlyRead = ({ context }: Tab, { actions, collect, profile, waitForMs }: VisitOptions) =>
  !actions.length &&
  !Object.keys(collect).length &&
  !profile &&
  !waitForMs &&
  !context.keepPage &&
  !context.clear;

/** Runs the collectors of formats on the open page, one after the other. */
async function collectFormats(
  tab: Tab,
  collectors: VisitOptions['collect'],
): Promise<Pick<VisitResult, 'files' | 'collectedData'>> {
  const files: VisitResult['files'] = {};
  const collectedData: VisitResult['collectedData'] = {};
  const page: OpenPage = {
    ...createScreenshotTarget(tab),
    evaluate: (pageFunction, argument) => evaluateIsolated(tab, pageFunction, argument),
    warn: (text) => tab.warnings.push(text),
  };
  for (const [type, make] of Object.entries(collectors)) {
    const collected = await make(page);
    if ('bytes' in collected) files[type] = collected;
    else collectedData[type] = collected.data;
  }
  return { files, collectedData };
}

/** Reads the rendered page, and the HTML of its response if that is needed. */
async function readRendered(
  tab: Tab,
  {
    response,
    hasEnded,
    maxBytes,
    needsSource,
  }: { response: DocumentResponse; hasEnded: boolean } & VisitOptions,
): Promise<Pick<VisitResult, 'html' | 'source'>> {
  const html = await readHtml(tab, maxBytes);
  return needsSource?.({ html, hasEnded }) ? { html, source: await readSource(tab, response) } : { html };
}

/** Navigates to the URL and waits until its document has ended, or for {@link MAX_LOAD_MS}. */
async function navigate(tab: Tab, url: string): Promise<DocumentResponse & { hasEnded: boolean }> {
  const { session, network } = tab;
  const loaded = whenLoaded(tab);
  const open = () => session.send('Page.navigate', { url });
  let { errorText, isDownload = false } = await open();
  for (let attempt = 1; errorText?.includes(NETWORK_CHANGED) && attempt < MAX_NETWORK_CHANGES; attempt++) {
    ({ errorText, isDownload = false } = await open());
  }
  if (errorText) {
    // The event of a crash arrives after the navigation that it aborted.
    if (errorText.includes('ERR_ABORTED')) await sleep(CRASH_EVENT_DELAY_MS);
    throw new NavigationError(errorText, network.failed()?.url ?? url, isDownload);
  }
  const response = network.document();
  if (!response) throw new ServiceError('SCRAPE_SITE_ERROR', `${url} gave no response. Check the URL.`);
  // Depending on its build, Chromium shows such a file in a viewer page or downloads it. Both are treated as
  // a download.
  if (/^\s*(?:audio|video)\//i.test(response.contentType)) {
    throw new NavigationError(`the response is ${response.contentType}`, tab.url() || url, true);
  }
  const timer = new AbortController();
  const timeout = pause(MAX_LOAD_MS, timer.signal).then(() => false);
  const hasEnded = await Promise.race([loaded, timeout]).finally(() => timer.abort());
  if (!hasEnded) await session.send('Page.stopLoading');
  return { ...response, hasEnded };
}

/**
 * Resolves when the document has loaded. `DOMContentLoaded` alone is not enough: a page that navigates to a
 * URL of an external program, such as `mailto:`, stops loading without that event.
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
