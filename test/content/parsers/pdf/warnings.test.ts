import { expect, it } from 'vitest';
import type { SourcePage, Word } from '../../../../src/content/parsers/pdf/types.ts';
import { listWarnings } from '../../../../src/content/parsers/pdf/warnings.ts';

const WORD = { text: 'Text' } as Word;

/** Pages with or without a word. */
const pagesOf = (...hasText: boolean[]) =>
  hasText.map((has, place) => ({ number: place + 1, words: has ? [WORD] : [] }) as unknown as SourcePage);

const source = { totalPages: 3, pages: pagesOf(true, false, true), failedPages: [] };

it('a damaged PDF whose pages need OCR has a warning of each fault, the damage first', () => {
  expect(
    listWarnings({
      source,
      isRecovered: true,
      failed: [2],
      mode: 'auto',
      wanted: new Set([3, 1]),
      recognition: undefined,
    }),
  ).toEqual([
    'The PDF is damaged; tables and images may be missing.',
    'Page 2 of 3 could not be read.',
    'Pages 1, 3 need OCR, which was not used: the text may be wrong or missing.',
  ]);
});

it('a page that OCR could not render has a warning, also if nothing was recognised on the others', () => {
  const pages = pagesOf(false, false, false);
  const findings = {
    source,
    isRecovered: false,
    failed: [],
    mode: 'ocr',
    wanted: new Set([1, 2, 3]),
  } as const;
  expect(listWarnings({ ...findings, recognition: { pages, unrendered: [1] } })).toEqual([
    'Page 1 could not be rendered, so OCR was not used for it.',
    'No text was recognised in the PDF.',
  ]);
  expect(listWarnings({ ...findings, recognition: { pages, unrendered: [1, 2, 3] } })).toEqual([
    'Pages 1, 2, 3 could not be rendered, so OCR was not used for them.',
  ]);
});

it('a warning of many pages lists twenty of them', () => {
  const pages = pagesOf(...Array.from({ length: 23 }, () => false));
  const [warning] = listWarnings({
    source: { totalPages: 23, pages, failedPages: [] },
    isRecovered: false,
    failed: [],
    mode: 'fast',
    wanted: new Set(),
    recognition: undefined,
  });
  expect(warning).toMatch(
    /^Pages 1, 2, .*, 20 and 3 more have no text, and OCR was not used because of the mode fast\.$/,
  );
});

it('a page that has no picture although it was asked for has a warning that says why', () => {
  const findings = {
    source,
    isRecovered: false,
    failed: [],
    mode: 'auto',
    wanted: new Set<number>(),
  } as const;
  const drawn = { images: [], unrendered: [2], left: [3, 4] };
  expect(listWarnings({ ...findings, recognition: undefined, drawn })).toEqual([
    'Page 2 could not be rendered, so pageImages lacks it.',
    'Pages 3, 4 have no picture, because the others are large. Ask for fewer pages at once.',
  ]);
});
