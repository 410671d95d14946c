import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenPage } from '../formats/format.ts';
import { runApart } from './isolated-world.ts';
import { settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** Windows of a page that are scrolled through before a picture of all of it; some pages grow for ever. */
const MOST_WINDOWS = 20;
/** For what comes into view to notice it. */
const IN_VIEW_MS = 60;
/** For what was noticed to be there. */
const LOADED = { quietMs: 250, mostMs: 4_000 };
/** CSS pixels; Chromium cannot draw much more at once. */
const MOST_HEIGHT = 16_384;

/** The tab as formats see it: a picture of the whole page has what appears on scrolling. */
export function cameraOf(tab: Tab): OpenPage {
  const { page } = tab;
  return {
    viewportSize: () => page.viewportSize(),
    setViewportSize: (size) => page.setViewportSize(size),
    async screenshot(options) {
      const height = options.fullPage ? await scrollThrough(tab) : 0;
      const width = page.viewportSize()?.width ?? 0;
      if (height > MOST_HEIGHT)
        tab.warnings.push(`The picture shows the upper ${MOST_HEIGHT} of the page's ${height} pixels.`);
      const clip = height > MOST_HEIGHT && { clip: { x: 0, y: 0, width, height: MOST_HEIGHT } };
      const shoot = () => page.screenshot({ ...options, ...clip, timeout: 0 });
      // Under load, or while the page is painted anew, Chromium now and then cannot, and can a moment later.
      return shoot().catch(shoot);
    },
  };
}

/** Brings every part of the page into view once, then its top again. @returns its height in CSS pixels */
async function scrollThrough(tab: Tab): Promise<number> {
  for (let windows = 1; windows <= MOST_WINDOWS; windows++) {
    const isEnd = await runApart(tab, showWindow, windows);
    await sleep(IN_VIEW_MS);
    if (isEnd) break;
  }
  tab.traffic.touch();
  await settle(tab, LOADED);
  await runApart(tab, showWindow, 0);
  return runApart(tab, heightOf, undefined);
}

/** Runs in the page: scrolls so many windows down. @returns whether that is the end */
function showWindow(windows: number): boolean {
  scrollTo({ top: windows * innerHeight, behavior: 'instant' });
  return scrollY + innerHeight >= (document.scrollingElement?.scrollHeight ?? 0) - 1;
}

/** Runs in the page. */
const heightOf = () => document.scrollingElement?.scrollHeight ?? 0;
