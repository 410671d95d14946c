import { describe, expect, it } from 'vitest';
import { withoutCredentials } from '../../src/url/credentials.ts';

describe('a text that others read', () => {
  it.each([
    ['https://user:pass@word@example.com/a', 'https://example.com/a'],
    ['HTTP://token@example.com', 'HTTP://example.com'],
    [' user:password@example.com/page', ' example.com/page'],
    [String.raw`http:\\user:password@example.com`, String.raw`http:\\example.com`],
    [
      'scrape https://user:password@example.com/?to=b@example.com',
      'scrape https://example.com/?to=b@example.com',
    ],
  ])('shows %j without user name and password', (text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
  });

  it.each([
    'https://example.com/@user',
    'https://example.com/?mail=a@example.com',
    'https://example.com:80/#a@b',
  ])('shows %j as it is', (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });
});
