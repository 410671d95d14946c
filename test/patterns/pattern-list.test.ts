import { describe, expect, it } from 'vitest';
import { compilePatterns, validatePatterns } from '../../src/patterns/pattern-list.ts';

describe('a pattern', () => {
  it.each([
    '^/blog/.*$',
    '\\.pdf$',
    '(?i)docs',
    '^/\\d{4}/\\d{2}/\\d{2}/',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '\\p{Greek}',
    '(?P<year>\\d+)',
    '^/.{0,255}$',
    '',
    'a'.repeat(1_900),
  ])('%j is valid', (text) => {
    expect(validatePatterns([text])).toBeUndefined();
  });

  it.each([
    ['(', /"\(" cannot be read: missing closing \).*RE2 syntax/],
    ['[a', /missing closing \]/],
    ['*.pdf', /missing argument to repetition operator.*\.\* \(not \* alone\)/],
    ['(?=x)', /no look-around/],
    ['(a)\\1', /no back-references/],
    ['a{1001}', /invalid repeat count/],
    ['x'.repeat(2_001), /has 2001 characters; at most 2000/],
    ['.{0,1000}'.repeat(200), /repeats too much/],
    ['(a?){500}(a){500}', /repeats too much/],
    [`((${'abcdefghij'.repeat(30)}){30}){30}`, /repeats too much/],
    ['(?:(?:a{100}b){100}', /repeats too much/],
    [')'.repeat(10), /unexpected \)/],
  ])('%j is refused with the reason', (text, message) => {
    expect(validatePatterns([text])).toMatch(message);
  });
});

describe('a list of patterns', () => {
  it.each([
    [[], undefined],
    [['a', 'b'], undefined],
    [Array(1_000).fill('a'), undefined],
    [Array(1_001).fill('a'), /^1001 patterns were sent; at most 1000/],
    [Array(51).fill('a'.repeat(1_990)), /101490 characters together; at most 100000/],
    [['a', '('], /"\("/],
    [Array(200).fill('[ab]{900}'), /too complex together/],
    // Unicode classes are short, but take long to compile.
    [Array(50).fill('\\p{L}'.repeat(50)), /too complex together/],
  ])('%j is checked against the limits', (texts, message) => {
    const fault = validatePatterns(texts);
    if (message) expect(fault).toMatch(message);
    else expect(fault).toBeUndefined();
  });

  it('matches where any pattern matches anywhere in the text', () => {
    const { matches } = compilePatterns(['^/a', 'b$']);
    expect(['/a1', '/xb', '/xa'].map(matches)).toEqual([true, true, false]);
    expect(compilePatterns([]).matches('/a')).toBe(false);
  });

  it('matches in linear time', () => {
    expect(compilePatterns(['(a+)+$', '(a|a)*b']).matches(`${'a'.repeat(8_000)}!`)).toBe(false);
  });
});
