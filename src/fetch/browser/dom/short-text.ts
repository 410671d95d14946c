import type { VisibleText } from '../../../content/html/placeholder.ts';

/**
 * Runs in the page, in the isolated world: reads the visible text of a page that has little of it.
 * @returns `null` for a page with more than `maxCharacters` characters or with a visible frame
 */
export function readShortText(maxCharacters: number): VisibleText | null {
  const LOADING_NAME =
    /(?:^|[^a-z])(?:skeleton|spinner|loader|loading|preloader|shimmer|splash)(?:$|[^a-z])/i;
  /** How many elements may still be inspected; a page with more is no placeholder. */
  let elementsLeft = 2_000;
  let charactersLeft = maxCharacters;
  // An endless CSS animation is a spinner, whatever its name.
  let hasSpinner = document
    .getAnimations()
    .some(({ effect }) => effect?.getTiming().iterations === Number.POSITIVE_INFINITY);
  let hasFrame = false;
  const lines: string[] = [];
  let lastBlock: Element | undefined;

  const inspectElement = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    if (/^(?:i?frame|embed|object)$/i.test(element.tagName) && width >= 200 && height >= 100) hasFrame = true;
    const names = ['class', 'id', 'alt', 'aria-label', 'src'].map((name) => element.getAttribute(name) ?? '');
    const isBusy = element.getAttribute('aria-busy') === 'true' || element.tagName === 'PROGRESS';
    if (isBusy || element.getAttribute('role') === 'progressbar' || LOADING_NAME.test(names.join(' ')))
      hasSpinner = true;
  };
  const blockOf = (element: Element) => {
    let block = element;
    while (block.parentElement && getComputedStyle(block).display.startsWith('inline')) {
      block = block.parentElement;
    }
    return block;
  };
  const addText = (text: Text) => {
    const words = text.data.replace(/\s+/g, ' ');
    const parent = text.parentElement;
    if (!words.trim()) return;
    if (parent && !parent.checkVisibility({ visibilityProperty: true })) return;
    charactersLeft -= words.length;
    const block = parent ? blockOf(parent) : undefined;
    if (block && block === lastBlock) lines.push((lines.pop() ?? '') + words);
    else lines.push(words);
    lastBlock = block;
  };
  const walk = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      const isHidden = node instanceof Element && !node.checkVisibility({ opacityProperty: true });
      return isHidden ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    });
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (elementsLeft < 0 || charactersLeft < 0 || hasFrame) return;
      if (node instanceof Text) addText(node);
      if (!(node instanceof Element)) continue;
      elementsLeft--;
      inspectElement(node);
      if (node.shadowRoot) walk(node.shadowRoot);
    }
  };

  if (document.body) inspectElement(document.body);
  walk(document.body ?? document.documentElement);
  if (elementsLeft < 0 || charactersLeft < 0 || hasFrame) return null;
  return { lines, title: document.title, hasSpinner };
}
