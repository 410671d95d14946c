import { expect, it } from 'vitest';
import { kindOf, MIX } from './mix.ts';
import { slopeOf } from './soak.ts';

it.each([0, 4_900])('each kind of page has its share of the hundred from %i on', (from) => {
  const counts = new Map<string, number>();
  for (let n = from; n < from + 100; n++) {
    const { name } = kindOf(n);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(MIX.map(({ name, share }) => [name, share])));
});

it('a slope is that of the nearest line', () => {
  // By hand: x̄ = 1.5, ȳ = 4, Σ(x - x̄)(y - ȳ) = 6, Σ(x - x̄)² = 5.
  const points: [number, number][] = [
    [0, 2],
    [1, 3],
    [2, 6],
    [3, 5],
  ];
  expect(slopeOf(points)).toBeCloseTo(6 / 5, 10);
  expect(slopeOf(points.map(([x]) => [x, 7]))).toBe(0);
});
