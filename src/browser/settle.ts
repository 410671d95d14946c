import { setTimeout as sleep } from 'node:timers/promises';
import { parseRefresh } from '../html/meta-refresh.ts';
import { isPlaceholder } from '../html/placeholder.ts';
import { readFewWords } from './few-words.ts';
import { isBetweenDocuments, runApart } from './isolated-world.ts';
import { feelPulse, type Pulse } from './pulse.ts';
import type { Tab } from './tab.ts';

/** A page is quiet when neither network nor DOM stirred for this long. */
const QUIET_MS = 400;
/** The same while the page says hardly anything: a timer may be about to fill it, or to lead elsewhere. */
const BLANK_QUIET_MS = 1_200;
/** The same while there is nothing to see, or only a placeholder: as the page stands, it is worth nothing to anybody. */
const BARE_QUIET_MS = 3_000;
/** Pages that are never quiet are read after this long. */
const MOST_SETTLING_MS = 6_000;
/** A request that takes longer is one that the server keeps open, once the page has something to say. */
const PATIENCE_MS = 3_000;
/** Characters under which a page says hardly anything. */
const HARDLY_ANYTHING = 100;
/** Characters above which what a page says is no placeholder. */
const LONGEST_PLACEHOLDER = 300;
/** Pages that send each other round and round are read where they are after so many. */
const MOST_REFRESHES = 3;

/** How long to wait for quiet. */
export interface Patience {
  quietMs: number;
  mostMs: number;
}

/** Waits until network and DOM have been quiet together, or for as long as it may take at most. */
export async function settle(tab: Tab, patience: Partial<Patience> = {}): Promise<void> {
  const { quietMs = QUIET_MS, mostMs = MOST_SETTLING_MS } = patience;
  let end = performance.now() + mostMs;
  let announcements = 0;
  while (performance.now() < end) {
    const pulse = await pulseOf(tab);
    const mayBegin = pulse.hasScripts && quietMs >= QUIET_MS;
    const isBlank = pulse.textLength < HARDLY_ANYTHING;
    const quietFor = (patienceMs: number) => Math.min(tab.traffic.quietForMs(patienceMs), pulse.quietMs);
    let wanted = mayBegin && isBlank ? (pulse.isBare ? BARE_QUIET_MS : BLANK_QUIET_MS) : quietMs;
    let quietForMs = quietFor(isBlank ? Number.POSITIVE_INFINITY : PATIENCE_MS);
    // Asked last, of a page that would be read now: most pages are asked once.
    if (mayBegin && wanted < BARE_QUIET_MS && quietForMs >= wanted && (await hasNotBegun(tab))) {
      wanted = BARE_QUIET_MS;
      quietForMs = quietFor(Number.POSITIVE_INFINITY);
    }
    const leavesAfterMs = pulse.refresh && announced(pulse.refresh);
    if (leavesAfterMs !== undefined && announcements < MOST_REFRESHES) {
      announcements++;
      await leave(tab, leavesAfterMs);
      end = performance.now() + mostMs;
    } else if (quietForMs >= wanted) return;
    else await sleep(Math.min(QUIET_MS, Math.max(20, wanted - quietForMs)));
  }
}

/** Milliseconds after which a page means to lead to another one. */
function announced({ content, url, baseUrl }: NonNullable<Pulse['refresh']>): number | undefined {
  const refresh = parseRefresh(content, baseUrl);
  return refresh?.target === url ? undefined : refresh?.afterMs;
}

/** Waits until the page is another one, for as long as it has announced. */
async function leave(tab: Tab, afterMs: number): Promise<void> {
  // It may have thought better of it.
  await Promise.race([tab.nextDocument(), sleep(afterMs + 1_000, undefined, { ref: false })]);
}

async function pulseOf(tab: Tab): Promise<Pulse> {
  try {
    return await runApart(tab, feelPulse, HARDLY_ANYTHING);
  } catch (error) {
    if (isBetweenDocuments(error)) return { quietMs: 0, textLength: 0, isBare: true, hasScripts: true };
    throw error;
  }
}

/** Whether all that the page shows is a placeholder for what its scripts will bring. */
async function hasNotBegun(tab: Tab): Promise<boolean> {
  try {
    const words = await runApart(tab, readFewWords, LONGEST_PLACEHOLDER);
    return words !== null && isPlaceholder(words);
  } catch (error) {
    if (isBetweenDocuments(error)) return true;
    throw error;
  }
}
