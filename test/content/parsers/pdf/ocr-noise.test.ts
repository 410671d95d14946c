import { expect, test } from 'vitest';
import { withoutNoise } from '../../../../src/content/parsers/pdf/ocr/ocr.ts';
import type { SourcePage, Word } from '../../../../src/content/parsers/pdf/types.ts';
import { EMPTY_PAGE } from './empty-page.ts';

const word = (text: string, confidence: number): Word => ({
  left: 0,
  top: 0,
  right: 10,
  bottom: 10,
  run: 0,
  text,
  confidence,
  style: { size: 10, bold: false, italic: false, monospaced: false },
});

test('Uncertain symbols and vertical rules of OCR are left out; certain symbols, dashes and uncertain words stay', () => {
  const page: SourcePage = {
    ...EMPTY_PAGE,
    width: 600,
    height: 800,
    words: [
      word('staff', 0.3),
      word('~~', 0.54),
      word('€»', 0.33),
      word('—', 0.5),
      word('|', 0.93),
      word('§', 0.93),
    ],
  };
  expect(withoutNoise(page).words.map(({ text }) => text)).toEqual(['staff', '—', '§']);
});
