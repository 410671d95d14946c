import { numberIn } from './numbers.ts';

/** An amount of money, as it is asked for and as it is shown. */
export interface Money {
  amount: number;
  /** ISO 4217. */
  currency?: string;
  formatted?: string;
}

/**
 * An amount of structured data; `undefined` where it is none.
 * @param price a number, or a text such as `12.50` or `$12.50`
 */
export function moneyOf(price: unknown, currency: unknown): Money | undefined {
  const amount = typeof price === 'number' ? price : numberOf(price);
  if (amount === undefined) return undefined;
  const isShown = typeof price === 'string' && !/^[\d.]+$/.test(price.trim());
  return {
    amount,
    ...(typeof currency === 'string' && currency !== '' && { currency: currency.toUpperCase() }),
    ...(isShown && { formatted: price.trim() }),
  };
}

function numberOf(price: unknown): number | undefined {
  if (typeof price !== 'string') return undefined;
  return /^\s*\d+(?:\.\d+)?\s*$/.test(price) ? Number(price) : numberIn(price, 'en');
}
