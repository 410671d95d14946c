import { z } from 'zod';
import type { PictureOptions } from '../../../content/formats/format.ts';
import type { PageElement } from '../../../content/open-page/page-dom.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import { evaluateIsolated } from '../dom/isolated-world.ts';
import { takeOptionalStep } from '../optional-step.ts';
import type { Tab } from '../tab.ts';

/**
 * Blanks elements of a page and stops its animations while a picture is taken, and makes the elements afterwards as
 * they were. A selector that the browser does not know blanks nothing, of which the document warns.
 */
export async function holdStill<Result>(
  tab: Tab,
  { mask = [], still = false }: Pick<PictureOptions, 'mask' | 'still'>,
  take: () => Promise<Result>,
): Promise<Result> {
  if (!mask.length && !still) return take();
  const unknown = await takeOptionalStep(tab.logger, 'a picture is taken of a page that moves', () =>
    evaluateIsolated(tab, hold, { mask: [...mask], still }),
  );
  for (const index of unknown ?? [])
    tab.warnings.push(
      `The browser does not know the selector ${mask[index]}, so the picture hides nothing by it.`,
    );
  try {
    return await take();
  } finally {
    await takeOptionalStep(tab.logger, 'a page is read with the blanks of its picture', () =>
      evaluateIsolated(tab, release, null),
    );
  }
}

/** Runs in the page. @returns the places of selectors that the browser does not know */
const hold = pageFunction(
  z.array(z.int()),
  ({ mask, still }: { mask: string[]; still: boolean }, dom): number[] => {
    const styles = dom.keep('winnow styles', () => new Map<PageElement, string | null>());
    const declare = (element: PageElement, declarations: [string, string][]) => {
      const style = dom.inlineStyle(element);
      if (!style) return;
      if (!styles.has(element)) styles.set(element, dom.attribute(element, 'style'));
      for (const [name, value] of declarations) style.setProperty(name, value, 'important');
    };
    if (still) {
      const focused = dom.focusedElement();
      if (focused) declare(focused, [['caret-color', 'transparent']]);
      for (const animation of dom.animations()) {
        // What moves with the scrolling of the page stands still by itself.
        if (!(animation.timeline instanceof DocumentTimeline)) continue;
        const endsAt = animation.effect?.getComputedTiming().endTime;
        if (typeof endsAt === 'number' && Number.isFinite(endsAt) && animation.playbackRate > 0)
          animation.finish();
        else animation.cancel();
      }
    }
    return mask.flatMap((selector, index) => {
      try {
        // A transition would let the element fade while the picture is taken.
        for (const element of dom.findAllDeep(selector))
          declare(element, [
            ['opacity', '0'],
            ['transition', 'none'],
            ['animation', 'none'],
          ]);
        return [];
      } catch (error) {
        if (!(error instanceof DOMException)) throw error;
        return [index];
      }
    });
  },
);

/** Runs in the page. */
const release = pageFunction(z.void(), (_: null, dom) => {
  const styles = dom.keep('winnow styles', () => new Map<PageElement, string | null>());
  for (const [element, style] of styles) {
    // Chromium removes an attribute that it has not written yet only in part; to read it writes it.
    dom.attribute(element, 'style');
    if (style === null) dom.removeAttribute(element, 'style');
    else dom.setAttribute(element, 'style', style);
  }
  styles.clear();
});
