import { expect, test } from 'vitest';
import { layoutPage } from '../../../../src/content/parsers/pdf/page/page-layout.ts';
import type { Word } from '../../../../src/content/parsers/pdf/types.ts';
import { EMPTY_PAGE } from './empty-page.ts';

const style = { size: 10, bold: false, italic: false, monospaced: false };
/** Words at multiples of six points, in lines of text in which each character is as wide. */
const wordsOf = (lines: readonly string[]): Word[] =>
  lines.flatMap((line, y) =>
    Array.from(line.matchAll(/\S+/g), ({ 0: text, index }): Word => {
      const [left, top] = [60 + 6 * index, 100 + 13 * y];
      return {
        left,
        right: left + 6 * text.length,
        top,
        bottom: top + 10,
        text,
        style,
        run: y,
        isSpaced: true,
      };
    }),
  );

test.each([
  [
    'a tree',
    [
      '├── reader     model      blocks',
      '├── writer     markdown   lines',
      '├── checker    schema     errors',
      '└── sender     queue      retries',
    ],
  ],
  [
    'a table',
    [
      '│ station   │ trains │ noise │',
      '│ Harbour   │ 12     │ 61 dB │',
      '│ Market    │ 30     │ 68 dB │',
      '│ Town hall │ 28     │ 57 dB │',
    ],
  ],
])('%s that is drawn with characters is no table of the page', (_, lines) => {
  expect(layoutPage(EMPTY_PAGE, wordsOf(lines)).map(({ kind }) => kind)).not.toContain('table');
  const plain = lines.map((line) => line.replace(/[│├└─]/g, ' '));
  expect(layoutPage(EMPTY_PAGE, wordsOf(plain)).map(({ kind }) => kind)).toContain('table');
});
