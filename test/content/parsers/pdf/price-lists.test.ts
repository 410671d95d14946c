import { expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, writePdf } from './pdf-writer.ts';

/** Lines of a menu in one column. Those with a price have it at the right edge. */
const column = (left: number, lines: readonly (readonly [string, string?])[]): PlacedText[] =>
  lines.flatMap(([text, price], place): PlacedText[] => {
    const y = 120 + 14 * place;
    const width = price ? 5.56 * (price.length - 1) + 2.78 : 0;
    return [{ x: left, y, text }, ...(price ? [{ x: left + 190 - width, y, text: price }] : [])];
  });

test('each column of a menu with prices at the right is read by itself', async () => {
  const texts = [
    ...column(60, [
      ['Soups'],
      ['Pumpkin soup', '7.50'],
      ['with roasted seeds'],
      ['Beef broth', '6.80'],
      ['with pancake strips'],
      ['Fish soup', '8.20'],
      ['with saffron'],
    ]),
    ...column(300, [
      ['Plaice', '23.50'],
      ['bacon, brown shrimps'],
      ['Goulash', '16.00'],
      ['red cabbage, dumplings'],
      ['Risotto', '18.20'],
      ['aged parmesan, thyme'],
      ['Omelette', '12.40'],
    ]),
  ];
  const { html } = await pdfToHtml(writePdf([{ texts }]));
  const words = html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  const dishes = ['Pumpkin soup 7.50', 'Beef broth 6.80', 'Fish soup 8.20', 'Plaice 23.50', 'Goulash 16.00'];
  const places = dishes.map((dish) => words.indexOf(dish));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
