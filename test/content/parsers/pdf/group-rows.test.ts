import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, writePdf } from './pdf-writer.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
/** Cells at the given positions, one row every 13 points. */
const grid = (xs: readonly number[], rows: readonly (readonly string[])[]): PlacedText[] =>
  rows.flatMap((row, y) =>
    row.flatMap((text, x) => (text ? [{ x: xs[x] as number, y: 100 + 13 * y, text }] : [])),
  );

describe('a table without rules whose rows have groups', () => {
  const SHOPS = [
    ['Code', 'Shop', 'Town', 'Open'],
    ['Groceries and drinks', '', '', ''],
    ['A1', 'Miller and Daughters', 'Dundee', '8 to 20'],
    ['A2', 'The Corner', 'Perth', '7 to 22'],
    ['A3', 'Harbour Stores', 'Oban', '6 to 19'],
    ['Books', '', '', ''],
    ['B1', 'Old Pages', 'Perth', '10 to 18'],
    ['B2', 'Reading Room by the Sea', 'Oban', '9 to 17'],
  ];

  test('is one table with a row for the name of each group', async () => {
    expect(rowsOf(await convert(grid([60, 90, 210, 255], SHOPS)))).toEqual(SHOPS);
  });

  test('keeps names that go over its first gap, and groups of two rows with narrow gaps', async () => {
    const parts = [
      ['No.', 'Part', 'Made of', 'Kilos'],
      ['Front of the machine', '', '', ''],
      ['11', 'Hood', 'Steel', '4.1'],
      ['12', 'Handle', 'Brass', '0.3'],
      ['13', 'Window', 'Glass', '2.2'],
      ['Rear of the machine', '', '', ''],
      ['21', 'Cover', 'Steel', '3.8'],
      ['22', 'Fan', 'Plastic', '0.9'],
    ];
    expect(rowsOf(await convert(grid([60, 82, 126, 167], parts)))).toEqual(parts);
  });

  test('ends at a title in a larger size, and at a line of text far from it', async () => {
    const [head, , ...rows] = SHOPS as [string[], string[], ...string[][]];
    const between: PlacedText = { x: 60, y: 190, text: 'Shops of the islands', size: 13 };
    const below = grid([60, 90, 210, 255], rows).map((cell) => ({ ...cell, y: cell.y + 108 }));
    const html = await convert([...grid([60, 90, 210, 255], [head, ...rows.slice(0, 3)]), between, ...below]);
    expect(html.match(/<table>/g)).toHaveLength(2);
    expect(rowsOf(html).flat()).not.toContain('Shops of the islands');
  });
});

test('rows of amounts close together stay apart where each row has a number of its own', async () => {
  const rows = [
    ['No.', 'Party', 'Seats', 'Votes'],
    ['1', 'Farmers', '652', '8,008'],
    ['2', 'Weavers', '649', '3,679'],
    ['3', 'Ferrymen', '415', '9,407'],
    ['4', 'Bakers', '350', '8,340'],
    ['5', 'Printers', '288', '4,634'],
  ];
  const tops = [100, 118, 136, 149, 167, 180];
  const texts = rows.flatMap((row, y) =>
    row.map((text, x): PlacedText => ({ x: [60, 90, 180, 240][x] as number, y: tops[y] as number, text })),
  );
  expect(rowsOf(await convert(texts))).toEqual(rows);
});
