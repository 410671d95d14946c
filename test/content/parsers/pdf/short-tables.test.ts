import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
/** The width of an amount in 10 points of Helvetica. */
const widthOf = (amount: string) =>
  [...amount].reduce((sum, sign) => sum + (/[.,]/.test(sign) ? 2.78 : 5.56), 0);

describe('a head and one row', () => {
  const HEAD = ['Name', 'Lines', 'Years'];

  test.each([
    ['that begin at the same positions', ['Jane Miller', '372,317', '2006 to 2019']],
    ['of which one column ends at the same position', ['Jane Miller', '72,317', '2006 to 2019']],
  ])('%s are a table', async (_, row) => {
    const lefts = [60, 240, 380];
    const texts = [HEAD, row].flatMap((cells, y) =>
      cells.map((text, x): PlacedText => ({ x: lefts[x] as number, y: 100 + 16 * y, text })),
    );
    expect(rowsOf(await convert(texts))).toEqual([HEAD, row]);
  });

  test('are no table where the texts stand at different positions', async () => {
    const texts = [
      { x: 60, y: 100, text: 'Minutes' },
      { x: 230, y: 100, text: 'Club house' },
      { x: 420, y: 100, text: '2026' },
      { x: 66, y: 116, text: 'Board' },
      { x: 252, y: 116, text: 'Room 4' },
      { x: 436, y: 116, text: 'May' },
    ];
    expect(await convert(texts)).not.toContain('<table');
  });
});

describe('two lines with an amount at the right', () => {
  const priced = (entries: [string, string][], right: number) =>
    entries.flatMap(([label, amount], place): PlacedText[] => [
      { x: 60, y: 100 + 13 * place, text: label },
      { x: right - widthOf(amount), y: 100 + 13 * place, text: amount },
    ]);

  test.each([
    ['Pike in lemon butter with lentils', '23.50', 'Risotto', '7.00'],
    ['Carriage by rail to Wick', '1,204.00', 'Insurance of the goods', '88.75'],
  ])('stay apart: %s', async (first, one, second, two) => {
    const html = await convert(
      priced(
        [
          [first, one],
          [second, two],
        ],
        232,
      ),
    );
    expect(html.replace(/<[^>]+>/g, '|')).toContain(`${one}|`);
    expect(html).not.toContain(`${one} ${second}`);
  });

  test('are one paragraph where the amounts are in its text', async () => {
    const lines = [
      'The fee of the first year was not more than 12.50',
      'and that of the second year not more than 14.00',
    ];
    expect(await convert(textLines(60, 100, lines))).toBe(`<p>${lines.join(' ')}</p>`);
  });
});

describe('two tables side by side with the same labels', () => {
  test.each([
    [
      'products',
      [
        ['Weight', '41 kg', '5 kg'],
        ['Height', '74 cm', '81 cm'],
        ['Wood', 'oak, oiled', 'beech'],
        ['Price', '1,090', '189'],
      ],
    ],
    [
      'people',
      [
        ['Name', 'Anna Smith', 'Bert Jones'],
        ['Born', '1971', '1984'],
        ['Town', 'Perth', 'Dundee'],
      ],
    ],
  ])('are two tables: %s', async (_, rows) => {
    const texts = rows.flatMap(([label, own, other], y): PlacedText[] =>
      [label, own, label, other].map((text, x) => ({
        x: [60, 130, 300, 370][x] as number,
        y: 100 + 15 * y,
        text: text as string,
      })),
    );
    const html = await convert(texts);
    expect(html.match(/<table>/g)).toHaveLength(2);
    expect(rowsOf(html)).toEqual([
      ...rows.map(([label, own]) => [label, own]),
      ...rows.map(([label, , other]) => [label, other]),
    ]);
  });
});
