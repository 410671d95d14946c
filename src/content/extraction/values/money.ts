import { parseSingleNumber } from './numbers.ts';

/** An amount of money, as a number and as shown on the page. */
export interface Money {
  amount: number;
  /** ISO 4217. */
  currency?: string;
  formatted?: string;
}

/**
 * Parses an amount of money from structured data; `undefined` where there is none.
 * @param price a number, or a text such as `12.50` or `$12.50`
 */
export function parseMoney(price: unknown, currency: unknown): Money | undefined {
  const amount = typeof price === 'number' ? price : parsePriceNumber(price);
  if (amount === undefined) return undefined;
  const isShown = typeof price === 'string' && !/^[\d.]+$/.test(price.trim());
  return {
    amount,
    ...(typeof currency === 'string' && currency !== '' && { currency: currency.toUpperCase() }),
    ...(isShown && { formatted: price.trim() }),
  };
}

function parsePriceNumber(price: unknown): number | undefined {
  if (typeof price !== 'string') return undefined;
  return /^\s*\d+(?:\.\d+)?\s*$/.test(price) ? Number(price) : parseSingleNumber(price, 'en');
}
