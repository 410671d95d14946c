import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const convert = async (page: PdfPageContent) => (await pdfToHtml(writePdf([page]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
/** Cells at the given positions of columns, in rows of the given height. */
const grid = (xs: readonly number[], rows: readonly (readonly string[])[], top = 100, height = 14) =>
  rows.flatMap((row, y) =>
    row.flatMap((text, x): PlacedText[] => (text ? [{ x: xs[x] as number, y: top + y * height, text }] : [])),
  );
const fill = (left: number, top: number, width: number, height: number) =>
  `0.9 g ${left} ${792 - top - height} ${width} ${height} re f 0 g`;

const STAFF = [
  ['Name', 'Town', 'Office'],
  ['Anna Smith', 'Dundee West', 'Room 12'],
  ['Bert Miller', 'Perth', 'Room 14'],
  ['Carla Brown', 'Aberdeen', 'Room 9'],
];

describe('tables without rules', () => {
  test('have columns that are only a little farther apart than words', async () => {
    // In 10 points of Helvetica, the widest cells end 5 points before the next column, and a space is 2.8
    // points wide.
    const html = await convert({ texts: grid([60, 121, 187], STAFF) });
    expect(rowsOf(html)).toEqual(STAFF);
  });

  test('do not include the heading or the text above them', async () => {
    const heading: PlacedText = {
      x: 60,
      y: 70,
      size: 16,
      font: 'Helvetica-Bold',
      text: 'Who works here now',
    };
    const html = await convert({ texts: [heading, ...grid([60, 121, 187], STAFF)] });
    expect(html).toContain('<h1>Who works here now</h1>');
    expect(rowsOf(html)).toEqual(STAFF);
  });

  const LEFT = [
    'The committee met on Tuesday to discuss the',
    'plan and agreed that the work on the bridge',
    'should begin soon, provided that the weather',
    'stays dry for long enough to lay the stones.',
  ];
  const RIGHT = [
    'Members of the public may send their remarks',
    'to the office until the end of March, after',
    'which the plan is shown in the town hall for',
    'another four weeks and then goes to a vote.',
  ];
  const BRIDGES = [
    ['Year', 'Bridges', 'Cost', 'Owner'],
    ['2021', '14', '320', 'Town'],
    ['2022', '17', '410', 'State'],
    ['2023', '21', '530', 'Town'],
  ];

  test('stay whole directly below and above two columns of text', async () => {
    const columns = (y: number) => [...textLines(72, y, LEFT), ...textLines(320, y, RIGHT)];
    const html = await convert({
      texts: [...columns(80), ...grid([72, 202, 332, 462], BRIDGES, 134), ...columns(196)],
    });
    expect(rowsOf(html)).toEqual(BRIDGES);
    expect(html).toMatch(/The committee.*Members of.*<table>.*<\/table>.*The committee.*Members of/s);
  });

  test('stay whole if their first cells have two lines and the others one line between these', async () => {
    const xs = [72, 202, 282, 362];
    const tall = (top: number): PlacedText[] => [
      { x: 72, y: top - 6, text: 'The bridges' },
      { x: 72, y: top + 6, text: 'of the town' },
      ...grid(xs, [['', 'long', '12', 'no']], top),
    ];
    const tops = [202, 238, 274, 310, 346];
    const texts = [...grid(xs, BRIDGES, 100, 24), ...tops.flatMap(tall), ...grid(xs, BRIDGES, 376, 24)];
    const row = ['The bridges of the town', 'long', '12', 'no'];
    expect(rowsOf(await convert({ texts }))).toEqual([...BRIDGES, ...tops.map(() => row), ...BRIDGES]);
  });

  test('end above a table with other columns that a wide gap separates from them', async () => {
    const people = [
      ['Mr John Smith', 'Acme Bridges Ltd'],
      ['Town Hall', '1 River Road'],
      ['York', 'London'],
    ];
    const html = await convert({
      texts: [...grid([60, 440], people), ...grid([60, 180, 300, 420], BRIDGES, 164)],
    });
    expect(rowsOf(html)).toEqual([...people, ...BRIDGES]);
    expect(html.match(/<table>/g)).toHaveLength(2);
  });

  test('are not made of two entries of a price list with dot leaders', async () => {
    const entries = ['Apple crumble', 'Ice cream'].map((text) => `${text}${'.'.repeat(40)}5.20`);
    expect(await convert({ texts: textLines(60, 100, entries) })).toBe(
      entries.map((entry) => `<p>${entry}</p>`).join('\n'),
    );
  });

  test('are not made of list items', async () => {
    const items = ['Open the lid', 'Close the lid', 'Lock the lid', 'Paint the lid'];
    const html = await convert({
      texts: grid(
        [60, 75],
        items.map((text, place) => [`${place + 1}.`, text]),
      ),
    });
    expect(html).not.toContain('<table>');
    expect(html.match(/<li>/g)).toHaveLength(4);
  });

  const ENTRIES = [
    'Author’s Note',
    'The Square',
    'The Lost Homeland',
    'Steinkirche',
    'A Crown',
    'The Relatives',
  ];
  /** Entries with a number of their chapter, and page numbers at the given positions. */
  const contents = (right: (place: number) => number, page: (place: number) => number) =>
    ENTRIES.flatMap((title, place): PlacedText[] => [
      { x: 60, y: 100 + 14 * place, text: `${place + 1}. ${title}` },
      { x: right(place), y: 100 + 14 * place, text: String(page(place)) },
    ]);
  const lost = (place: number) => 320 + 23 * ((place * 5) % 7);

  test.each([
    ['whose dot leaders are lost', contents(lost, (place) => 10 * place + 3)],
    [
      'without dot leaders',
      [
        { x: 60, y: 70, size: 16, text: 'Contents' },
        ...contents(
          () => 400,
          (place) => 10 * place + 3,
        ),
      ],
    ],
  ])('are not made of contents %s', async (_, texts) => {
    const html = await convert({ texts });
    expect(html).not.toContain('<table>');
    expect(html.match(/<li>/g)).toHaveLength(ENTRIES.length);
    expect(html).toContain('The Relatives 53');
  });

  test.each([
    [
      'numbers at one position',
      contents(
        () => 400,
        (place) => 10 * place + 3,
      ),
    ],
    [
      'numbers that do not ascend',
      contents(
        () => 400,
        (place) => 60 - 10 * place,
      ),
    ],
  ])('can have %s', async (_, texts) => {
    expect(await convert({ texts })).toContain('<table>');
  });

  test('join the lines of a cell if rows are farther apart than lines', async () => {
    const line = 11.5;
    const texts = [
      ...grid([60, 120, 240], [['Rule', 'Meaning', 'Since']], 100),
      ...grid(
        [60, 120, 240],
        [
          ['First', 'Nobody may park', '1990'],
          ['', 'On the bridge', ''],
        ],
        114,
        line,
      ),
      ...grid(
        [60, 120, 240],
        [
          ['Second', 'Nobody may swim', '1995'],
          ['', 'Below the bridge', ''],
        ],
        140,
        line,
      ),
      ...grid([60, 120, 240], [['Third', 'Dogs may swim', '1999']], 166),
    ];
    expect(rowsOf(await convert({ texts }))).toEqual([
      ['Rule', 'Meaning', 'Since'],
      ['First', 'Nobody may park On the bridge', '1990'],
      ['Second', 'Nobody may swim Below the bridge', '1995'],
      ['Third', 'Dogs may swim', '1999'],
    ]);
  });

  test('have rows whose cells are centred vertically', async () => {
    const rows = [0, 1, 2].flatMap((place) => {
      const y = 100 + place * 32;
      return [
        { x: 60, y: y + 6, text: ['First', 'Second', 'Third'][place] as string },
        ...textLines(140, y, ['Upper line of text', 'lower line of text']),
        { x: 300, y: y + 6, text: `${place + 7} pounds` },
      ];
    });
    expect(rowsOf(await convert({ texts: rows }))).toEqual([
      ['First', 'Upper line of text lower line of text', '7 pounds'],
      ['Second', 'Upper line of text lower line of text', '8 pounds'],
      ['Third', 'Upper line of text lower line of text', '9 pounds'],
    ]);
  });

  test('can consist mostly of the lines of one long cell', async () => {
    const long = Array.from({ length: 14 }, (_, place) => `line ${place} of the rule about the bridge`);
    const texts = [
      ...grid([60, 120, 180], [['Rule', 'Since', 'Text']], 100),
      ...grid([60, 120], [['First', '1990']], 116),
      ...textLines(180, 116, long),
      ...grid([60, 120, 180], [['Second', '1995', 'None']], 116 + 14 * 12 + 4),
    ];
    expect(rowsOf(await convert({ texts }))).toEqual([
      ['Rule', 'Since', 'Text'],
      ['First', '1990', long.join(' ')],
      ['Second', '1995', 'None'],
    ]);
  });

  test('keep the columns below a header cell that spans two of them', async () => {
    const texts = [
      { x: 60, y: 100, text: 'Port' },
      { x: 150, y: 100, text: 'Ships of the year' },
      ...grid(
        [60, 150, 200],
        [
          ['', 'Foreign', 'Home'],
          ['Perth', '12', '140'],
          ['Leith', '9', '85'],
          ['Wick', '3', '70'],
        ],
        114,
      ),
    ];
    const rows = rowsOf(await convert({ texts }));
    expect(rows.slice(-3)).toEqual([
      ['Perth', '12', '140'],
      ['Leith', '9', '85'],
      ['Wick', '3', '70'],
    ]);
  });

  test('are one table if every second row is shaded', async () => {
    const raw = [1, 3].map((place) => fill(55, 90 + place * 14, 200, 14)).join('\n');
    const borders = [1, 3].map((place) => fill(119, 90 + place * 14, 64, 14)).join('\n');
    // Shading is drawn before the text in practice, but only its position counts.
    const html = await convert({ texts: grid([60, 120, 190], STAFF), raw: `${raw}\n${borders}` });
    expect(html.match(/<table>/g)).toHaveLength(1);
    expect(rowsOf(html)).toEqual(STAFF);
  });
});

describe('tables with rules', () => {
  test('keep the space between words that fill a line of a cell', async () => {
    const strokes: PdfPageContent['strokes'] = [
      ...[90, 130, 160].map((y): [number, number, number, number] => [55, y, 260, y]),
      ...[55, 132, 260].map((x): [number, number, number, number] => [x, 90, x, 160]),
    ];
    const texts = [
      ...textLines(60, 104, ['Number of all', 'cars']),
      { x: 140, y: 104, text: 'Year' },
      { x: 60, y: 145, text: '12' },
      { x: 140, y: 145, text: '1990' },
    ];
    expect(rowsOf(await convert({ texts, strokes }))).toEqual([
      ['Number of all cars', 'Year'],
      ['12', '1990'],
    ]);
  });
});

describe('lines', () => {
  test('stay together if justification makes their spaces as wide as gaps between columns', async () => {
    const left = ['One two three four', 'five six seven eight', 'nine ten eleven one', 'two three four five'];
    const spread = (x: number, y: number, text: string): PlacedText[] => {
      let at = x;
      return text.split(' ').map((word) => {
        const placed = { x: at, y, text: word, font: 'Courier' as const };
        at += 6 * word.length + 14;
        return placed;
      });
    };
    const texts = left.flatMap((text, place) => [
      ...spread(60, 100 + 12 * place, text),
      ...spread(330, 100 + 12 * place, `${text} more`),
    ]);
    const html = await convert({ texts: texts.map(({ font, ...text }) => ({ ...text, size: 10, font })) });
    expect(html).not.toContain('<table>');
  });

  test('have the size that the text matrix gives them', async () => {
    const draw = (text: string, y: number, size: number) =>
      `BT /F0 1 Tf ${size} 0 0 ${size} 60 ${792 - y} Tm (${text}) Tj ET`;
    const lines = [
      'The committee met on Tuesday to discuss the plan and',
      'agreed that the work should begin soon.',
    ];
    const raw = [
      draw('About bridges', 80, 18),
      ...lines.map((text, place) => draw(text, 110 + 12 * place, 10)),
    ];
    expect(await convert({ texts: [], raw: raw.join('\n') })).toBe(
      `<h1>About bridges</h1>\n<p>${lines.join(' ')}</p>`,
    );
  });
});

test('tables with rules between their cells, but none at their sides, have all columns', async () => {
  const texts = grid([66, 160, 290], STAFF, 100, 20);
  const strokes = [
    ...[86, 106, 126, 146, 166].map((y): [number, number, number, number] => [60, y, 400, y]),
    ...[150, 280].map((x): [number, number, number, number] => [x, 86, x, 166]),
  ];
  const html = await convert({ texts, strokes });
  expect(rowsOf(html)).toEqual(STAFF);
});

test('a long word in a column of a table without rules does not join it with the next one', async () => {
  // "Maharashtra West" ends 2 points before the second column.
  const rows = [
    ['State', 'Clauses', 'Product'],
    ['Gujarat', '1469', '15.6'],
    ['Punjab', '1273', '5.3'],
    ['Maharashtra West', '1210', '26.3'],
    ['Karnataka', '1175', '15.4'],
    ['Tamil Nadu', '1043', '16.3'],
  ];
  const html = await convert({ texts: grid([60, 144, 220], rows) });
  expect(rowsOf(html)).toEqual(rows);
});
