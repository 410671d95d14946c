import { setTimeout as sleep } from 'node:timers/promises';
import { isPlaceholder } from '../html/placeholder.ts';
import { readRefresh } from '../html/refresh.ts';
import { readShortText } from './short-text.ts';
import { isBetweenDocuments, evaluateIsolated } from './isolated-world.ts';
import { probeActivity, type PageActivity } from './activity-probe.ts';
import type { Tab } from './tab.ts';

/** A page is quiet when neither network nor DOM stirred for this long. */
const QUIET_MS = 400;
/** The same while the page says hardly anything: a timer may be about to fill it, or to lead elsewhere. */
const BLANK_QUIET_MS = 1_200;
/** The same while there is nothing to see, or only a placeholder: as the page stands, it is worth nothing to anybody. */
const EMPTY_QUIET_MS = 3_000;
/** Pages that are never quiet are read after this long. */
const MAX_SETTLE_MS = 6_000;
/** A request that takes longer is one that the server keeps open, once the page has something to say. */
const MAX_REQUEST_WAIT_MS = 3_000;
/** Characters under which a page says hardly anything. */
const MIN_TEXT_LENGTH = 100;
/** Characters above which what a page says is no placeholder. */
const MAX_PLACEHOLDER_LENGTH = 300;
/** Pages that send each other round and round are read where they are after so many. */
const MAX_REFRESHES = 3;

/** How long to wait for quiet. */
export interface SettleOptions {
  quietMs: number;
  maxMs: number;
}

/** Waits until network and DOM have been quiet together, or for as long as it may take at most. */
export async function waitUntilSettled(tab: Tab, options: Partial<SettleOptions> = {}): Promise<void> {
  const { quietMs = QUIET_MS, maxMs = MAX_SETTLE_MS } = options;
  let end = performance.now() + maxMs;
  let refreshes = 0;
  while (performance.now() < end) {
    const activity = await readActivity(tab);
    const mayStillFill = activity.hasScripts && quietMs >= QUIET_MS;
    const isBlank = activity.textLength < MIN_TEXT_LENGTH;
    const measureQuietMs = (patienceMs: number) => Math.min(tab.network.quietForMs(patienceMs), activity.quietMs);
    let requiredQuietMs = mayStillFill && isBlank ? (activity.isEmpty ? EMPTY_QUIET_MS : BLANK_QUIET_MS) : quietMs;
    let quietForMs = measureQuietMs(isBlank ? Number.POSITIVE_INFINITY : MAX_REQUEST_WAIT_MS);
    // Asked last, of a page that would be read now: most pages are asked once.
    if (mayStillFill && requiredQuietMs < EMPTY_QUIET_MS && quietForMs >= requiredQuietMs && (await showsOnlyPlaceholder(tab))) {
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

/** Milliseconds after which a page means to lead to another one. */
function refreshDelayMs({ content, url, baseUrl }: NonNullable<PageActivity['refresh']>): number | undefined {
  const refresh = readRefresh(content, baseUrl);
  return refresh?.target === url ? undefined : refresh?.afterMs;
}

/** Waits until the page is another one, for as long as it has announced. */
async function waitForRefresh(tab: Tab, afterMs: number): Promise<void> {
  // It may have thought better of it.
  await Promise.race([tab.nextDocument(), sleep(afterMs + 1_000, undefined, { ref: false })]);
}

async function readActivity(tab: Tab): Promise<PageActivity> {
  try {
    return await evaluateIsolated(tab, probeActivity, MIN_TEXT_LENGTH);
  } catch (error) {
    if (isBetweenDocuments(error)) return { quietMs: 0, textLength: 0, isEmpty: true, hasScripts: true };
    throw error;
  }
}

/** Whether all that the page shows is a placeholder for what its scripts will bring. */
async function showsOnlyPlaceholder(tab: Tab): Promise<boolean> {
  try {
    const shortText = await evaluateIsolated(tab, readShortText, MAX_PLACEHOLDER_LENGTH);
    return shortText !== null && isPlaceholder(shortText);
  } catch (error) {
    if (isBetweenDocuments(error)) return true;
    throw error;
  }
}
