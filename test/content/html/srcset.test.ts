import { describe, expect, it } from 'vitest';
import { largestCandidate, parseSrcset } from '../../../src/content/html/media/srcset.ts';

describe('a srcset', () => {
  const rows: [string, [string, number][]][] = [
    ['', []],
    [' , ,', []],
    ['a.png', [['a.png', 1]]],
    [
      'a.png 2x, b.png .5x',
      [
        ['a.png', 2],
        ['b.png', 0.5],
      ],
    ],
    [
      'a.png 100w,b.png 1.5x',
      [
        ['a.png', 100],
        ['b.png', 1.5],
      ],
    ],
    [
      'a,b.png 2x, c.png',
      [
        ['a,b.png', 2],
        ['c.png', 1],
      ],
    ],
    [
      'a.png, b.png 3x',
      [
        ['a.png', 1],
        ['b.png', 3],
      ],
    ],
    [
      'a.png 100q, b.png 2x',
      [
        ['a.png', 1],
        ['b.png', 2],
      ],
    ],
    [
      'data:image/gif;base64,R0 1x, b.png 2x',
      [
        ['data:image/gif;base64,R0', 1],
        ['b.png', 2],
      ],
    ],
  ];
  it.each(rows)('such as %j names its candidates with their sizes', (srcset, expected) => {
    expect(parseSrcset(srcset).map(({ url, size }) => [url, size])).toEqual(expected);
  });

  it('whose candidates are equally large stands for the first one', () => {
    expect(largestCandidate('a 2x, b 2x')).toBe('a');
    expect(largestCandidate('')).toBeUndefined();
  });
});
