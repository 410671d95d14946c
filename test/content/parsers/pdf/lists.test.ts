import { expect, test } from 'vitest';
import { listMarker, withoutMarker } from '../../../../src/content/parsers/pdf/page/lists.ts';
import { styleTable } from '../../../../src/content/parsers/pdf/source/words.ts';
import type { Line, PdfListItem } from '../../../../src/content/parsers/pdf/types.ts';

const style = styleTable()('', 10);

/** A line of words, each of which is 50 points wide. */
function lineOf(texts: readonly string[]): Line {
  const words = texts.map((text, place) => ({
    text,
    style,
    run: 0,
    left: 60 * place,
    right: 60 * place + 50,
    top: 0,
    bottom: 10,
  }));
  return { left: 0, right: 60 * texts.length, top: 0, bottom: 10, style, words };
}

test('an item can begin within a phrase, which OCR returns as one word', () => {
  const line = lineOf(['4. A Jewel in the Crown', '19']);
  expect(listMarker(line, '4. A Jewel in the Crown 19')).toBe('4.');
  const item = { kind: 'item', ...line, page: 1, lines: [line], marker: '4.', depth: 0, ordered: true };
  const [first] = withoutMarker(item as PdfListItem);
  expect(first?.words.map(({ text }) => text)).toEqual(['A Jewel in the Crown', '19']);
});

test.each([[['4.5 metres', 'long']], [['1984 was', 'cold']], [['4.', '']]])(
  'a number such as that of %j does not begin an item',
  (texts) => {
    expect(listMarker(lineOf(texts), texts.join(' ').trim())).toBeUndefined();
  },
);
