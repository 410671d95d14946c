import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ScreenshotTarget } from '../../../content/formats/format.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import type { Size } from '../device-emulation.ts';
import { evaluateIsolated } from '../dom/isolated-world.ts';
import { takeOptionalStep } from '../optional-step.ts';
import type { Tab } from '../tab.ts';
import { waitUntilSettled } from '../wait-until-settled.ts';
import { holdStill } from './hold-still.ts';

/** How many viewport heights are scrolled before a full-page screenshot; some pages grow without end. */
const MAX_SCROLLS = 20;
/** Pause after each scroll, so that lazy loading notices what came into view. */
const SCROLL_PAUSE_MS = 60;
/** How to wait for what lazy loading requested. */
const SETTLE_AFTER_SCROLL = { quietMs: 250, maxMs: 4_000 };
/** How long to wait for web fonts. */
const MAX_FONT_WAIT_MS = 3_000;
/** Maximum height in CSS pixels; Chromium cannot capture much more at once. */
const MAX_HEIGHT_PX = 16_384;

/**
 * Creates the part of a tab that takes screenshots. A full-page screenshot includes what loads on scrolling.
 */
export function createScreenshotTarget(tab: Tab): ScreenshotTarget {
  return {
    viewportSize: tab.viewport,
    setViewportSize: tab.setViewport,
    async screenshot({ type: format, quality, fullPage, mask, still }) {
      const size = fullPage ? await scrollThrough(tab) : undefined;
      if (size && size.height > MAX_HEIGHT_PX)
        tab.warnings.push(
          `The picture shows the upper ${MAX_HEIGHT_PX} of the page's ${size.height} pixels.`,
        );
      const clip = size && { x: 0, y: 0, width: size.width, height: Math.min(size.height, MAX_HEIGHT_PX) };
      await takeOptionalStep(tab.logger, 'a picture is taken without waiting for its fonts', () =>
        evaluateIsolated(tab, waitForFonts, MAX_FONT_WAIT_MS),
      );
      const capture = () =>
        tab.session.send('Page.captureScreenshot', {
          format,
          ...(quality !== undefined && { quality }),
          ...(clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
        });
      // Under load, or during a repaint, a capture sometimes fails and succeeds on the second try.
      const { data } = await holdStill(tab, { mask, still }, () => capture().catch(capture));
      return Buffer.from(data, 'base64');
    },
  };
}

/** Scrolls through the page once and back to its top. @returns the size of the page in CSS pixels */
async function scrollThrough(tab: Tab): Promise<Size> {
  await takeOptionalStep(tab.logger, 'a picture is taken without what loads on scrolling', async () => {
    for (let windows = 1; windows <= MAX_SCROLLS; windows++) {
      const isEnd = await evaluateIsolated(tab, scrollToWindow, windows);
      await sleep(SCROLL_PAUSE_MS);
      if (isEnd) break;
    }
    tab.network.restartQuiet();
    await waitUntilSettled(tab, SETTLE_AFTER_SCROLL);
    await evaluateIsolated(tab, scrollToWindow, 0);
  });
  const { cssContentSize } = await tab.session.send('Page.getLayoutMetrics');
  return { width: tab.viewport().width, height: cssContentSize.height };
}

/**
 * Runs in the page: scrolls to `windows` viewport heights from the top.
 * @returns whether the end is reached
 */
const scrollToWindow = pageFunction(z.boolean(), (windows: number, dom) => {
  scrollTo({ top: windows * innerHeight, behavior: 'instant' });
  const root = dom.scrollingElement();
  return scrollY + innerHeight >= (root ? dom.scrollHeight(root) : 0) - 1;
});

/** Runs in the page. */
const waitForFonts = pageFunction(z.void(), async (maxMs: number, dom) => {
  await Promise.race([dom.fonts().ready, new Promise((resolve) => setTimeout(resolve, maxMs))]);
});
