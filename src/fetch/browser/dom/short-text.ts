import { VisibleText } from '../../../content/html/placeholder.ts';
import type { PageElement, PageNode } from '../../../content/open-page/page-dom.ts';
import { pageFunction } from '../../../content/open-page/page-function.ts';

/**
 * Runs in the page, in the isolated world: reads the visible text of a page that has little of it.
 * @returns `null` for a page with more than `maxCharacters` characters or with a visible frame
 */
export const readShortText = pageFunction(
  VisibleText.nullable(),
  (maxCharacters: number, dom): VisibleText | null => {
    const LOADING_NAME =
      /(?:^|[^a-z])(?:skeleton|spinner|loader|loading|preloader|shimmer|splash)(?:$|[^a-z])/i;
    /** How much of the title and of each attribute is read; a page can make each as long as it likes. */
    const MAX_LENGTH = 1_000;
    /** How many elements may still be inspected; a page with more is no placeholder. */
    let elementsLeft = 2_000;
    let charactersLeft = maxCharacters;
    // An endless CSS animation is a spinner, whatever its name.
    let hasSpinner = dom
      .animations()
      .some(({ effect }) => effect?.getTiming().iterations === Number.POSITIVE_INFINITY);
    let hasFrame = false;
    const lines: string[] = [];
    let lastBlock: PageElement | undefined;

    const inspectElement = (element: PageElement) => {
      const { width, height } = dom.rect(element);
      const attribute = (name: string) => (dom.attribute(element, name) ?? '').slice(0, MAX_LENGTH);
      const localName = dom.localName(element);
      if (/^(?:i?frame|embed|object)$/i.test(localName) && width >= 200 && height >= 100) hasFrame = true;
      const names = ['class', 'id', 'alt', 'aria-label', 'src'].map(attribute);
      const isBusy = attribute('aria-busy') === 'true' || localName === 'progress';
      if (isBusy || attribute('role') === 'progressbar' || LOADING_NAME.test(names.join(' ')))
        hasSpinner = true;
    };
    const blockOf = (element: PageElement) => {
      let block = element;
      for (
        let parent = dom.parentElement(block);
        parent && dom.style(block).display.startsWith('inline');
        parent = dom.parentElement(block)
      )
        block = parent;
      return block;
    };
    const addText = (text: PageNode) => {
      const words = (dom.nodeValue(text) ?? '').replace(/\s+/g, ' ');
      const parent = dom.parentElement(text);
      if (!words.trim()) return;
      if (parent && !dom.isVisible(parent, { visibilityProperty: true })) return;
      charactersLeft -= words.length;
      const block = parent ? blockOf(parent) : undefined;
      if (block && block === lastBlock) lines.push((lines.pop() ?? '') + words);
      else lines.push(words);
      lastBlock = block;
    };
    const walk = (root: PageNode) => {
      const walker = dom.walker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
        dom.isElement(node) && !dom.isVisible(node, { opacityProperty: true })
          ? NodeFilter.FILTER_REJECT
          : NodeFilter.FILTER_ACCEPT,
      );
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (elementsLeft < 0 || charactersLeft < 0 || hasFrame) return;
        if (!dom.isElement(node)) {
          addText(node);
          continue;
        }
        elementsLeft--;
        inspectElement(node);
        const shadowRoot = dom.shadowRoot(node);
        if (shadowRoot) walk(shadowRoot);
      }
    };

    const body = dom.body();
    if (body) inspectElement(body);
    walk(body ?? dom.root() ?? dom.document());
    if (elementsLeft < 0 || charactersLeft < 0 || hasFrame) return null;
    return { lines, title: dom.title().slice(0, MAX_LENGTH), hasSpinner };
  },
);
