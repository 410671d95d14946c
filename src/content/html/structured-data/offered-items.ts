import { isJsonObject } from '../../../json/json-object.ts';
import type { JsonLdItem } from './json-ld.ts';

const OFFER = /^(?:Offer|AggregateOffer)$/;
/** Types whose offers and main entity are those of the page. */
const PAGE = /^(?:WebPage|ItemPage|WebPageElement)$/;

/**
 * Finds what the offers of a page are for (`itemOffered`), where the offer is an item of its own or belongs to the page: each
 * item with that offer, unless it has offers of its own.
 */
export function findOfferedItems(item: JsonLdItem): JsonLdItem[] {
  const type = String(item['@type']);
  if (PAGE.test(type))
    return [...itemsIn(item.mainEntity), ...itemsIn(item.offers)].flatMap(findOfferedItems);
  if (!OFFER.test(type)) return [];
  const { itemOffered, ...offer } = item;
  return itemsIn(itemOffered).map((offered) => ({ offers: offer, ...offered }));
}

const itemsIn = (value: unknown): JsonLdItem[] => [value].flat(2).filter(isJsonObject);
