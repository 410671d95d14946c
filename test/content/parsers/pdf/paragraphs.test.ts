import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';
import { type TaggedText, writeTaggedPdf } from './tagged-pdf.ts';

const convert = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;
const PROSE = [
  'The committee met on Tuesday to discuss the plan, and agreed after a long debate that the work on',
  'the bridge should begin soon, provided that the weather stays dry for long enough to lay the stones',
  'of the two outer arches before the winter comes and the river rises again.',
];

/** A bullet in the encoding of the file. */
const BULLET = '\u0095';

describe('paragraphs of a PDF', () => {
  test('begin with the numbers of clauses, which have no full stop, and keep their hanging lines', async () => {
    const clause = (y: number, number: string, text: string): PlacedText[] => [
      { x: 60, y, text: number },
      { x: number.includes('.') ? 79 : 71, y, text },
    ];
    const html = await convert([
      ...textLines(60, 60, PROSE),
      ...clause(100, '1', 'TERM'),
      ...clause(
        112,
        '1.1',
        'This agreement begins on the date above and continues for twelve months, or until',
      ),
      { x: 79, y: 124, text: 'one of the parties ends it.' },
      ...clause(136, '1.2', 'Either party may end it with notice.'),
      ...clause(148, '2', 'FEES'),
    ]);
    expect(html.replaceAll('\n', '')).toContain(
      '<p>1 TERM</p><p>1.1 This agreement begins on the date above and continues for twelve months, or until ' +
        'one of the parties ends it.</p><p>1.2 Either party may end it with notice.</p><p>2 FEES</p>',
    );
  });

  test('end with the list before the caption of a table that stands at the bullets', async () => {
    const html = await convert([
      ...textLines(60, 60, PROSE),
      { x: 60, y: 108, text: BULLET },
      { x: 70, y: 108, text: 'Lead at the tap' },
      { x: 60, y: 120, text: BULLET },
      { x: 70, y: 120, text: 'Chlorine after treatment' },
      { x: 60, y: 132, text: 'Results of the northern district', font: 'Helvetica-Oblique' },
    ]);
    expect(html).toContain('Chlorine after treatment</li>');
    expect(html).toMatch(/<\/ul>\s*<p><em>Results/);
  });

  test('are no lines with a text at each edge, such as a position and its years', async () => {
    const html = await convert([
      ...textLines(60, 60, PROSE),
      { x: 60, y: 120, text: 'Engineer, Orbis', font: 'Helvetica-Bold' },
      { x: 440, y: 120, text: '2017 to 2021', font: 'Helvetica-Bold' },
      { x: 60, y: 132, text: 'Physics, Bonn', font: 'Helvetica-Bold' },
      { x: 440, y: 132, text: '2012 to 2015', font: 'Helvetica-Bold' },
      ...textLines(60, 160, PROSE),
    ]);
    expect(html).not.toMatch(/2017 to 2021\s+Physics/);
  });

  test('have their large first letter in its word, and all lines beside it', async () => {
    const html = await convert([
      { x: 60, y: 82, text: 'S', size: 28, font: 'Helvetica-Oblique' },
      ...textLines(82, 70, [
        'ince the library has opened, readers come',
        'on each day of the week, and stay for long',
      ]),
      ...textLines(60, 94, ['enough to read a whole book before they leave it']),
      { x: 60, y: 142, text: 'A', size: 28 },
      ...textLines(84, 130, [
        'bench stands at the gate of the town hall,',
        'where nobody ever sits in the afternoon',
      ]),
      ...textLines(60, 154, ['but for the keeper, who waits for his bus there.']),
    ]);
    expect(html).toContain(
      '<p>Since the library has opened, readers come on each day of the week, and stay for long enough to read',
    );
    expect(html).toContain('A bench stands at the gate of the town hall, where nobody');
  });
});

test('the title of a PDF is a heading, although its tag is that of a paragraph', async () => {
  const texts: TaggedText[] = [
    ['Handbook of bridges', 60, 60],
    ['Stones', 60, 100],
    ...PROSE.map((text, row): TaggedText => [text, 60, 130 + 12 * row]),
    ['Arches', 60, 180],
    ...PROSE.map((text, row): TaggedText => [text, 60, 210 + 12 * row]),
  ];
  const file = writeTaggedPdf(texts, [
    ['P', 0],
    ['H1', 1],
    ['P', 2, 3, 4],
    ['H1', 5],
    ['P', 6, 7, 8],
  ]);
  const large = file
    .toString('latin1')
    .replace('/F0 10 Tf 60 732', '/F0 24 Tf 60 732')
    .replace('/F0 10 Tf 60 692', '/F0 14 Tf 60 692')
    .replace('/F0 10 Tf 60 612', '/F0 14 Tf 60 612');
  const { html } = await pdfToHtml(Buffer.from(large, 'latin1'));
  expect(html).toMatch(/<h1>Handbook of bridges<\/h1>/);
  expect(html).toMatch(/<h1>Stones<\/h1>/);
});

test('the upper number of a fraction is no mark of a footnote', async () => {
  const html = await convert([
    ...textLines(60, 60, PROSE),
    { x: 60, y: 120, text: 'The power is' },
    { x: 124, y: 117, text: '1', size: 7 },
    { x: 124, y: 123, text: '2', size: 7 },
    { x: 132, y: 120, text: 'of the weight that it carries.' },
    { x: 60, y: 700, text: '1', size: 7 },
    { x: 68, y: 700, text: 'The data are in the annex of this report.', size: 8 },
  ]);
  expect(html).not.toContain('footnote');
  expect(html).toContain('The data are in the annex');
});

test('contents whose dots are lost but for one are no table', async () => {
  const entries = ['Introduction', 'Stones', 'Arches and piers', 'Roads', 'Annex'];
  const html = await convert([
    { x: 60, y: 60, text: 'Contents', font: 'Helvetica-Bold', size: 14 },
    ...entries.flatMap((text, row): PlacedText[] => [
      { x: 60, y: 90 + 14 * row, text },
      { x: 500, y: 90 + 14 * row, text: `. ${row + 2}` },
    ]),
  ]);
  expect(html).not.toContain('<table');
  expect(html).toContain('Arches and piers');
});

test('amounts below each other are rows, however close they are', async () => {
  const row = (y: number, ...[label, amount]: [string, string]): PlacedText[] => [
    { x: 300, y, text: label },
    { x: 420, y, text: amount },
  ];
  const items = ['Copper pipe', 'Elbow joint', 'Boiler valve', 'Tape'].flatMap((text, place) => [
    { x: 60, y: 100 + 18 * place, text },
    ...row(100 + 18 * place, `${place + 2} pieces`, `${place + 3}26.00`),
  ]);
  const html = await convert([
    ...items,
    ...row(184, 'Subtotal', '680.25'),
    ...row(197, 'Tax', '136.05'),
    ...row(210, 'Total', '816.30'),
  ]);
  expect(html).toMatch(/Subtotal<\/td><td>680\.25<\/td><\/tr>/);
  expect(html).toMatch(/Total<\/td><td>816\.30<\/td><\/tr>/);
});
