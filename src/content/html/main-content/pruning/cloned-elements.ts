import type { Element } from 'domhandler';
import { prevElementSibling } from 'domutils';
import { isParentElement } from '../../nodes.ts';

/**
 * Classes of the slides that carousels clone before the first and after the last slide for endless scrolling.
 */
const CLONE =
  /(^|\s)(slick-cloned|swiper-slide-duplicate|splide__slide--clone|glide__slide--clone|cloned|bx-clone)(\s|$)/;
/** Framer sends the same block once for each screen size, with this class. */
const VARIANT = /(^|\s)ssr-variant(\s|$)/;
/** Shopify themes send a regular and a sale price with every product and hide one of them. */
const ALTERNATIVE_PRICE = /(?:^|\s)price__(sale|regular)(?:\s|$)/;
const PRICE = /(^|\s)price(\s|$)/;
/** The element that tells which price is shown is at most this many levels above the prices. */
const MAX_LEVELS_TO_PRICE = 4;

/**
 * Whether an element is a copy that page software made of another element, or a variant that it does not
 * show.
 */
export function isClonedElement(element: Element): boolean {
  const names = classesOf(element);
  if (names === '') return false;
  return (
    CLONE.test(names) ||
    (VARIANT.test(names) && VARIANT.test(classesOf(prevElementSibling(element)))) ||
    isInactivePrice(element)
  );
}

function isInactivePrice(element: Element): boolean {
  const price = ALTERNATIVE_PRICE.exec(classesOf(element))?.[1];
  if (!price) return false;
  let { parent } = element;
  for (let depth = 0; isParentElement(parent) && depth < MAX_LEVELS_TO_PRICE; depth++, { parent } = parent) {
    if (PRICE.test(classesOf(parent)))
      return classesOf(parent).includes('price--on-sale') !== (price === 'sale');
  }
  return false;
}

const classesOf = (element: Element | null) => element?.attribs.class ?? '';
