import { LiteParse, type LiteParseConfig } from '@llamaindex/liteparse';
import { expect, test } from 'vitest';
import { OFFLINE } from '../../../../src/content/parsers/pdf/source/liteparse.ts';
import { parseInRanges } from '../../../../src/content/parsers/pdf/source/page-ranges.ts';
import { textLines, writePdf } from './pdf-writer.ts';

const CONFIG: Partial<LiteParseConfig> = {
  ...OFFLINE,
  maxPages: 10_000,
  emitWordBoxes: true,
  extractVectorGraphics: true,
  extractAnnotations: true,
  extractFormFields: true,
  extractStructureTree: true,
  extractImages: true,
};

const manual = (pages: number) =>
  writePdf(
    Array.from({ length: pages }, (_, page) => ({
      texts: textLines(60, 100, [`Chapter ${page + 1}`, 'Two bridges cross the river']),
      strokes: [[60, 300, 400, 300]] as [number, number, number, number][],
      links: [
        { rect: [60, 90, 200, 104] as [number, number, number, number], uri: `https://${page}.example/` },
      ],
      images: [
        {
          rect: [300, 600, 400, 700] as [number, number, number, number],
          width: 4,
          height: 4,
          pixels: Buffer.alloc(16, page),
        },
      ],
    })),
  );

/** Parses a manual in ranges. @returns the result, and the pages of each range as it was asked for */
async function parseManual(pages: number, config = CONFIG) {
  const file = manual(pages);
  const asked: (string | number | undefined)[] = [];
  const result = await parseInRanges(config, (range) => {
    asked.push(range.targetPages ?? range.maxPages);
    return new LiteParse(range).parse(file);
  });
  return { result, asked, whole: await new LiteParse(config).parse(file) };
}

test('A long document is parsed in ranges of pages, with the result of the whole', async () => {
  const { result, asked, whole } = await parseManual(230);
  expect(asked).toEqual([100, '101-200', '201-230']);
  expect(result.pages.map(({ textItems }) => textItems[0]?.text)).toEqual(
    Array.from({ length: 230 }, (_, page) => `Chapter ${page + 1}`),
  );
  expect(result.images).toHaveLength(230);
  const { text: _first, ...parts } = result;
  const { text: _all, ...wholeParts } = whole;
  expect(parts).toEqual(wholeParts);
});

test('Of a long document no more pages are read than were asked for', async () => {
  const { result, asked } = await parseManual(130, { ...CONFIG, maxPages: 120 });
  expect(asked).toEqual([100, '101-120']);
  expect(result.pages.map(({ pageNum }) => pageNum).at(-1)).toBe(120);
  expect(result.totalPages).toBe(130);
});

test('A short document is parsed at once', async () => {
  const { result, asked } = await parseManual(3);
  expect(asked).toEqual([100]);
  expect(result.pages).toHaveLength(3);
});
