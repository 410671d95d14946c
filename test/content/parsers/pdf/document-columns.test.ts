import { describe, expect, test } from 'vitest';
import { isSegment } from '../../../../src/content/parsers/pdf/page/column-items.ts';
import { cutAtStrips } from '../../../../src/content/parsers/pdf/page/cut-segments.ts';
import { toSegment } from '../../../../src/content/parsers/pdf/page/segments.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const prose = (x: number, y: number, rows: number, name: string) =>
  textLines(
    x,
    y,
    Array.from({ length: rows }, (_, row) => `${name} ${row} came over the old bridge today`),
  );

const rowsOf = (x: number, y: number, pitch: number, rows: string[][], width = 70): PlacedText[] =>
  rows.flatMap((cells, row) =>
    cells.map((text, place) => ({ x: x + width * place, y: y + pitch * row, text, size: 10 })),
  );

const values = (name: string, rows: number, first = 0) =>
  Array.from({ length: rows }, (_, row) => [
    `${name}${first + row}`,
    `${first + row + 3}`,
    `${(first + row) * 7 + 12}`,
  ]);

const htmlOf = async (...pages: PlacedText[][]) =>
  (await pdfToHtml(writePdf(pages.map((texts) => ({ texts }))))).html;

/** A page of two columns of text, by which the document has them. */
const columns = [...prose(60, 60, 30, 'Cart'), ...prose(320, 60, 30, 'Rider')];

test('tables with level rows in the two columns of a PDF are two where other pages have these columns', async () => {
  const html = await htmlOf(columns, [
    ...prose(60, 60, 3, 'Wagon'),
    ...rowsOf(60, 120, 20, values('north', 12)),
    ...rowsOf(320, 60, 20, values('south', 15)),
  ]);
  expect(html).toContain('<tr><td>north3</td><td>6</td><td>33</td></tr>');
  expect(html).toContain('<tr><td>south3</td><td>6</td><td>33</td></tr>');
  expect(html.indexOf('north11')).toBeLessThan(html.indexOf('south0'));
});

test('a few lines beside a table are a column of a PDF where other pages have these columns', async () => {
  const html = await htmlOf(
    columns,
    [...prose(60, 60, 20, 'Wagon'), ...prose(320, 60, 20, 'Walker')],
    [...rowsOf(60, 60, 20, values('north', 6)), ...prose(320, 60, 3, 'Miller')],
  );
  expect(html).toContain('<tr><td>north3</td><td>6</td><td>33</td></tr>');
  expect(html.indexOf('north5')).toBeLessThan(html.indexOf('Miller 0'));
});

test('a table as wide as the page stays one table in a PDF of two columns', async () => {
  const html = await htmlOf(
    columns,
    [...prose(60, 60, 20, 'Wagon'), ...prose(320, 60, 20, 'Walker')],
    [
      ...rowsOf(60, 60, 20, values('north', 10), 140),
      ...prose(60, 300, 20, 'Baker'),
      ...prose(320, 300, 20, 'Smith'),
    ],
  );
  expect(html).toContain('<tr><td>north3</td><td>6</td><td>33</td></tr>');
  expect(html.indexOf('Baker 19')).toBeLessThan(html.indexOf('Smith 0'));
});

test('a table of a PDF that goes on in the next column is one table', async () => {
  const html = await htmlOf([
    ...prose(60, 60, 30, 'Cart'),
    ...rowsOf(60, 460, 20, [['Name', 'Count', 'Price'], ...values('north', 12)]),
    ...rowsOf(320, 60, 20, [['Name', 'Count', 'Price'], ...values('north', 8, 12)]),
    ...prose(320, 260, 30, 'Rider'),
  ]);
  expect(html.match(/<table/g)).toHaveLength(1);
  expect(html.match(/Price/g)).toHaveLength(1);
  expect(html).toContain(
    '<tr><td>north11</td><td>14</td><td>89</td></tr>\n<tr><td>north12</td><td>15</td><td>96</td></tr>',
  );
});

test('tables of a PDF with the same head that begin side by side are two', async () => {
  const html = await htmlOf([
    ...prose(60, 60, 20, 'Cart'),
    ...prose(320, 60, 20, 'Rider'),
    ...rowsOf(60, 330, 20, [['Name', 'Count', 'Price'], ...values('north', 5)]),
    ...rowsOf(320, 330, 20, [['Name', 'Count', 'Price'], ...values('south', 5)]),
    ...prose(60, 480, 20, 'Wagon'),
    ...prose(320, 480, 20, 'Walker'),
  ]);
  expect(html.match(/<table/g)).toHaveLength(2);
});

describe('a part of a line over the strip between two columns of a PDF', () => {
  const style = { size: 10, bold: false, italic: false, monospaced: false };
  const segment = (...words: [text: string, left: number, right: number][]) =>
    toSegment(
      words.map(([text, left, right]) => ({ text, left, right, top: 60, bottom: 70, style, run: 1 })),
    );
  const textsOf = (line: ReturnType<typeof segment>, strips: { left: number; right: number }[]) =>
    cutAtStrips([line], strips).map((item) =>
      isSegment(item) ? item.words.map(({ text }) => text).join(' ') : '',
    );

  test('is cut, as a number is that looks like that of the item beside it', () => {
    const strips = [{ left: 250, right: 280 }];
    expect(textsOf(segment(['2)', 241, 249.5], ['Rider', 280, 310], ['8', 313, 318]), strips)).toEqual([
      '2)',
      'Rider 8',
    ]);
    const three = [
      { left: 150, right: 170 },
      { left: 300, right: 320 },
    ];
    expect(textsOf(segment(['a)', 140, 150], ['b)', 170, 180], ['c)', 320, 330]), three)).toEqual([
      'a)',
      'b)',
      'c)',
    ]);
  });

  test('is whole where it has a word in the strip, or a space of a line as wide as the page', () => {
    const strips = [{ left: 250, right: 280 }];
    expect(textsOf(segment(['A', 230, 248], ['wide', 252, 275], ['line', 281, 300]), strips)).toEqual([
      'A wide line',
    ]);
    expect(textsOf(segment(['A', 230, 262], ['line', 270, 300]), strips)).toEqual(['A line']);
  });
});
