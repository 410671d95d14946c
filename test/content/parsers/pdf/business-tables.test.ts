import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, type PlacedText, writePdf } from './pdf-writer.ts';

const convert = async (page: PdfPageContent) => (await pdfToHtml(writePdf([page]))).html;
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );
/** The width of a number in 10 points of Helvetica. */
const widthOf = (number: string) => [...number].reduce((sum, sign) => sum + (sign === '.' ? 2.78 : 5.56), 0);
/** A row whose texts begin at the first positions, and whose numbers end at the last ones. */
const row = (y: number, texts: [number, string][], numbers: [number, string][]): PlacedText[] => [
  ...texts.map(([x, text]) => ({ x, y, text })),
  ...numbers.map(([end, text]) => ({ x: end - widthOf(text), y, text })),
];
const rule = (y: number): [number, number, number, number] => [60, y, 420, y];

describe('an invoice', () => {
  const items: [string, string, string, string][] = [
    ['Ball bearing, both sides sealed', '40', '3.15', '126.00'],
    ['Belt, raw edge', '6', '11.90', '71.40'],
    ['Freight', '1', '68.00', '68.00'],
  ];
  const texts = [
    ...row(
      100,
      [
        [60, '#'],
        [88, 'Item'],
        [290, 'Qty'],
        [323, 'Unit price'],
        [407, 'Amount'],
      ],
      [],
    ),
    ...items.flatMap(([text, ...numbers], place) =>
      row(
        118 + 18 * place,
        [
          [60, `${place + 1}`],
          [88, text],
        ],
        numbers.map((number, column) => [[320, 404, 460][column] as number, number]),
      ),
    ),
    ...row(172, [[60, 'Net total']], [[460, '265.40']]),
    ...row(190, [[60, 'Total due']], [[460, '315.83']]),
  ];
  const strokes = [105, 123, 141, 159, 177, 195].map(rule);

  test('has the columns of its values below labels that stand beside them', async () => {
    const rows = rowsOf(await convert({ texts, strokes }));
    expect(rows.slice(0, 4)).toEqual([
      ['#', 'Item', 'Qty', 'Unit price', 'Amount'],
      ...items.map((item, place) => [`${place + 1}`, ...item]),
    ]);
  });

  test('has no column of its own for a label that stands far to the left of its values', async () => {
    const wide = texts.map((text) =>
      text.text === 'Qty' ? { ...text, x: 250 } : text.x > 290 ? { ...text, x: text.x + 30 } : text,
    );
    const rows = rowsOf(await convert({ texts: wide, strokes }));
    expect(rows[0]).toEqual(['#', 'Item', 'Qty', 'Unit price', 'Amount']);
    expect(rows[2]).toEqual(['2', 'Belt, raw edge', '6', '11.90', '71.40']);
  });

  test('keeps the label of a sum that is longer than its column in one cell', async () => {
    const rows = rowsOf(await convert({ texts, strokes }));
    expect(rows.slice(4)).toEqual([
      ['Net total', '', '', '', '265.40'],
      ['Total due', '', '', '', '315.83'],
    ]);
  });

  test('has the row of a table whose label nearly touches its value', async () => {
    const pairs: [string, string][] = [
      ['Invoice no.', '2026-10487'],
      ['Date', '12 November 2026'],
      ['Customer', 'C-20931'],
      ['Due', '26 November 2026'],
    ];
    // In 10 points of Helvetica, the longest label ends 1.9 points before the values.
    const html = await convert({
      texts: pairs.flatMap(([label, value], place) =>
        row(
          100 + 14 * place,
          [
            [300, label],
            [351.4, value],
          ],
          [],
        ),
      ),
    });
    expect(rowsOf(html)).toEqual(pairs);
  });
});

describe('a statement', () => {
  test('does not take the line of text above it into its head', async () => {
    const texts: PlacedText[] = [
      { x: 77, y: 88, text: 'Old balance on 31 August 2026: 1520.33 EUR' },
      ...row(
        101,
        [
          [60, 'Date'],
          [125, 'Text'],
        ],
        [],
      ),
      { x: 300, y: 101, text: 'Debit' },
      { x: 360, y: 101, text: 'Balance' },
      ...['Card payment', 'Standing order', 'Transfer'].flatMap((text, place) =>
        row(
          119 + 18 * place,
          [
            [60, `0${place + 1}.09.2026`],
            [125, text],
          ],
          [
            [325, `12${place}.35`],
            [400, `139${place}.98`],
          ],
        ),
      ),
    ];
    const html = await convert({ texts, strokes: [rule(106)] });
    expect(rowsOf(html)[0]).toEqual(['Date', 'Text', 'Debit', 'Balance']);
    expect(html.slice(0, html.indexOf('<table>'))).toContain('Old balance on 31 August 2026: 1520.33 EUR');
  });
});

describe('a timetable', () => {
  const XS = [55, 130, 160, 190];
  const YS = [90, 140, 160, 180];
  const strokes: PdfPageContent['strokes'] = [
    ...YS.map((y): [number, number, number, number] => [55, y, 190, y]),
    ...XS.map((x): [number, number, number, number] => [x, 90, x, 180]),
  ];
  const times = [
    ['Market', '6.02', '6.32'],
    ['Harbour', '6.21', '6.51'],
  ].flatMap((cells, line) =>
    cells.map((text, column) => ({ x: (XS[column] as number) + 4, y: 154 + 20 * line, text })),
  );

  test.each([
    ['upwards', 90, [128, 106]],
    ['downwards', -90, [98, 122]],
  ] as const)('has the labels that its head writes %s', async (_, angle, [first, second]) => {
    // Programs that turn a label draw each of its words by itself.
    const labels = [1, 2].flatMap((bus): PlacedText[] => [
      { x: 118 + 30 * bus, y: first, text: 'Bus', angle },
      { x: 118 + 30 * bus, y: second, text: `${bus}`, angle },
    ]);
    const html = await convert({ texts: [{ x: 59, y: 134, text: 'Stop' }, ...labels, ...times], strokes });
    expect(rowsOf(html)).toEqual([
      ['Stop', 'Bus 1', 'Bus 2'],
      ['Market', '6.02', '6.32'],
      ['Harbour', '6.21', '6.51'],
    ]);
    expect(html).not.toContain('<p>');
  });
});

test('the distance of cells that have a frame each is no column', async () => {
  // A frame has two lines, as ridges and grooves of HTML have.
  const frames = [60, 122.5, 185].flatMap((x) =>
    [90, 112.5, 135].flatMap((y) => [
      `${x} ${792 - y - 20} 60 20 re S`,
      `${x + 2} ${792 - y - 18} 56 16 re S`,
    ]),
  );
  const cells = [
    ['Name', 'Count', 'Price'],
    ['Motor', '20', '12.50'],
    ['Switch', '5', '39.80'],
  ];
  const texts = cells.flatMap((line, y) =>
    line.map((text, x): PlacedText => ({ x: 64 + 62.5 * x, y: 104 + 22.5 * y, text })),
  );
  expect(rowsOf(await convert({ texts, raw: frames.join('\n') }))).toEqual(cells);
});
