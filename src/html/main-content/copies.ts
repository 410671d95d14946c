import { type Element, isTag } from 'domhandler';

/** What carousels put before the first slide and behind the last one so that they can go round. */
const CLONE =
  /(^|\s)(slick-cloned|swiper-slide-duplicate|splide__slide--clone|glide__slide--clone|cloned|bx-clone)(\s|$)/;
/** Framer sends the same block once for every size of screen. */
const VARIANT = /(^|\s)ssr-variant(\s|$)/;
/** Themes of Shopify send two prices with every product, one for when it is on sale, and hide one of them. */
const ONE_OF_TWO_PRICES = /(?:^|\s)price__(sale|regular)(?:\s|$)/;
const PRICE = /(^|\s)price(\s|$)/;
/** So many elements above one of the two prices is what says which. */
const PRICE_DEPTH = 4;

/** Whether software of pages put an element there once more, or another one in its place. */
export function isCopy(element: Element): boolean {
  const names = namesOf(element);
  return (
    CLONE.test(names) ||
    (VARIANT.test(names) && VARIANT.test(namesOf(elementBefore(element)))) ||
    isOtherPrice(element)
  );
}

function isOtherPrice(element: Element): boolean {
  const price = ONE_OF_TWO_PRICES.exec(namesOf(element))?.[1];
  if (!price) return false;
  let { parent } = element;
  for (let depth = 0; parent && isTag(parent) && depth < PRICE_DEPTH; depth++, { parent } = parent) {
    if (PRICE.test(namesOf(parent))) return namesOf(parent).includes('price--on-sale') !== (price === 'sale');
  }
  return false;
}

const namesOf = (element: Element | undefined) => element?.attribs.class ?? '';

function elementBefore({ prev }: Element): Element | undefined {
  for (let at = prev; at; at = at.prev) if (isTag(at)) return at;
  return undefined;
}
