import { type Item, isItem, typeName } from '../html/json-ld.ts';

/** The text of a value of structured data, of a thing its name or address. */
export function textIn(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (isItem(one)) return textIn(one.name ?? one['@value'] ?? one.url ?? one.contentUrl);
  const text = typeof one === 'string' || typeof one === 'number' ? String(one).trim() : '';
  return text === '' ? undefined : text;
}

/** A value, or several, as a list of those that are things. */
export const thingsIn = (value: unknown): Item[] => [value].flat(3).filter(isItem);

/** Where a value leads to: an address, of a thing its own. */
export function addressesIn(value: unknown): string[] {
  return [value].flat(3).flatMap((each) => {
    const address: unknown = isItem(each) ? (each.contentUrl ?? each.url) : each;
    return typeof address === 'string' && address !== '' ? [address] : [];
  });
}

/** What an offer says of its stock. One that says nothing stands, so what it offers can be had. */
export function availabilityOf(value: unknown): { inStock: boolean; text?: string } {
  const text = textIn(value);
  if (text === undefined) return { inStock: true };
  const name = (/^\w+:/.test(text) && typeName(text)) || text;
  return { inStock: !/out|sold|discontinued|unavailable|none/i.test(name), text: name };
}
