import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../../src/api/mcp/value-parts.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

/** Cuts a value into parts of a size, as a client reads one after the other. */
function partsOf(value: Record<string, unknown>, size: number) {
  const parts = [];
  for (let from = 0; ; ) {
    const { part, end, total } = partOf(value, from, size);
    parts.push(part);
    if (end >= total) return parts;
    expect(end).toBeGreaterThan(from);
    from = end;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The words that a value has at each of its leaves, in any order. */
function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (isObject(value)) return Object.values(value).flatMap(wordsOf);
  return typeof value === 'string' ? [...value] : [JSON.stringify(value)];
}

describe('a result in parts', () => {
  it('has the short members first, and goes on with texts where they ended', () => {
    const value = { markdown: 'word '.repeat(2_000), metadata: { title: 'Notes', statusCode: 200 } };
    const [first, ...rest] = partsOf(value, 4_000);
    expect(first).toMatchObject({ metadata: { title: 'Notes', statusCode: 200 } });
    expect(rest.every(({ metadata }) => metadata === undefined)).toBe(true);
    expect([first, ...rest].map((part) => part?.markdown ?? '').join('')).toBe(value.markdown);
  });

  it('cuts between characters', () => {
    const text = '漢字🙂é'.repeat(1_000);
    const parts = partsOf({ text }, 1_001).map((part) => String(part.text));
    expect(parts.join('')).toBe(text);
    expect(parts.every((part) => part.isWellFormed() && !part.includes('\uFFFD'))).toBe(true);
  });

  it('keeps the entries of lists whole if they are short', () => {
    const links = Array.from({ length: 300 }, (_, n) => ({ url: `https://example.com/${n}` }));
    const parts = partsOf({ success: true, links }, 1_000);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.flatMap((part) => part.links ?? [])).toEqual(links);
  });

  it('is one part if it is short', () => {
    const value = { id: 'a', list: [], nothing: null, nested: { empty: {}, text: '' } };
    expect(partOf(value, 0, 60_000).part).toEqual(value);
  });

  it('has everything of any value, and no part is much larger than allowed', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 5_000 }), fc.string());
    const value = fc.dictionary(fc.string(), fc.oneof(text, fc.jsonValue(), fc.array(text)));
    fc.assert(
      fc.property(value, fc.integer({ min: 50, max: 20_000 }), (each, size) => {
        const written = JSON.parse(JSON.stringify(each));
        const parts = partsOf(written, size);
        expect(parts.flatMap(wordsOf).toSorted()).toEqual(wordsOf(written).toSorted());
      }),
      propertyRuns(500),
    );
  });
});
