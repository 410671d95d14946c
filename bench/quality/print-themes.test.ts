import { expect, it } from 'vitest';
import { themeOf } from './print-themes.ts';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

it('the theme of a printed manual follows from its seed', () => {
  for (const seed of SEEDS) expect(themeOf(seed)).toEqual(themeOf(seed));
  expect(new Set(SEEDS.map((seed) => themeOf(seed).summary)).size).toBe(SEEDS.length);
});

it('the themes for tuning and for checking have all numbers of columns, and PDFs with and without tags', () => {
  for (const rest of [0, 1]) {
    const themes = SEEDS.filter((seed) => seed % 2 === rest).map(themeOf);
    for (const columns of [1, 2, 3])
      expect(themes.some(({ summary }) => summary.startsWith(`${columns} col.`))).toBe(true);
    for (const tagged of [true, false]) expect(themes.some((theme) => theme.tagged === tagged)).toBe(true);
  }
});

it('no theme has a number or rule that could not be computed', () => {
  for (const seed of SEEDS) expect(themeOf(seed).css).not.toMatch(/NaN|undefined/);
});
