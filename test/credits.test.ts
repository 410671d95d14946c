import { describe, expect, it } from 'vitest';
import { expectedPriceOf, priceOfSession } from '../src/credits.ts';

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

describe('the expected price of a page', () => {
  const options = { formats: [{ type: 'markdown' }] };
  it.each([
    ['a page', {}, 1],
    ['a format with a price', { formats: [{ type: 'json' }, { type: 'markdown' }] }, 5],
    ['data that is compared', { formats: [{ type: 'changeTracking', modes: ['json'] }] }, 5],
    ['text that is compared', { formats: [{ type: 'changeTracking', modes: ['git-diff'] }] }, 1],
    ['an enhanced proxy', { proxy: 'enhanced' }, 5],
    ['an enhanced proxy under its other name', { proxy: 'stealth' }, 5],
    ['a proxy that may become an enhanced one', { proxy: 'auto' }, 1],
    ['zero data retention', { zeroDataRetention: true }, 2],
    ['personal data that is replaced', { redactPII: { mode: 'fast' } }, 5],
    ['personal data that stays', { redactPII: false }, 1],
    ['lockdown, which is zero data retention', { lockdown: true, zeroDataRetention: true }, 5],
  ])('is what the request asks for: %s', (_name, request, credits) => {
    expect(expectedPriceOf({ ...options, ...request })).toBe(credits);
  });
});
