import type { Element } from 'domhandler';
import type { PageType } from '../page-type/page-type.ts';

/** An element with a larger share of the page is kept although it is hidden. */
const MAX_HIDDEN_SHARE = 0.3;
/** The same for microdata, which may repeat the whole text. */
const MAX_HIDDEN_DATA_SHARE = 0.8;
/** Classes of elements that are hidden until the reader expands them. */
const COLLAPSIBLE_CLASS = /accordion|collaps|panel|tab|faq|answer|expand/i;
/**
 * Elements with `aria-hidden` that are visible: links, icons and prices, which screen readers get in other
 * words.
 */
const VISIBLE_THOUGH_ARIA_HIDDEN = new Set(['a', 'i', 'del', 'ins', 'h2', 'h3', 'h4']);
/** Slides out of view have `aria-hidden` too. On product pages they show other products. */
const SLIDES = new Set(['li']);
/** Ids of fragments that React streams after the page and moves into place with a script. */
const STREAMED_ID = /^S:/;

/**
 * Whether an element is hidden from readers.
 * @param share the element's share of the page; a page that is hidden as a whole is shown later by a script
 */
export function isHiddenElement({ attribs, name }: Element, share: number, type: PageType): boolean {
  if (share > (attribs.itemscope === undefined ? MAX_HIDDEN_SHARE : MAX_HIDDEN_DATA_SHARE)) return false;
  const isSeen = VISIBLE_THOUGH_ARIA_HIDDEN.has(name) || (type !== 'product' && SLIDES.has(name));
  const isHidden =
    attribs.hidden !== undefined ||
    (attribs['aria-hidden'] === 'true' && !isSeen) ||
    /display:\s*none/i.test(attribs.style ?? '');
  return (
    isHidden &&
    !STREAMED_ID.test(attribs.id ?? '') &&
    !COLLAPSIBLE_CLASS.test(attribs.class ?? '') &&
    !/^(tabpanel|region)$/.test(attribs.role ?? '')
  );
}
