import { describe, expect, it } from 'vitest';
import { priceOfSession } from '../src/credits.ts';

describe('the price of a browser session', () => {
  it.each([
    ['a session that was hardly used is a minute', 1, 2, 7],
    ['a whole minute', 60_000, 2, 7],
    // 2 x 61 / 60 and 7 x 61 / 60 credits.
    ['a minute and a part of a second', 60_001, 3, 8],
    ['a minute and a half', 90_000, 3, 11],
    ['an hour', 3_600_000, 120, 420],
  ])('is measured by the second: %s', (_name, durationMs, withCode, withPrompts) => {
    expect(priceOfSession({ durationMs, prompted: false })).toBe(withCode);
    expect(priceOfSession({ durationMs, prompted: true })).toBe(withPrompts);
  });
});
