import { expect, it } from 'vitest';
import { encodeUtf8 } from '../src/utf8.ts';

it.each([
  ['no characters', ''],
  ['ASCII', 'page'],
  ['Latin letters with accents', 'é'.repeat(1_000)],
  ['all kinds of characters', '\uFEFFé…漢字😀\0'.repeat(1_000)],
  ['surrogates without a partner', `${'…'.repeat(1_000)}\uD83D, \uDE00`],
])('a text of %s has the same bytes as Node makes of it', (_what, text) => {
  expect(encodeUtf8(text)).toEqual(Buffer.from(text));
});
