import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { readItems, readOfferPrice, readOffers } from './schema-org.ts';
import { parseMoney } from './values/money.ts';

/** A property of a product group that its variants state. */
export interface VariantValue {
  name: string;
  value: unknown;
  /** The value has those of all variants, which differ, so it only fills a list. */
  isForLists?: boolean;
}

const MAX_VARIANTS = 500;

/**
 * The offers of a product group's variants as properties of the group: price, currency, availability and SKU.
 * A value that all variants have in common is that of the group. If prices differ, the lowest is the price,
 * with `highPrice`; a group is in stock if one of its variants is. The list of all values comes first.
 */
export function variantValues(group: JsonLdItem): VariantValue[] {
  const offers = readItems(group.hasVariant)
    .slice(0, MAX_VARIANTS)
    .flatMap((variant) => {
      const own = readOffers(variant);
      return (own.length > 0 ? own : [{}]).map((offer: JsonLdItem) => ({
        ...readOfferPrice(offer),
        availability: offer.availability,
        sku: offer.sku ?? variant.sku,
      }));
    });
  return [
    ...summarize('price', offers, lowestAndHighest),
    ...summarize('priceCurrency', offers),
    ...summarize('availability', offers, (values) =>
      values.includes('InStock') ? [{ name: 'availability', value: 'InStock' }] : [],
    ),
    ...summarize('sku', offers),
  ];
}

/**
 * @param whenDifferent gives the values of the group if the variants have different ones
 */
function summarize(
  name: string,
  offers: JsonLdItem[],
  whenDifferent: (values: unknown[]) => VariantValue[] = () => [],
): VariantValue[] {
  const values = [...new Set(offers.map((offer) => offer[name]))].filter(
    (value) => value !== undefined && value !== null && value !== '',
  );
  if (values.length === 0) return [];
  if (values.length === 1) return [{ name, value: values[0] }];
  return [{ name, value: values, isForLists: true }, ...whenDifferent(values)];
}

function lowestAndHighest(prices: unknown[]): VariantValue[] {
  const amounts = prices.flatMap((price) => parseMoney(price, undefined)?.amount ?? []);
  if (amounts.length === 0) return [];
  return [
    { name: 'price', value: amounts.reduce((least, amount) => Math.min(least, amount)) },
    { name: 'highPrice', value: amounts.reduce((most, amount) => Math.max(most, amount)) },
  ];
}
