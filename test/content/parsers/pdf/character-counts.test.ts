import { expect, test } from 'vitest';
import { countKinds } from '../../../../src/content/parsers/pdf/ocr/character-counts.ts';

test('characters are counted by kind, without spaces and the leaders of contents', () => {
  expect(countKinds('Bridge of 1571 . . . . 12')).toEqual({
    characters: 14,
    unknown: 0,
    readable: 14,
    latin: 8,
    small: 7,
    vowels: 3,
  });
  expect(countKinds('a..b').characters).toBe(4);
  expect(countKinds('a…').characters).toBe(2);
  expect(countKinds('a.  .  .').characters).toBe(4);
  expect(countKinds('日本 \ue000\ufffd é')).toMatchObject({ characters: 5, unknown: 2, readable: 3 });
});
