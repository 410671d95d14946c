import { expect, test } from 'vitest';
import { capitalHeight } from '../../../../src/content/parsers/pdf/ocr/letter-height.ts';
import type { Word } from '../../../../src/content/parsers/pdf/types.ts';

/**
 * A phrase as tesseract measures it.
 * @param size height of its median word
 * @param height height of its box
 */
const phrase = (text: string, size: number, height: number): Word => ({
  left: 0,
  top: 100,
  right: 100,
  bottom: 100 + height,
  run: 0,
  text,
  style: { size, bold: false, italic: false, monospaced: false },
});

test('phrases of the same font have the same size, whatever their letters are', () => {
  // Measured on a page of a book that was rendered at 200 DPI.
  const phrases = [
    phrase('the', 10.6, 10.6),
    phrase('use', 7.7, 7.7),
    phrase('rising rapidly', 13.4, 13.4),
    phrase('and fragrance of its products, which', 10.6, 13.9),
    phrase('brought here by the Arabians and bought by the', 13.4, 13.4),
    phrase('"Myrabolan comfit."25 Such references emphasize', 13.4, 13.9),
  ];
  const heights = phrases.map(capitalHeight);
  expect(Math.max(...heights) / Math.min(...heights)).toBeLessThan(1.12);
});

test('a phrase of larger letters is larger, also on a line that is not level', () => {
  expect(capitalHeight(phrase('TASTE in HIGH', 26.4, 26.4))).toBeCloseTo(26.4);
  expect(capitalHeight(phrase('rising rapidly and further', 13.4, 22))).toBeLessThan(13.5);
});
