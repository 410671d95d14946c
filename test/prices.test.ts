import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRICES_ELSEWHERE, PRICES_PAGE, withPrices } from './support/docs/prices.ts';

/** The prices on the pages of the documentation. */

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = ['README.md', 'docs/operations.md', ...globSync('docs/guides/*.md', { cwd: ROOT })];
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

/** A number of credits, or what something costs. */
const PRICE = /\bcosts? (?:\d+|one|two|four|five)\b|\b(?:\d+|one|two|four|five) credits?\b/g;

it('the guide about credits has the prices of the code; after a change run `npm run docs`', () => {
  const page = readFileSync(PRICES_PAGE, 'utf8');
  expect(page).toBe(withPrices(page));
});

describe.each(PAGES)('%s', (page) => {
  it('has only prices that the code has', () => {
    const known = PRICES_ELSEWHERE[page] ?? [];
    const text = read(page);
    expect(known.filter((sentence) => !text.includes(sentence))).toEqual([]);
    const rest = known.reduce((left, sentence) => left.replace(sentence, ''), text);
    expect([...rest.matchAll(PRICE)].map(([price]) => price)).toEqual([]);
  });
});
