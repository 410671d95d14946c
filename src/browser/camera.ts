import { setTimeout as sleep } from 'node:timers/promises';
import type { Camera } from '../formats/format.ts';
import type { Size } from './device.ts';
import { runApart } from './isolated-world.ts';
import { settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** Windows of a page that are scrolled through before a picture of all of it; some pages grow for ever. */
const MOST_WINDOWS = 20;
/** For what comes into view to notice it. */
const IN_VIEW_MS = 60;
/** For what was noticed to be there. */
const LOADED = { quietMs: 250, mostMs: 4_000 };
/** Text whose font comes later is shown without it. */
const MOST_FONTS_MS = 3_000;
/** CSS pixels; Chromium cannot draw much more at once. */
const MOST_HEIGHT = 16_384;

/** The part of a tab that takes pictures: one of the whole page has what appears on scrolling. */
export function cameraOf(tab: Tab): Camera {
  return {
    viewportSize: tab.viewport,
    setViewportSize: tab.setViewport,
    async screenshot({ type: format, quality, fullPage }) {
      const size = fullPage ? await scrollThrough(tab) : undefined;
      if (size && size.height > MOST_HEIGHT)
        tab.warnings.push(`The picture shows the upper ${MOST_HEIGHT} of the page's ${size.height} pixels.`);
      const clip = size && { x: 0, y: 0, width: size.width, height: Math.min(size.height, MOST_HEIGHT) };
      await runApart(tab, fontsLoaded, MOST_FONTS_MS);
      const shoot = () =>
        tab.session.send('Page.captureScreenshot', {
          format,
          ...(quality !== undefined && { quality }),
          ...(clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
        });
      // Under load, or while the page is painted anew, Chromium now and then cannot, and can a moment later.
      const { data } = await shoot().catch(shoot);
      return Buffer.from(data, 'base64');
    },
  };
}

/** Brings every part of the page into view once, then its top again. @returns its size */
async function scrollThrough(tab: Tab): Promise<Size> {
  for (let windows = 1; windows <= MOST_WINDOWS; windows++) {
    const isEnd = await runApart(tab, showWindow, windows);
    await sleep(IN_VIEW_MS);
    if (isEnd) break;
  }
  tab.traffic.touch();
  await settle(tab, LOADED);
  await runApart(tab, showWindow, 0);
  const { cssContentSize } = await tab.session.send('Page.getLayoutMetrics');
  return { width: tab.viewport().width, height: cssContentSize.height };
}

/** Runs in the page: scrolls so many windows down. @returns whether that is the end */
function showWindow(windows: number): boolean {
  scrollTo({ top: windows * innerHeight, behavior: 'instant' });
  return scrollY + innerHeight >= (document.scrollingElement?.scrollHeight ?? 0) - 1;
}

/** Runs in the page. */
const fontsLoaded = async (mostMs: number) => {
  await Promise.race([document.fonts.ready, new Promise((resolve) => setTimeout(resolve, mostMs))]);
};
