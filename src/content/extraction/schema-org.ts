import { isJsonObject } from '../../json/json-object.ts';
import { type JsonLdItem, typeName } from '../html/structured-data/json-ld.ts';

/** Reads the text of a schema.org value; of an item, its name or URL. */
export function readText(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (isJsonObject(one)) return readText(one.name ?? one['@value'] ?? one.url ?? one.contentUrl);
  const text = typeof one === 'string' || typeof one === 'number' ? String(one).trim() : '';
  return text === '' ? undefined : text;
}

/** Reads the items among one or several schema.org values. */
export const readItems = (value: unknown): JsonLdItem[] => [value].flat(3).filter(isJsonObject);

/** Reads the URLs of schema.org values; of an item, its own. */
export function readUrls(value: unknown): string[] {
  return [value].flat(3).flatMap((each) => {
    const url: unknown = isJsonObject(each) ? (each.contentUrl ?? each.url) : each;
    return typeof url === 'string' && url !== '' ? [url] : [];
  });
}

/** Reads an offer's availability. An offer without one counts as in stock, because it is published. */
export function readAvailability(value: unknown): { inStock: boolean; text?: string } {
  const text = readText(value);
  if (text === undefined) return { inStock: true };
  const name = (/^\w+:/.test(text) && typeName(text)) || text;
  return { inStock: !/out|sold|discontinued|unavailable|none/i.test(name), text: name };
}

/** Reads the offers of an item, those inside an aggregate one by one. */
export const readOffers = (item: JsonLdItem): JsonLdItem[] =>
  readItems(item.offers).flatMap((offer) => {
    // An AggregateOffer may state the currency of all its offers.
    const inner = readItems(offer.offers).map((each) => ({ priceCurrency: offer.priceCurrency, ...each }));
    return inner.length > 0 ? inner : [offer];
  });

/** The price and currency of an offer, as they are written. */
export function readOfferPrice(offer: JsonLdItem): { price: unknown; priceCurrency: unknown } {
  const [specification = {}] = readItems(offer.priceSpecification);
  return {
    price: offer.price ?? offer.lowPrice ?? specification.price,
    priceCurrency: offer.priceCurrency ?? specification.priceCurrency,
  };
}
