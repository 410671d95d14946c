import { setTimeout as sleep } from 'node:timers/promises';
import { parseRefresh } from '../html/meta-refresh.ts';
import { isPlaceholder } from '../html/placeholder.ts';
import { type PageActivity, probeActivity } from './activity-probe.ts';
import { evaluateIsolated, isBetweenDocuments } from './dom/isolated-world.ts';
import { readShortText } from './dom/short-text.ts';
import type { Tab } from './tab.ts';

/** A page has settled when neither network nor DOM was active for this long. */
const QUIET_MS = 400;
/** The same while the page has hardly any text, because a timer may still fill it or navigate. */
const BLANK_QUIET_MS = 1_200;
/** The same while the page shows nothing or only a placeholder. */
const EMPTY_QUIET_MS = 3_000;
/** Pages that never settle are read after this long. */
const MAX_SETTLE_MS = 6_000;
/** Once the page has text, requests that have been open for longer count as kept open by the server. */
const MAX_REQUEST_WAIT_MS = 3_000;
/** A page with fewer characters of text has hardly any. */
const MIN_TEXT_LENGTH = 100;
/** A text with more characters is no placeholder. */
const MAX_PLACEHOLDER_LENGTH = 300;
/** After this many refreshes the page is read, because some pages refresh in a circle. */
const MAX_REFRESHES = 3;

/** How long to wait. */
export interface SettleOptions {
  quietMs: number;
  maxMs: number;
}

/** The parts of a tab that are watched. */
export type WatchedTab = Pick<Tab, 'session' | 'frameId' | 'network' | 'nextDocument'>;

/** Waits until network and DOM have been quiet together for `quietMs`, but at most `maxMs`. */
export async function waitUntilSettled(tab: WatchedTab, options: Partial<SettleOptions> = {}): Promise<void> {
  const { quietMs = QUIET_MS, maxMs = MAX_SETTLE_MS } = options;
  let end = performance.now() + maxMs;
  let refreshes = 0;
  while (performance.now() < end) {
    const activity = await readActivity(tab);
    const mayStillFill = activity.hasScripts && quietMs >= QUIET_MS;
    const isBlank = activity.textLength < MIN_TEXT_LENGTH;
    const measureQuietMs = (maxQuietMs: number) =>
      Math.min(tab.network.quietForMs(maxQuietMs), activity.quietMs);
    let requiredQuietMs =
      mayStillFill && isBlank ? (activity.isEmpty ? EMPTY_QUIET_MS : BLANK_QUIET_MS) : quietMs;
    let quietForMs = measureQuietMs(isBlank ? Number.POSITIVE_INFINITY : MAX_REQUEST_WAIT_MS);
    // This check is the most expensive, so it runs only on a page that would be read now.
    if (
      mayStillFill &&
      requiredQuietMs < EMPTY_QUIET_MS &&
      quietForMs >= requiredQuietMs &&
      (await showsOnlyPlaceholder(tab))
    ) {
      requiredQuietMs = EMPTY_QUIET_MS;
      quietForMs = measureQuietMs(Number.POSITIVE_INFINITY);
    }
    const refreshAfterMs = activity.refresh && refreshDelayMs(activity.refresh);
    if (refreshAfterMs !== undefined && refreshes < MAX_REFRESHES) {
      refreshes++;
      await waitForRefresh(tab, refreshAfterMs);
      end = performance.now() + maxMs;
    } else if (quietForMs >= requiredQuietMs) return;
    else await sleep(Math.min(QUIET_MS, Math.max(20, requiredQuietMs - quietForMs)));
  }
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

async function readActivity(tab: WatchedTab): Promise<PageActivity> {
  try {
    return await evaluateIsolated(tab, probeActivity, MIN_TEXT_LENGTH);
  } catch (error) {
    if (isBetweenDocuments(error)) return { quietMs: 0, textLength: 0, isEmpty: true, hasScripts: true };
    throw error;
  }
}

/** Whether the page shows only a placeholder for content that its scripts will load. */
async function showsOnlyPlaceholder(tab: WatchedTab): Promise<boolean> {
  try {
    const shortText = await evaluateIsolated(tab, readShortText, MAX_PLACEHOLDER_LENGTH);
    return shortText !== null && isPlaceholder(shortText);
  } catch (error) {
    if (isBetweenDocuments(error)) return true;
    throw error;
  }
}
