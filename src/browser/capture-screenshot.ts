import { setTimeout as sleep } from 'node:timers/promises';
import type { ScreenshotTarget } from '../formats/format.ts';
import type { Size } from './device-emulation.ts';
import { evaluateIsolated } from './isolated-world.ts';
import { waitUntilSettled } from './wait-until-settled.ts';
import type { Tab } from './tab.ts';

/** Windows of a page that are scrolled through before a picture of all of it; some pages grow for ever. */
const MAX_SCROLLS = 20;
/** For what comes into view to notice it. */
const SCROLL_PAUSE_MS = 60;
/** For what was noticed to be there. */
const SETTLE_AFTER_SCROLL = { quietMs: 250, maxMs: 4_000 };
/** Text whose font comes later is shown without it. */
const MAX_FONT_WAIT_MS = 3_000;
/** CSS pixels; Chromium cannot draw much more at once. */
const MAX_HEIGHT_PX = 16_384;

/** The part of a tab that takes pictures: one of the whole page has what appears on scrolling. */
export function createScreenshotTarget(tab: Tab): ScreenshotTarget {
  return {
    viewportSize: tab.viewport,
    setViewportSize: tab.setViewport,
    async screenshot({ type: format, quality, fullPage }) {
      const size = fullPage ? await scrollThrough(tab) : undefined;
      if (size && size.height > MAX_HEIGHT_PX)
        tab.warnings.push(`The picture shows the upper ${MAX_HEIGHT_PX} of the page's ${size.height} pixels.`);
      const clip = size && { x: 0, y: 0, width: size.width, height: Math.min(size.height, MAX_HEIGHT_PX) };
      await evaluateIsolated(tab, waitForFonts, MAX_FONT_WAIT_MS);
      const capture = () =>
        tab.session.send('Page.captureScreenshot', {
          format,
          ...(quality !== undefined && { quality }),
          ...(clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
        });
      // Under load, or while the page is painted anew, Chromium now and then cannot, and can a moment later.
      const { data } = await capture().catch(capture);
      return Buffer.from(data, 'base64');
    },
  };
}

/** Brings every part of the page into view once, then its top again. @returns its size */
async function scrollThrough(tab: Tab): Promise<Size> {
  for (let windows = 1; windows <= MAX_SCROLLS; windows++) {
    const isEnd = await evaluateIsolated(tab, scrollToWindow, windows);
    await sleep(SCROLL_PAUSE_MS);
    if (isEnd) break;
  }
  tab.network.restartQuiet();
  await waitUntilSettled(tab, SETTLE_AFTER_SCROLL);
  await evaluateIsolated(tab, scrollToWindow, 0);
  const { cssContentSize } = await tab.session.send('Page.getLayoutMetrics');
  return { width: tab.viewport().width, height: cssContentSize.height };
}

/** Runs in the page: scrolls so many windows down. @returns whether that is the end */
function scrollToWindow(windows: number): boolean {
  scrollTo({ top: windows * innerHeight, behavior: 'instant' });
  return scrollY + innerHeight >= (document.scrollingElement?.scrollHeight ?? 0) - 1;
}

/** Runs in the page. */
const waitForFonts = async (maxMs: number) => {
  await Promise.race([document.fonts.ready, new Promise((resolve) => setTimeout(resolve, maxMs))]);
};
