import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
const wordsOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
/**
 * Cells with several lines, in rows that begin 12 points below the row above. The first cells stand a little
 * higher than the last one, as those in another font do.
 */
const rowsOfLines = (xs: readonly number[], rows: readonly (readonly string[][])[]): PlacedText[] => {
  let y = 100;
  return rows.flatMap((cells) => {
    const texts = cells.flatMap((lines, column) =>
      textLines(xs[column] as number, column < cells.length - 1 ? y - 2 : y, lines),
    );
    y += 12 * Math.max(...cells.map(({ length }) => length)) + 12;
    return texts;
  });
};
const joined = (rows: readonly (readonly string[][])[]) =>
  rows.map((row) => row.map((cell) => cell.join(' ')));

describe('a table without rules whose last column is running text', () => {
  const OPTIONS = [
    [['Name'], ['Kind'], ['Default'], ['What it does']],
    [
      ['pause'],
      ['number'],
      ['none'],
      [
        'Waits for so many seconds before the next page',
        'is loaded, which spares the servers of the',
        'site.',
      ],
    ],
    [
      ['depth'],
      ['number'],
      ['three'],
      [
        'How many links away from the first page other',
        'pages may be, of those that the program',
        'follows at all.',
      ],
    ],
    [
      ['format'],
      ['text'],
      ['plain text'],
      [
        'In which form the pages are stored. Others',
        'than plain text take more room on the disk,',
        'but keep tables.',
      ],
    ],
    [
      ['agent'],
      ['text'],
      ['the name'],
      [
        'By which name the program calls itself when',
        'it asks for a page. Some servers refuse names',
        'that they do not know.',
      ],
    ],
    [
      ['proxy'],
      ['URL'],
      ['none'],
      [
        'Through which server requests are sent, also',
        'those for robots.txt, but none to the machine',
        'itself.',
      ],
    ],
  ];

  test('keeps its rows', async () => {
    expect(rowsOf(await convert(rowsOfLines([60, 120, 180, 260], OPTIONS)))).toEqual(joined(OPTIONS));
  });

  test('keeps its rows where the labels have several lines, too', async () => {
    const people = [
      [['Who'], ['Since'], ['What they do']],
      [
        ['Wardens of', 'the island'],
        ['1974'],
        [
          'Count birds and boats, and answer the questions',
          'of visitors, who come between May and the end',
          'of September.',
        ],
      ],
      [
        ['Pilots'],
        ['1902'],
        ['Bring ships that are longer than eighty metres', 'to the quay, in each weather and', 'at night.'],
      ],
      [
        ['Rangers'],
        ['2011'],
        [
          'Mend the dykes after a storm, and look after the',
          'sheep on them, of which there are more than',
          'people.',
        ],
      ],
      [
        ['Teachers of', 'the school'],
        ['1888'],
        [
          'Teach all ages in one room, as there are nine',
          'children, and take them to the mainland for',
          'examinations.',
        ],
      ],
    ];
    expect(rowsOf(await convert(rowsOfLines([60, 160, 220], people)))).toEqual(joined(people));
  });
});

test.each([
  ['its only cell', ['', 'and by boat on Sundays']],
  ['the second of several cells', ['', 'and by boat', '']],
])('a row of a table can have %s in an inner column', async (_, extra) => {
  const rows = [
    ['Oban', 'by train', 'two hours'],
    ['Mull', 'by ferry', 'one hour'],
    ['Iona', 'by bus', 'half a day'],
    extra,
    ['Staffa', 'by boat', 'a day'],
    ['Coll', 'by ferry', 'a day'],
  ];
  const texts = rows.flatMap((row, y) =>
    row.flatMap((text, x): PlacedText[] =>
      text ? [{ x: [60, 140, 280][x] as number, y: 100 + 24 * y, text }] : [],
    ),
  );
  const found = rowsOf(await convert(texts));
  expect(found).toHaveLength(rows.length);
  expect(found[3]?.[1]).toBe(extra[1]);
});

describe('a page with two long columns', () => {
  const sentence = (word: string) => (_: unknown, line: number) =>
    `The ${word} in line ${line} of the text is long enough`;
  const left = Array.from({ length: 20 }, sentence('swan'));
  const right = Array.from({ length: 17 }, sentence('crane'));
  const columns = [...textLines(60, 100, left), ...textLines(320, 100, right)];

  test('has the table below the left column in that column', async () => {
    const table = [
      ['Bird', 'Nests', 'Young'],
      ['Swan', '14', '31'],
      ['Crane', '3', '5'],
    ].flatMap((row, y) => row.map((text, x): PlacedText => ({ x: 90 + 60 * x, y: 366 + 14 * y, text })));
    const words = wordsOf(await convert([...columns, ...table]));
    expect(words.indexOf('Young')).toBeLessThan(words.indexOf('The crane in line 0'));
  });

  test('has a footnote below the left column at its end', async () => {
    const note: PlacedText = { x: 60, y: 380, text: '1 Birds were counted in spring.', size: 7 };
    const words = wordsOf(await convert([...columns, note]));
    expect(words.indexOf('counted in spring')).toBeGreaterThan(words.indexOf('The crane in line 16'));
  });
});

describe('smaller text at the side', () => {
  const TEXT = [
    'The bridge was built when the old ferry could no longer carry all',
    'who wanted to cross. It has nine arches, of which the third one is',
    'wider than the others, as ships went through it until the railway',
    'came to the town. Since then only rowing boats pass below it.',
  ];

  test('of a page is read behind the text that it stands beside', async () => {
    const notes = ['Nine arches are 140 m', 'long, without ramps.', 'Tolls ended in 1923.'];
    const html = await convert([...textLines(60, 100, TEXT, 11), ...textLines(430, 100, notes, 8)]);
    expect(html).not.toContain('<table');
    expect(wordsOf(html)).toContain(TEXT.join(' '));
    expect(wordsOf(html)).toContain(notes.join(' '));
  });

  test('of a letter is read by itself', async () => {
    const sender = ['Anna Miller', 'Town Hall, room 12', 'York YO1 9QN', 'Phone 01904 55'];
    const html = await convert([...textLines(60, 128, sender, 8), ...textLines(170, 120, TEXT, 10)]);
    expect(html).not.toContain('<table');
    expect(wordsOf(html)).toContain(TEXT.join(' '));
    expect(wordsOf(html)).toContain('Anna Miller Town Hall, room 12');
  });
});
