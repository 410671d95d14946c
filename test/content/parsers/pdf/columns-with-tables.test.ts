import { expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const prose = (x: number, y: number, rows: number, name: string) =>
  textLines(
    x,
    y,
    Array.from({ length: rows }, (_, row) => `${name} ${row} came over the old bridge today`),
  );

/** A table without rules, whose rows are as far apart as `pitch` says. */
const table = (x: number, y: number, pitch: number, name: string): PlacedText[] =>
  Array.from({ length: 8 }, (_, row) => [`${name}${row}`, `${row + 3}`, `${row * 7 + 12}`]).flatMap(
    (cells, row) => cells.map((text, place) => ({ x: x + 70 * place, y: y + pitch * row, text, size: 10 })),
  );

const htmlOf = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;

test('tables in two columns of a PDF are no cells of one table', async () => {
  const html = await htmlOf([
    ...prose(60, 60, 14, 'Cart'),
    ...table(60, 240, 19, 'north'),
    ...prose(60, 400, 16, 'Wagon'),
    ...prose(320, 60, 10, 'Rider'),
    ...table(320, 190, 23, 'south'),
    ...prose(320, 390, 16, 'Walker'),
  ]);
  const places = ['Cart 13', 'north7', 'Wagon 15', 'Rider 9', 'south7', 'Walker 15'].map((text) =>
    html.indexOf(text),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(html).toContain('<tr><td>north3</td><td>6</td><td>33</td></tr>');
  expect(html).toContain('<tr><td>south3</td><td>6</td><td>33</td></tr>');
});

test('a table across two columns of a PDF stays one table', async () => {
  const html = await htmlOf([
    ...prose(60, 60, 18, 'Cart'),
    ...prose(320, 60, 18, 'Rider'),
    ...table(60, 300, 20, 'north').map((cell) => ({ ...cell, x: 60 + 2 * (cell.x - 60) })),
    ...prose(60, 480, 18, 'Wagon'),
    ...prose(320, 480, 18, 'Walker'),
  ]);
  expect(html).toContain('<tr><td>north3</td><td>6</td><td>33</td></tr>');
});
