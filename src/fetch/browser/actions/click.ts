import type { ElementHandle } from 'playwright';
import { z } from 'zod';
import type { PageElement } from '../../../content/open-page/page-dom.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import { messageOf } from '../../../errors.ts';
import { evaluateIsolated, type FrameTarget } from '../dom/isolated-world.ts';

/** How long to wait until an element can receive a real click, before a synthetic click is dispatched. */
const MAX_CLICK_WAIT_MS = 2_000;

/**
 * Clicks the first match of a selector.
 * @param element the match, as Playwright has it
 * @throws Error if it is disabled or goes away
 */
export async function clickFirst(page: FrameTarget, selector: string, element: ElementHandle): Promise<void> {
  await evaluateIsolated(page, keepMatches, selector);
  await click(page, element, 0);
}

/**
 * Clicks all matches of a selector but those that an earlier click removed or disabled.
 * @param elements the matches, as Playwright has them: they stay valid when a click removes one, unlike indices
 */
export async function clickAll(
  page: FrameTarget,
  selector: string,
  elements: ElementHandle[],
): Promise<void> {
  await evaluateIsolated(page, keepMatches, selector);
  for (const [index, element] of elements.entries()) {
    try {
      await click(page, element, index);
    } catch (error) {
      if (!/not attached|is disabled|context was destroyed|navigat/i.test(messageOf(error))) throw error;
    }
  }
}

/**
 * Clicks with the mouse. An element that is covered or hidden gets a synthetic click event instead.
 * @param index its place among the kept matches
 */
async function click(page: FrameTarget, element: ElementHandle, index: number): Promise<void> {
  try {
    // A navigation that the click starts is waited for by `waitUntilSettled`; it may take longer than this
    // timeout.
    await element.click({ timeout: MAX_CLICK_WAIT_MS, noWaitAfter: true });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
    if (await element.isDisabled())
      throw new Error('the element is disabled. Do first what enables it', { cause: error });
    // A real click, which something covers, would also give it the focus.
    await element.focus();
    // Playwright dispatches it with the page's own globals, which the page may have replaced.
    if (!(await evaluateIsolated(page, clickMatch, index))) await element.dispatchEvent('click');
  }
}

/** Runs in the page: keeps the matches of a selector for {@link clickMatch}; none if only Playwright knows it. */
const keepMatches = pageFunction(z.void(), (selector: string, dom) => {
  const kept = dom.keep('matches', () => ({ elements: [] as PageElement[] }));
  try {
    kept.elements = dom.findAllDeep(selector);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'SyntaxError')) throw error;
    kept.elements = [];
  }
});

/** Runs in the page: clicks a kept match without the mouse. @returns whether there is one */
const clickMatch = pageFunction(z.boolean(), (index: number, dom): boolean => {
  const element = dom.keep('matches', () => ({ elements: [] as PageElement[] })).elements[index];
  if (!element) return false;
  dom.dispatch(element, new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
  return true;
});
