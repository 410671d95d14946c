import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, writePdf } from './pdf-writer.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
/** Items with a bullet, one below the other. A text that begins with a space continues the item above. */
const list = (x: number, y: number, items: readonly string[], size = 10): PlacedText[] =>
  items.flatMap((text, place): PlacedText[] => [
    ...(text.startsWith(' ') ? [] : [{ x, y: y + 1.5 * size * place, text: '\x95', size }]),
    { x: x + 1.2 * size, y: y + 1.5 * size * place, text: text.trim(), size },
  ]);
const itemsOf = (html: string) =>
  [...html.matchAll(/<ul>(.*?)<\/ul>/gs)].map(([, items = '']) =>
    [...items.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => item),
  );

describe('two lists with bullets side by side', () => {
  const OURS = ['A boat for each team', 'Life jackets', 'Lunch on the island'];
  const YOURS = ['Shoes that may get wet', 'A hat', 'A towel', 'Something to drink'];

  test('are read one after the other below their headings', async () => {
    const html = await convert([
      { x: 60, y: 90, text: 'We bring', font: 'Helvetica-Bold', size: 13 },
      { x: 310, y: 90, text: 'You bring', font: 'Helvetica-Bold', size: 13 },
      ...list(60, 122, OURS),
      ...list(310, 122, YOURS),
    ]);
    expect(html).not.toContain('<table');
    expect(itemsOf(html)).toEqual([OURS, YOURS]);
    expect(html).toMatch(/We bring.*A boat.*You bring.*Shoes/s);
  });

  test('are one list on one level where nothing stands above them', async () => {
    const html = await convert([
      { x: 60, y: 80, text: 'Before you leave', font: 'Helvetica-Bold', size: 26 },
      ...list(60, 130, ['Close the windows and', ' switch off the heating', 'Take the rubbish out'], 18),
      ...list(320, 130, ['Hang up the keys', 'Sign the book', 'Lock the door'], 18),
    ]);
    expect(html).not.toContain('<table');
    expect(itemsOf(html)).toEqual([
      [
        'Close the windows and switch off the heating',
        'Take the rubbish out',
        'Hang up the keys',
        'Sign the book',
        'Lock the door',
      ],
    ]);
  });
});

test('cells with bullets beside labels stay in the row of their label', async () => {
  const html = await convert(
    [
      ['Skills', 'To sort waste', 'To repair things'],
      ['Values', 'To buy less', 'To teach others'],
      ['Habits', 'To lend tools', 'To mend clothes'],
    ].flatMap(([label, first, second], place): PlacedText[] => [
      { x: 60, y: 100 + 40 * place, text: label as string },
      ...list(160, 100 + 40 * place, [first as string, second as string]),
    ]),
  );
  expect(html.indexOf('To sort waste')).toBeLessThan(html.indexOf('Values'));
});
