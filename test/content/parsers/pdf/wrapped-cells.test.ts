import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, type PlacedText, writePdf } from './pdf-writer.ts';

const convert = async (page: PdfPageContent) => (await pdfToHtml(writePdf([page]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
type Row = readonly (string | readonly string[])[];
const linesOf = (cell: string | readonly string[]) => (typeof cell === 'string' ? [cell] : cell);
const joined = (rows: readonly Row[]) => rows.map((row) => row.map((cell) => linesOf(cell).join(' ')));
/** Cells at the given positions, with lines at one distance and rows at another one. */
const place = (xs: readonly number[], rows: readonly Row[], [line, step]: [number, number], top = 100) => {
  let y = top;
  return rows.flatMap((row) => {
    const texts = row.flatMap((cell, column) =>
      linesOf(cell).map((text, at): PlacedText => ({ x: xs[column] as number, y: y + line * at, text })),
    );
    y += line * (Math.max(...row.map((cell) => linesOf(cell).length)) - 1) + step;
    return texts.filter(({ text }) => text !== '');
  });
};

describe('rows of a table that are hardly farther apart than the lines of its cells', () => {
  test.each([
    [
      'two lines in each row',
      [60, 160, 230],
      [
        ['Channel', 'Medium', 'Examples'],
        [
          ['Direct', 'contact'],
          ['Physical or', 'digital'],
          ['meetings and talks with', 'those who ask'],
        ],
        [
          ['Indirect', 'contact'],
          ['Mostly', 'digital'],
          ['websites, videos and', 'letters of news'],
        ],
        [
          ['Sent', 'things'],
          ['Physical', 'only'],
          ['brochures and posters on', 'good paper'],
        ],
        [
          ['Festive', 'days'],
          ['Physical or', 'digital'],
          ['talks, seminars and one', 'training day'],
        ],
      ],
    ],
    [
      'one to three lines in a row',
      [60, 130, 280],
      [
        [['Birds'], ['Counted each day at', 'noon, and in summer', 'once more'], 'Anna'],
        [['Boats'], ['Counted when they pass', 'the mole'], 'Bert'],
        [['Sheep'], ['Counted on the dyke by', 'the ranger, who knows', 'them all'], 'Carl'],
        [['Trees'], ['Counted every ten', 'years'], 'Dora'],
        [['Stones'], ['Not counted by anybody', 'until now'], 'Emil'],
      ],
    ],
  ] as [string, number[], Row[]][])('stay apart: %s', async (_, xs, rows) => {
    expect(rowsOf(await convert({ texts: place(xs, rows, [14, 15.4]) }))).toEqual(joined(rows));
  });
});

test('a full row that repeats values of the row above is a row of its own', async () => {
  const rows: Row[] = [
    ['Finland', 'N', 'Y', ['A permit is needed for land', 'on the islands, and for', 'shops on it']],
    ['France', 'N', 'Y', 'None'],
    ['Germany', 'N', 'Y', 'None'],
    ['Greece', 'N', 'Y', ['A permit is needed at the', 'border, but only there']],
    ['India', 'N', 'N', ['A permit is needed for all', 'but one house']],
  ];
  // The distances of rows are those of lines, or a little larger.
  const texts = place([60, 120, 150, 180], rows, [14, 15]);
  const moved = texts.map((text) => (text.y > 170 ? { ...text, y: text.y + 1.2 } : text));
  expect(rowsOf(await convert({ texts: moved }))).toEqual(joined(rows));
});

describe('a cell that nearly touches the next one', () => {
  test.each([
    [
      'beside several lines of that one',
      [
        ['Skills', ['To sort waste at home', 'and on journeys, and', 'to lend tools']],
        ['Attitudes and', ['To try new ways to', 'work, and to teach', 'them to others']],
        ['Habits', ['To mend clothes, and', 'to ask before things', 'are bought']],
      ],
    ],
    [
      'below a row that is far above',
      [
        [
          'Pack',
          [
            'A box with a lid that',
            'keeps bread for a',
            'week, and cake for',
            'two days, and can be',
            'washed and dried in',
            'a machine of any',
            'size.',
          ],
        ],
        ['Who buys it', ['All who bake at home', 'or take bread along', 'to work.']],
        ['Size', ['Small, for a loaf, or', 'large.']],
      ],
    ],
  ] as [string, Row[]][])('is cut where its column ends: %s', async (_, rows) => {
    // In 10 points of Helvetica, the widest labels end about 3 points before the second column.
    const xs = [60, rows.some(([label]) => label === 'Pack') ? 119 : 121];
    const html = await convert({ texts: place(xs, rows, [12.5, 18]) });
    expect(rowsOf(html)).toEqual(joined(rows));
  });
});

describe('a table with rules between its columns and below its head only', () => {
  const ROWS: Row[] = [
    ['Word', 'Kind', 'What it means'],
    ['quay', 'noun', ['a wall at which ships can', 'be loaded']],
    ['moor', 'verb', ['to tie a ship to such a', 'wall, or to a buoy']],
    ['lee', 'noun', 'the side away from the wind'],
  ];
  const xs = [60, 120, 180];
  const strokes = (left: number, top: number, bottom: number): PdfPageContent['strokes'] => [
    [left - 6, top + 6, left + 260, top + 6],
    [left + 54, top - 14, left + 54, bottom],
    [left + 114, top - 14, left + 114, bottom],
  ];

  test('has a cell for each place between the rules', async () => {
    const html = await convert({ texts: place(xs, ROWS, [12, 20]), strokes: strokes(60, 100, 196) });
    expect(rowsOf(html)).toEqual(joined(ROWS));
  });

  test('stays whole beside text in another column', async () => {
    const prose = Array.from(
      { length: 8 },
      (_, line): PlacedText => ({
        x: 350,
        y: 96 + 13 * line,
        text: `Line ${line} of the text beside the table is long`,
      }),
    );
    const html = await convert({
      texts: [...place(xs, ROWS, [12, 20]), ...prose],
      strokes: strokes(60, 100, 196),
    });
    expect(rowsOf(html)).toEqual(joined(ROWS));
  });

  test('is not made of the axes of a chart', async () => {
    const texts = ['12', '8', '4'].map((text, at): PlacedText => ({ x: 60, y: 110 + 30 * at, text }));
    const months = ['May', 'June', 'July'].map((text, at): PlacedText => ({ x: 90 + 50 * at, y: 210, text }));
    const html = await convert({
      texts: [...texts, ...months],
      strokes: [
        [80, 100, 80, 200],
        [80, 200, 260, 200],
      ],
    });
    expect(html).not.toContain('<table');
  });
});
