import { describe, expect, it } from 'vitest';
import { asciiView, beginningOf, bytesOf, wholeText } from '../../src/content/source-text.ts';

describe.each([
  ['no characters', ''],
  ['ASCII', '<p>page</p>'],
  ['Latin letters with accents', 'é'.repeat(1_000)],
  ['all kinds of characters', '\uFEFF<p>é…漢字😀\0</p>'.repeat(1_000)],
])('a text of %s', (_what, text) => {
  const bytes = new Uint8Array(Buffer.from(text));

  it('is the same as a string and in UTF-8', () => {
    expect(wholeText(text)).toBe(text);
    expect(wholeText(bytes)).toBe(text);
    expect(bytesOf(text)).toEqual(Buffer.from(text));
    expect(bytesOf(bytes)).toBe(bytes);
  });

  it.each([0, 1, 2, 3, 5, 100, 999, 1_000_000])('has the same first %d characters in UTF-8', (characters) => {
    expect(beginningOf(bytes, characters)).toBe(text.slice(0, characters));
    expect(beginningOf(text, characters)).toBe(text.slice(0, characters));
  });

  it('has the same ASCII characters when only these are looked at', () => {
    const ascii = (part: string) => part.replace(/[^\0-\x7F]/g, '');
    expect(ascii(asciiView(bytes))).toBe(ascii(text));
  });
});

it('surrogates without a partner become replacement characters in UTF-8', () => {
  const text = `${'…'.repeat(1_000)}\uD83D, \uDE00`;
  expect(bytesOf(text)).toEqual(Buffer.from(text));
});
