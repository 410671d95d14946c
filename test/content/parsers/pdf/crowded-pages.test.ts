import { describe, expect, test, vi } from 'vitest';
import { withNumberedLevels } from '../../../../src/content/parsers/pdf/document/numbered-levels.ts';
import { layoutPage } from '../../../../src/content/parsers/pdf/page/page-layout.ts';
import { toSegment } from '../../../../src/content/parsers/pdf/page/segments.ts';
import { overAccents } from '../../../../src/content/parsers/pdf/source/accents-alone.ts';
import { composeAccents } from '../../../../src/content/parsers/pdf/source/detached-accents.ts';
import { attachMarks } from '../../../../src/content/parsers/pdf/source/detached-marks.ts';
import { joinSectionTitles } from '../../../../src/content/parsers/pdf/tables/section-titles.ts';
import type { PdfTextBlock, Word } from '../../../../src/content/parsers/pdf/types.ts';
import { EMPTY_PAGE } from './empty-page.ts';

const style = { size: 10, bold: false, italic: false, monospaced: false };
const word = (text: string, left: number, top: number, width = 5 * text.length): Word => ({
  text,
  style,
  run: 0,
  left,
  right: left + width,
  top,
  bottom: top + 10,
});

/** How often the edges of words are read. */
function countReads(words: readonly Word[], run: (words: Word[]) => unknown): number {
  let reads = 0;
  const counted = words.map(
    (each) =>
      new Proxy(each, {
        get: (target, key, receiver) => {
          if (key === 'left' || key === 'top') reads++;
          return Reflect.get(target, key, receiver);
        },
      }),
  );
  run(counted);
  return reads;
}

/** Words of which each has a mark of its own over its first letter, eight in a row. */
const marked = (letters: string, mark: string, count: number, rowHeight = 14) =>
  Array.from({ length: count }, (_, place) => {
    const [left, top] = [60 * (place % 8), rowHeight * Math.floor(place / 8)];
    return [word(letters, left, top), word(mark, left, top, 5)];
  }).flat();

describe('a page with many words and as many marks over them takes work in proportion to their number', () => {
  test.each([
    ['accents', 'ubung', '¨', composeAccents, 'übung'],
    ['vowel signs', 'कमल', '\u0947', attachMarks, 'क\u0947मल'],
  ] as const)('%s', (_, letters, mark, put, expected) => {
    const texts = put(marked(letters, mark, 100)).map(({ text }) => text);
    expect(texts).toEqual(Array(100).fill(expected));
    const reads = (count: number) => countReads(marked(letters, mark, count), put);
    expect(reads(1600)).toBeLessThan(reads(400) * 4.5 + 100);
  });

  test.each([
    ['accents', 'ubung', '¨', composeAccents],
    ['vowel signs', 'कमल', '\u0947', attachMarks],
  ] as const)('%s, where all are drawn over each other', (_, letters, mark, put) => {
    const page = (count: number) => [
      ...Array.from({ length: count }, () => word(letters, 0, 0)),
      ...Array.from({ length: count }, () => word(mark, 0, 6, 5)),
    ];
    const reads = (count: number) => countReads(page(count), put);
    expect(reads(1600)).toBeLessThan(reads(400) * 4.5 + 100);
  });
});

describe('a word that is longer than words are', () => {
  test('has its letters compared with none of its accents', () => {
    let compared = 0;
    const accents = Array.from({ length: 100 }, () => word('¨', 0, 0, 5));
    overAccents([word('q'.repeat(10_000), 0, 0, 5), ...accents], {
      isAccent: ({ text }) => text === '¨',
      withAccent: () => {
        compared++;
        return undefined;
      },
    });
    expect(compared).toBe(0);
  });

  test('is not divided into syllables for each of its marks', () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    try {
      attachMarks([
        word('क'.repeat(10_000), 0, 0, 5),
        ...Array.from({ length: 100 }, () => word('\u0947', 0, 0, 5)),
      ]);
      expect(segment).not.toHaveBeenCalled();
    } finally {
      segment.mockRestore();
    }
  });
});

describe('a column with many titles of sections takes work in proportion to its rows', () => {
  /** Rows of text below titles whose number stands apart. */
  const sections = (count: number) =>
    Array.from({ length: count }, (_, place) => {
      const top = 40 * place;
      const bold = { ...style, bold: true };
      return [
        ['1.1', 'Bridges'].map((text, column) => ({ ...word(text, 60 * column, top), style: bold })),
        [word('The', 0, top + 14), word('riverbanks', 20, top + 14, 120)],
      ];
    }).flat();

  test('where the titles are found', () => {
    const reads = (count: number) => {
      let read = 0;
      const rows = sections(count).map((row) =>
        row[0]?.style.bold ? row.map((each) => toSegment([each])) : [toSegment(row)],
      );
      const counted = new Proxy(rows, {
        get: (target, key, receiver) => {
          read++;
          return Reflect.get(target, key, receiver);
        },
      });
      expect(joinSectionTitles(counted).titles.size).toBe(count);
      return read;
    };
    expect(reads(2000)).toBeLessThan(reads(500) * 4.5 + 100);
  });

  test('where tables are looked for between them', () => {
    const page = { ...EMPTY_PAGE, height: 100_000 };
    const copied = (count: number) => {
      const { slice } = Array.prototype;
      let length = 0;
      Array.prototype.slice = function (...range) {
        const part = slice.apply(this, range);
        length += part.length;
        return part;
      };
      try {
        expect(layoutPage(page, sections(count).flat()).length).toBeGreaterThan(0);
      } finally {
        Array.prototype.slice = slice;
      }
      return length;
    };
    expect(copied(800)).toBeLessThan(copied(200) * 4.5 + 100);
  });
});

test('a document can have more headings with numbers than a call takes arguments', () => {
  const words = [word('1.1', 0, 0), word('Bridges', 20, 0)];
  const lines = [{ ...toSegment(words), text: '1.1 Bridges', style }] as unknown as PdfTextBlock['lines'];
  const heading = {
    kind: 'heading',
    page: 1,
    left: 0,
    top: 0,
    right: 50,
    bottom: 10,
    lines,
    level: 2,
  } as const;
  const levelled = withNumberedLevels(Array.from({ length: 150_000 }, () => ({ ...heading })));
  expect(levelled).toHaveLength(150_000);
  expect(levelled.at(-1)).toMatchObject({ level: 2 });
});
