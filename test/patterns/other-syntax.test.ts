import { describe, expect, test } from 'vitest';
import { patternOfGlob, patternOfLiteral } from '../../src/patterns/other-syntax.ts';

describe('the pattern of a path in another syntax', () => {
  test.each([
    ['*.pdf', '\\.pdf$'],
    ['/blog/*', '^/blog/'],
    ['/blog/**', '^/blog/'],
    ['**/news/*', '/news/'],
    ['/a/*/b', '^/a/[^/]*/b$'],
  ])('that is the glob %s becomes the regular expression %s', (glob, pattern) => {
    expect(patternOfGlob(glob)).toBe(pattern);
  });

  test.each(['^/blog/.*$', '/blog/', 'a(b)*'])('that is no glob, %s, is left alone', (text) => {
    expect(patternOfGlob(text)).toBeUndefined();
  });

  test.each([
    ['/\\/blog\\//i', '(?i)/blog/'],
    ['/^\\/a$/', '^/a$'],
  ])('that is the literal %s becomes the regular expression %s', (literal, pattern) => {
    expect(patternOfLiteral(literal)).toBe(pattern);
  });

  test.each(['/blog/i', '/a/b/', '^\\/a\\/', '/blog\\/2026/', '/a\\/b\\/i'])(
    'that is no literal, %s, is left alone',
    (text) => {
      expect(patternOfLiteral(text)).toBeUndefined();
    },
  );
});
