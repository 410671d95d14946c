import { z } from 'zod';
import type { PageElement } from '../../../content/open-page/page-dom.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';

/**
 * Runs in the page: scrolls by one window height. If the page cannot scroll, scrolls the container at the
 * centre of the window.
 */
export const scrollPage = pageFunction(z.void(), (sign: number, dom) => {
  const root = dom.scrollingElement() ?? dom.root();
  if (!root) return;
  const canScroll = (element: PageElement) =>
    dom.scrollHeight(element) > dom.clientHeight(element) && /auto|scroll/.test(dom.style(element).overflowY);
  let target = root;
  if (dom.scrollHeight(root) <= innerHeight) {
    let inner = dom.elementAt(innerWidth / 2, innerHeight / 2);
    while (inner && !canScroll(inner)) inner = dom.parentElement(inner);
    target = inner ?? root;
  }
  dom.scrollBy(target, sign * (target === root ? innerHeight : dom.clientHeight(target)));
});

/**
 * Runs in the page: scrolls the first element that a selector matches in the document, or else in an open
 * shadow tree, by its own height. An element that cannot scroll is brought into view.
 * @returns whether there is one
 */
export const scrollMatch = pageFunction(
  z.boolean(),
  ({ selector, sign }: { selector: string; sign: number }, dom): boolean => {
    const [element] = dom.findAllDeep(selector);
    if (!element) return false;
    const height = dom.clientHeight(element);
    if (dom.scrollHeight(element) > height) dom.scrollBy(element, sign * height);
    else dom.scrollIntoView(element);
    return true;
  },
);
