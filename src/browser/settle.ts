import { setTimeout as sleep } from 'node:timers/promises';
import { isBetweenDocuments, runApart } from './isolated-world.ts';
import type { Tab } from './tab.ts';

/** A page is quiet when neither network nor DOM stirred for this long. */
const QUIET_MS = 400;
/** The same while the page says hardly anything: a timer may be about to fill it, or to lead elsewhere. */
const BLANK_QUIET_MS = 1_200;
/** Pages that are never quiet are read after this long. */
const MOST_SETTLING_MS = 6_000;
/** A request that takes longer is one that the server keeps open, once the page has something to say. */
const PATIENCE_MS = 3_000;
/** Characters under which a page says hardly anything. */
const HARDLY_ANYTHING = 100;
/** A page that announces to lead elsewhere this soon is waited for. */
const MOST_REFRESH_MS = 10_000;

/** How a page does, seen from inside. */
interface Pulse {
  quietMs: number;
  /** Characters of text, counted up to a bound. */
  textLength: number;
  hasScripts: boolean;
  /** Milliseconds after which the page means to lead elsewhere (`<meta http-equiv="refresh">`). */
  leavesAfterMs?: number;
}

/** How long to wait for quiet. */
export interface Patience {
  quietMs: number;
  mostMs: number;
}

/** Waits until network and DOM have been quiet together, or for as long as it may take at most. */
export async function settle(tab: Tab, patience: Partial<Patience> = {}): Promise<void> {
  const { quietMs = QUIET_MS, mostMs = MOST_SETTLING_MS } = patience;
  let end = performance.now() + mostMs;
  let announced = false;
  while (performance.now() < end) {
    const pulse = await pulseOf(tab);
    const blank = pulse.textLength < HARDLY_ANYTHING && pulse.hasScripts && quietMs >= QUIET_MS;
    const wanted = blank ? BLANK_QUIET_MS : quietMs;
    const patienceMs = pulse.textLength < HARDLY_ANYTHING ? Number.POSITIVE_INFINITY : PATIENCE_MS;
    const quietForMs = Math.min(tab.traffic.quietForMs(patienceMs), pulse.quietMs);
    const leaves = pulse.leavesAfterMs;
    if (leaves !== undefined && leaves <= MOST_REFRESH_MS && !announced) {
      // Once: a page that sends itself round and round is read where it is then.
      announced = true;
      await leave(tab, leaves);
      end = performance.now() + mostMs;
    } else if (quietForMs >= wanted) return;
    else await sleep(Math.max(20, wanted - quietForMs));
  }
}

/** Waits until the page is another one, for as long as it has announced. */
async function leave({ page }: Tab, afterMs: number): Promise<void> {
  const next = page.waitForEvent('framenavigated', {
    predicate: (frame) => frame === page.mainFrame(),
    timeout: afterMs + 1_000,
  });
  // It may have thought better of it.
  await next.catch((error: Error) => {
    if (error.name !== 'TimeoutError') throw error;
  });
}

async function pulseOf(tab: Tab): Promise<Pulse> {
  try {
    return await runApart(tab, feelPulse, HARDLY_ANYTHING);
  } catch (error) {
    if (isBetweenDocuments(error)) return { quietMs: 0, textLength: 0, hasScripts: true };
    throw error;
  }
}

/**
 * Runs in the page, apart from its scripts. What changes again and again without growing (clocks, counters, carousels)
 * is no news.
 */
function feelPulse(enough: number): Pulse {
  const HITS = 3;
  const world = globalThis as { winnowLastChange?: number };
  if (world.winnowLastChange === undefined) {
    world.winnowLastChange = performance.now();
    const hits = new WeakMap<Node, number>();
    const sizeOf = (nodes: NodeList) => {
      let size = 0;
      for (const node of nodes) size += 1 + (node.textContent?.length ?? 0);
      return size;
    };
    const isNews = ({ type, target, addedNodes, removedNodes }: MutationRecord) => {
      // A text node may be another one each time; what holds it stays.
      const place = type === 'characterData' ? (target.parentNode ?? target) : target;
      const times = (hits.get(place) ?? 0) + 1;
      hits.set(place, times);
      if (times <= HITS) return true;
      return type === 'childList' && sizeOf(addedNodes) > sizeOf(removedNodes) + 2;
    };
    new MutationObserver((records) => {
      // No short cut: each record is counted.
      if (records.filter(isNews).length) world.winnowLastChange = performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }
  let textLength = 0;
  if (document.body) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (textLength < enough && walker.nextNode()) {
      const text = walker.currentNode;
      if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/i.test(text.parentElement?.tagName ?? ''))
        textLength += text.nodeValue?.trim().length ?? 0;
    }
  }
  const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv="refresh" i]')?.content;
  const [, seconds, target] =
    /^\s*(\d+(?:\.\d*)?)[\s;,]*(?:url\s*=)?\s*["']?([^"']*)/i.exec(refresh ?? '') ?? [];
  const leaves = target && URL.parse(target, document.baseURI)?.href !== location.href;
  return {
    quietMs: performance.now() - world.winnowLastChange,
    textLength,
    hasScripts: document.scripts.length > 0,
    ...(leaves && { leavesAfterMs: Number(seconds) * 1000 }),
  };
}
