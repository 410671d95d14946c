import { expect, test } from 'vitest';
import { listMarker, withoutMarker } from '../../../../src/content/parsers/pdf/page/lists.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { styleTable } from '../../../../src/content/parsers/pdf/source/words.ts';
import type { Line, PdfListItem } from '../../../../src/content/parsers/pdf/types.ts';
import { writePdf } from './pdf-writer.ts';

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

test('an item of a PDF whose first line is indented goes on to the left of its bullet', async () => {
  const items = [
    ['- The keeper of the bridge opens the gate at dawn and closes it when the last cart', 72],
    ['has passed, as the town has asked.', 60],
    ['- Whoever comes later waits until morning on the other bank of the river, where an', 72],
    ['inn is open all night.', 60],
  ] as const;
  const texts = items.map(([text, x], row) => ({ x, y: 60 + 12 * row, text, size: 10 }));
  const { html } = await pdfToHtml(writePdf([{ texts }]));
  expect(html).toContain('the last cart has passed, as the town has asked.</li>');
  expect(html).toContain('where an inn is open all night.</li>');
});

test('a paragraph of a PDF whose first line is indented does not belong to the item above it', async () => {
  const texts = [
    {
      x: 60,
      y: 60,
      text: '- The keeper of the bridge opens the gate at dawn and closes it when the last cart has',
    },
    { x: 68, y: 72, text: 'passed' },
    {
      x: 75,
      y: 85,
      text: 'Whoever comes later waits until morning on the other bank of the river, where an inn',
    },
    { x: 50, y: 97, text: 'is open all night.' },
  ].map((text) => ({ ...text, size: 10 }));
  const { html } = await pdfToHtml(writePdf([{ texts }]));
  expect(html).toContain('the last cart has passed</li>');
  expect(html).toMatch(/<p>Whoever comes later .* is open all night.<\/p>/);
});

test('an item of a PDF goes on at the top of the next page', async () => {
  const [first, second] = [
    [
      {
        x: 60,
        y: 700,
        text: '- The keeper of the bridge opens the gate at dawn and closes it when the last',
      },
      { x: 68, y: 712, text: 'cart has passed, as the town has asked him to do since the year of the' },
    ],
    [
      { x: 68, y: 60, text: 'flood, when the old bridge was lost.' },
      { x: 60, y: 72, text: '- Whoever comes later waits.' },
    ],
  ].map((texts) => ({ texts: texts.map((text) => ({ ...text, size: 10 })) }));
  const { html } = await pdfToHtml(writePdf([first ?? { texts: [] }, second ?? { texts: [] }]));
  expect(html).toContain(
    'the year of the flood, when the old bridge was lost.</li><li>Whoever comes later waits.</li>',
  );
});
