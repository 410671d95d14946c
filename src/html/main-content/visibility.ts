import type { Element } from 'domhandler';
import type { PageType } from './page-type.ts';

/** Largest share of the page that is believed to be hidden. */
const MOST_HIDDEN = 0.3;
/** The same for data that stands beside what readers see, with the whole text among it. */
const MOST_DATA = 0.8;
/** What is hidden only until the reader asks for it. */
const FOLDED = /accordion|collaps|panel|tab|faq|answer|expand/i;
/** Links, pictures and prices are seen, though kept from screen readers, which are told the same in other words. */
const SEEN = new Set(['a', 'i', 'del', 'ins', 'h2', 'h3', 'h4']);
/** Slides that are out of view are kept from screen readers too. Those of a product are of others. */
const SLIDES = new Set(['li']);
/** React sends the content of such elements after the page and puts it into its place with a script. */
const STREAMED = /^S:/;

/** Whether readers do not see an element; `share` of the page, for a page that is hidden is only not there yet. */
export function isUnseen({ attribs, name }: Element, share: number, type: PageType): boolean {
  if (share > (attribs.itemscope === undefined ? MOST_HIDDEN : MOST_DATA)) return false;
  const isSeen = SEEN.has(name) || (type !== 'product' && SLIDES.has(name));
  const isHidden =
    attribs.hidden !== undefined ||
    (attribs['aria-hidden'] === 'true' && !isSeen) ||
    /display:\s*none/i.test(attribs.style ?? '');
  return (
    isHidden &&
    !STREAMED.test(attribs.id ?? '') &&
    !FOLDED.test(attribs.class ?? '') &&
    !/^(tabpanel|region)$/.test(attribs.role ?? '')
  );
}
