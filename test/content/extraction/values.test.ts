import { describe, expect, it } from 'vitest';
import { nameSimilarity } from '../../../src/content/extraction/property-names.ts';
import { parseDate } from '../../../src/content/extraction/values/dates.ts';
import { detectCurrency, parseSingleNumber } from '../../../src/content/extraction/values/numbers.ts';

const numbers: [string, string, number | undefined][] = [
  ['$1,299.00', 'en', 1299],
  ['1.299,00 €', 'de', 1299],
  ['1.299 €', 'de', 1299],
  ['1.299', 'en', 1.299],
  ['1,299', 'en', 1299],
  ['3,5 kg', 'de', 3.5],
  ['12,50', 'en', 12.5],
  ['1 299,90 zł', 'pl', 1299.9],
  ['1’299.50 CHF', 'de-CH', 1299.5],
  ['1,234,567', 'en', 1234567],
  ['-5 °C', 'en', -5],
  ['4.5 out of 5 stars', 'en', 4.5],
  ['4,5/5', 'de', 4.5],
  ['12%', 'en', 12],
  ['10 x 20 cm', 'en', undefined],
  ['$5 – $7', 'en', undefined],
  ['free', 'en', undefined],
  ['1.299', 'no language at all', 1.299],
];
it.each(numbers)('the number of %j in the language %s is %s', (text, language, number) => {
  expect(parseSingleNumber(text, language)).toBe(number);
});

const dates: [string, string, string | undefined][] = [
  ['2024-03-04T10:00:00Z', 'en', '2024-03-04'],
  ['March 4, 2024', 'en', '2024-03-04'],
  ['4th Mar 2024', 'en', '2024-03-04'],
  ['4. März 2024', 'de', '2024-03-04'],
  ['4 mars 2024', 'fr', '2024-03-04'],
  ['4.3.2024', 'de', '2024-03-04'],
  ['25/12/2024', 'en', '2024-12-25'],
  ['12/25/2024', 'en', '2024-12-25'],
  ['2024年3月4日', 'ja', '2024-03-04'],
  ['4/3/2024', 'en', undefined],
  ['31.2.2024', 'de', undefined],
  ['March 2024', 'en', undefined],
  ['yesterday', '???', undefined],
];
it.each(dates)('the day of %j in the language %s is %s', (text, language, date) => {
  expect(parseDate(text, language)).toBe(date);
});

it.each([
  ['12 €', 'EUR'],
  ['CHF 5', 'CHF'],
  ['$5', undefined],
])('the currency of %j is %s', (text, currency) => {
  expect(detectCurrency(text)).toBe(currency);
});

describe('names', () => {
  it.each([
    ['productName', 'name'],
    ['image_url', 'image'],
    ['publishedAt', 'datePublished'],
    ['author', 'Author'],
    ['prices', 'price'],
    ['price', 'Preis'],
    ['rating', 'ratingValue'],
    ['Größe', 'size'],
  ])('%s and %s are the same', (wanted, given) => {
    expect(nameSimilarity(wanted, given)).toBeGreaterThan(0.5);
  });

  it.each([
    ['shippingPrice', 'price'],
    ['weight', 'weight limit'],
    ['price', 'Shipping price'],
    ['name', 'author name'],
    ['date', 'update'],
    ['', 'price'],
    ['author', 'authority'],
  ])('%s and %s are not', (wanted, given) => {
    expect(nameSimilarity(wanted, given)).toBe(0);
  });
});
