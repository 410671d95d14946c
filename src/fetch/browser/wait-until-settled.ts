import { setTimeout as sleep } from 'node:timers/promises';
import { parseRefresh } from '../../content/html/meta-refresh.ts';
import { isPlaceholder } from '../../content/html/placeholder.ts';
import { type PageActivity, probeActivity, UNKNOWN_ACTIVITY } from './activity-probe.ts';
import { Disconnected } from './chromium/cdp.ts';
import { evaluateIsolated, isBetweenDocuments } from './dom/isolated-world.ts';
import { readShortText } from './dom/short-text.ts';
import { type PageClock, runWithClock } from './page-clock.ts';
import type { Tab } from './tab.ts';

/** A page has settled when neither network nor DOM was active for this long. */
const QUIET_MS = 400;
/** The same while the page has hardly any text, because a timer may still fill it or navigate. */
const BLANK_QUIET_MS = 1_200;
/** The same while the page shows nothing or only a placeholder. */
const EMPTY_QUIET_MS = 3_000;
/**
 * A page that is only read is calm, so that its clock may be set forward, when it has done nothing for this
 * long.
 */
const CALM_MS = 80;
/**
 * How long the page may take, after its clock was set forward, to use what its timers have read from storage
 * and the like.
 */
const STORAGE_MS = 60;
/**
 * A page that may settle sooner than it seems is looked at in these intervals at most, and every page at
 * least, in milliseconds.
 */
const POLL_MS = 100;
const MIN_POLL_MS = 20;
/** Pages that never settle are read after this long. */
const MAX_SETTLE_MS = 6_000;
/** Once the page has text, requests that have been open for longer count as kept open by the server. */
const MAX_REQUEST_WAIT_MS = 3_000;
/** A page that has asked for another document is waited for so long in all until that comes. */
const MAX_NAVIGATION_MS = 15_000;
/** A page with fewer characters of text has hardly any. */
const MIN_TEXT_LENGTH = 100;
/** A text with more characters is no placeholder. */
const MAX_PLACEHOLDER_LENGTH = 300;
/** After this many refreshes the page is read, because some pages refresh in a circle. */
const MAX_REFRESHES = 3;

/** How long to wait. */
export interface SettleOptions {
  /** Milliseconds without activity after which the page counts as settled. */
  quietMs: number;
  /** Milliseconds after which it is read in any case. */
  maxMs: number;
  /**
   * Set if the page is only read: once it is calm, its clock is set forward instead of waiting for its
   * timers.
   */
  clock: PageClock | undefined;
  /**
   * Called once at most, when the page shows content, no request is open, and none that can bring text was in
   * the last {@link CALM_MS}. From then on, the page is only watched for late changes.
   */
  onRequestsEnded: (() => void) | undefined;
}

/** The parts of a tab that are watched. */
export type WatchedTab = Pick<Tab, 'session' | 'frameId' | 'network' | 'nextDocument' | 'logger'>;

/**
 * Waits until network and DOM have been quiet together for `quietMs`, but at most `maxMs`, not counting the
 * time until the document comes that the page navigates to.
 */
export async function waitUntilSettled(
  tab: WatchedTab & Partial<Pick<Tab, 'isAlone'>>,
  { quietMs = QUIET_MS, maxMs = MAX_SETTLE_MS, clock, onRequestsEnded }: Partial<SettleOptions> = {},
): Promise<void> {
  let end = performance.now() + maxMs;
  let refreshes = 0;
  let navigationMs = MAX_NAVIGATION_MS;
  const calm = createCalmness(tab);
  const readActivity = createActivityProbe(tab);
  let awaitsRequests = onRequestsEnded !== undefined;
  while (performance.now() < end) {
    // Its response comes after the event of a navigation that a click or a script has asked for.
    const activity = await readActivity();
    if (tab.network.isNavigating() && navigationMs > 0) {
      const waitedMs = await runWithClock(clock, () => waitForNavigation(tab, navigationMs));
      navigationMs -= waitedMs;
      end += waitedMs;
      continue;
    }
    const { missingMs, showsContent } = await measureQuiet(tab, activity, quietMs);
    const refreshAfterMs = activity.refresh && refreshDelayMs(activity.refresh);
    if (refreshAfterMs !== undefined && refreshes < MAX_REFRESHES) {
      refreshes++;
      await runWithClock(clock, () => waitForRefresh(tab, refreshAfterMs));
      end = performance.now() + maxMs;
      continue;
    }
    if (missingMs <= 0) return;
    const untilRequestsEndedMs = requestsEndAfterMs(tab);
    if (awaitsRequests && showsContent && untilRequestsEndedMs <= 0) {
      awaitsRequests = false;
      onRequestsEnded?.();
    }
    const maySkip = clock && showsContent && tab.isAlone?.() && tab.network.isIdle();
    const untilCalmMs = maySkip ? calm.missingMs(activity) : missingMs;
    if (maySkip && untilCalmMs <= 0) {
      tab.network.skip(missingMs);
      end -= missingMs;
      await clock.skip(missingMs);
      await runWithClock(clock, () => waitForStorage(tab, activity));
    } else {
      // A page with content cannot settle before this time is over. Others may show content, or become idle,
      // before.
      const restMs = awaitsRequests ? untilRequestsEndedMs : end - performance.now();
      const maxPauseMs = showsContent && !clock ? restMs : POLL_MS;
      const ms = Math.max(MIN_POLL_MS, Math.min(missingMs, untilCalmMs, maxPauseMs));
      await runWithClock(clock, () => sleep(ms));
    }
  }
}

/**
 * Measures for how much longer a page has to be quiet, by its own clock, and whether it shows more than a
 * placeholder.
 */
async function measureQuiet(tab: WatchedTab, activity: PageActivity, quietMs: number) {
  const mayStillFill = activity.hasScripts && quietMs >= QUIET_MS;
  const isBlank = activity.textLength < MIN_TEXT_LENGTH;
  const missing = (requiredMs: number, maxRequestMs = Number.POSITIVE_INFINITY) =>
    requiredMs - Math.min(tab.network.quietForMs(maxRequestMs), activity.quietMs);
  if (isBlank) {
    const blankMs = mayStillFill ? (activity.isEmpty ? EMPTY_QUIET_MS : BLANK_QUIET_MS) : quietMs;
    const missingMs = missing(blankMs);
    if (missingMs > 0 || blankMs !== BLANK_QUIET_MS) return { missingMs, showsContent: false };
  }
  const missingMs = isBlank ? 0 : missing(quietMs, MAX_REQUEST_WAIT_MS);
  // This check is the most expensive, so it runs only on a page that would be read now.
  const isLoading = missingMs <= 0 && mayStillFill && (await showsOnlyPlaceholder(tab));
  return isLoading
    ? { missingMs: missing(EMPTY_QUIET_MS), showsContent: false }
    : { missingMs, showsContent: !isBlank };
}

/** Waits until databases and the like may have answered the scripts that have just run. */
async function waitForStorage({ session }: WatchedTab, { origin }: PageActivity): Promise<void> {
  // The response comes after those to earlier requests of the page. Some origins have no databases.
  const names = session.send('IndexedDB.requestDatabaseNames', { securityOrigin: origin });
  await Promise.all([names.catch(() => undefined), sleep(STORAGE_MS)]);
}

/**
 * Measures for how long a page has done nothing by our clock, which goes on while that of the page stands
 * still.
 */
function createCalmness({ network }: WatchedTab) {
  let version: string | undefined;
  let changedAt = 0;
  return {
    /** For how much longer the page has to do nothing before its clock may be set forward. */
    missingMs(activity: PageActivity): number {
      const now = performance.now();
      if (activity.version !== version) {
        // A page that is seen for the first time may have been calm before.
        changedAt = version === undefined ? now - activity.quietMs : now;
        version = activity.version;
      }
      return CALM_MS - Math.min(now - changedAt, network.quietForMs(Number.POSITIVE_INFINITY));
    },
  };
}

/**
 * After how many milliseconds a page may count as having sent its last request; while one is open, it is
 * looked at again.
 */
function requestsEndAfterMs({ network }: WatchedTab): number {
  return network.hasNoRequests() ? CALM_MS - network.quietForMs(Number.POSITIVE_INFINITY) : POLL_MS;
}

/** Milliseconds after which the page announces to navigate to another URL. */
function refreshDelayMs({ content, url, baseUrl }: NonNullable<PageActivity['refresh']>): number | undefined {
  const refresh = parseRefresh(content, baseUrl);
  return refresh?.target === url ? undefined : refresh?.afterMs;
}

/** Waits for the navigation that the page has announced. */
async function waitForRefresh(tab: WatchedTab, afterMs: number): Promise<void> {
  // The page may cancel the refresh.
  await Promise.race([tab.nextDocument(), sleep(afterMs + 1_000, undefined, { ref: false })]);
}

/** Waits until the document comes that the page has asked for. @returns how many milliseconds that took */
async function waitForNavigation({ network }: WatchedTab, maxMs: number): Promise<number> {
  const start = performance.now();
  const waitedMs = () => performance.now() - start;
  while (network.isNavigating() && waitedMs() < maxMs) await sleep(MIN_POLL_MS);
  return waitedMs();
}

/**
 * Measures the activity of a page. Once this has failed, the page settles by its requests alone.
 */
function createActivityProbe(tab: WatchedTab): () => Promise<PageActivity> {
  let hasFailed = false;
  return async () => {
    if (hasFailed) return UNKNOWN_ACTIVITY;
    try {
      return await evaluateIsolated(tab, probeActivity, MIN_TEXT_LENGTH);
    } catch (error) {
      if (isBetweenDocuments(error))
        return { quietMs: 0, version: '', origin: '', textLength: 0, isEmpty: true, hasScripts: true };
      logUnlessGone(tab, error, 'a page is waited for by its requests alone');
      hasFailed = true;
      return UNKNOWN_ACTIVITY;
    }
  };
}

/** Whether the page shows only a placeholder for content that its scripts will load. */
async function showsOnlyPlaceholder(tab: WatchedTab): Promise<boolean> {
  try {
    const shortText = await evaluateIsolated(tab, readShortText, MAX_PLACEHOLDER_LENGTH);
    return shortText !== null && isPlaceholder(shortText);
  } catch (error) {
    if (isBetweenDocuments(error)) return true;
    logUnlessGone(tab, error, 'a page is read whether or not it shows only a placeholder');
    return false;
  }
}

/** @throws Disconnected if that is the error, because the page is gone */
function logUnlessGone({ logger }: WatchedTab, error: unknown, consequence: string): void {
  if (error instanceof Disconnected) throw error;
  logger.warn({ err: error }, consequence);
}
