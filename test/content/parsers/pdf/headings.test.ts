import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const PROSE = [
  'The committee met on Tuesday to discuss the plan, and agreed after a long debate that the work on',
  'the bridge should begin soon, provided that the weather stays dry for long enough to lay the stones',
  'of the two outer arches before the winter comes and the river rises again.',
];
const bold = (y: number, text: string, size = 10, x = 60): PlacedText => ({
  x,
  y,
  text,
  size,
  font: 'Helvetica-Bold',
});
const code = (y: number, text: string, size: number): PlacedText => ({
  x: 60,
  y,
  text,
  size,
  font: 'Courier',
});
const convert = async (...pages: PlacedText[][]) =>
  (await pdfToHtml(writePdf(pages.map((texts) => ({ texts }))))).html;

describe('headings of a PDF', () => {
  test('are no labels of boxes, lines of the contents or items with a bullet', async () => {
    const html = await convert([
      bold(60, 'Note'),
      ...textLines(60, 74, PROSE),
      bold(140, '7 Bridges . . 12', 14),
      ...textLines(60, 170, PROSE),
      bold(230, '- Stones of the arch'),
      ...textLines(60, 260, PROSE),
    ]);
    expect(html).not.toMatch(/<h\d>/);
  });

  test('are no entries of the contents, which are bold without dots', async () => {
    const entries = [
      ['1 Stone bridges', '2'],
      ['2 Wooden bridges', '14'],
      ['3 What the river does in spring', '14'],
      ['4 Ropes', '31'],
      ['5 Nails of iron', '40'],
      ['6 Tolls', '112'],
    ].flatMap(([title = '', page = ''], place) => [
      bold(100 + 24 * place, title),
      bold(100 + 24 * place, page, 10, 506 - 5.56 * page.length),
    ]);
    const html = await convert([
      bold(60, 'Contents', 16),
      ...entries,
      bold(290, '1 Stone bridges', 14),
      ...textLines(60, 310, PROSE),
    ]);
    expect(html.match(/<h\d/g)).toHaveLength(2);
    expect(html).toContain('4 Ropes 31');
  });

  test('are lines with a number at their end where these do not ascend', async () => {
    const html = await convert(
      ['Runs 9', 'Goals 4', 'Falls 2'].flatMap((line, place) => {
        const [title = '', count = ''] = line.split(' ');
        const y = 60 + 90 * place;
        return [bold(y, title), bold(y, count, 10, 104), ...textLines(60, y + 14, PROSE)];
      }),
    );
    expect(html.match(/<h\d/g)).toHaveLength(3);
  });

  test('stay apart from each other and from a table where their numbers stand in a column', async () => {
    const row = (y: number, cells: readonly string[]) =>
      cells.map((text, place): PlacedText => ({ x: 60 + 40 * place, y, text }));
    const html = await convert([
      bold(60, '2', 14),
      bold(60, 'Stone bridges of the town', 14, 84),
      bold(84, '2.1', 12),
      bold(84, 'Arches', 12, 92),
      ...textLines(60, 104, PROSE),
      ...['17', '18', '19'].flatMap((number, place) => row(160 + 14 * place, [number, 'Row of stones'])),
      bold(208, '2.2', 10),
      bold(208, 'Nails', 10, 100),
      ...textLines(60, 228, PROSE),
    ]);
    expect(html).toContain('<h1>2 Stone bridges of the town</h1>');
    expect(html).toContain('<h2>2.1 Arches</h2>');
    expect(html).toContain('<h2>2.2 Nails</h2>');
    expect(html.match(/<tr>/g)).toHaveLength(3);
  });

  test('are no names of groups in a table', async () => {
    const row = (y: number, cells: readonly string[], font?: PlacedText['font']) =>
      cells.map((text, place): PlacedText => ({ x: 60 + 140 * place, y, text, ...(font && { font }) }));
    const html = await convert([
      ...row(60, ['Item', 'Amount', 'Year'], 'Helvetica-Bold'),
      bold(76, '1.1 Bridges'),
      ...row(92, ['Stones', '120', '2024']),
      ...row(108, ['Nails', '80', '2025']),
      bold(124, '1.2 Roads'),
      ...row(140, ['Sand', '40', '2024']),
      ...row(156, ['Tar', '30', '2025']),
    ]);
    expect(html.match(/<tr>/g)).toHaveLength(7);
    expect(html).not.toMatch(/<h\d/);
  });

  test('may end with a full stop if they are a line of their own', async () => {
    const html = await convert([
      bold(60, 'Observations from the bridge (1571-1630).'),
      ...textLines(60, 74, PROSE),
    ]);
    expect(html).toMatch(/<h1>Observations/);
  });

  test('stay apart from the heading below, but keep their own second line', async () => {
    const html = await convert([
      bold(60, 'Overview'),
      bold(78, 'What is built'),
      ...textLines(60, 96, PROSE),
      bold(
        160,
        '2.7 Indexes of bridges, and how to choose and change parts of the data about the bridges of a',
      ),
      bold(172, 'town', 10, 76.7),
      ...textLines(60, 190, PROSE),
    ]);
    expect(html).toContain('>Overview</h');
    expect(html).toContain('>What is built</h');
    expect(html).toContain('bridges of a town</h');
  });

  test('stay apart in larger type, too, where no other lines have it', async () => {
    const html = await convert([
      ...textLines(60, 60, PROSE),
      { x: 60, y: 130, text: 'Overview', size: 15 },
      { x: 60, y: 162, text: 'What is built', size: 15 },
      ...textLines(60, 190, PROSE),
    ]);
    expect(html).toContain('>Overview</h');
    expect(html).toContain('>What is built</h');
  });

  test('have the number of the chapter above them', async () => {
    const html = await convert([
      bold(60, 'Chapter 11', 14),
      bold(90, 'Bridges', 20),
      ...textLines(60, 130, PROSE),
    ]);
    expect(html).toContain('<h1>Chapter 11 Bridges</h1>');
  });

  /** Lines in the type of the text, with the given one in their middle. */
  const around = (line: string, below: readonly string[] = PROSE) =>
    convert([
      bold(40, '4.2 Stone bridges', 14),
      ...textLines(60, 60, PROSE),
      ...textLines(60, 120, [line]),
      ...textLines(60, 140, below),
    ]);

  test.each([
    ['4.2.1 Arches', 2],
    ['4.3 Wooden bridges', 1],
    ['4.2.1. Direcciones', 2],
  ])('can have the type of the text if their number is the next one: %s', async (title, level) => {
    expect(await around(title)).toContain(`<h${level}>${title}</h${level}>`);
  });

  test.each([
    ['4.2.2 Arches', 'its number is not the next one'],
    ['4.2.1 Arches are laid by the stonemason.', 'it is a sentence'],
    ['4.2.1 arches of stone', 'it goes on from something else'],
    ['4.2.1 Arches 17', 'it is an entry of the contents'],
  ])('have other type if there is another reason for the number: %s, as %s', async (line) => {
    expect((await around(line)).match(/<h\d/g)).toHaveLength(1);
  });

  test('have other type than the items of a list with numbers', async () => {
    expect((await around('4.2.1 Arches', ['4.2.2 Nails', '4.2.3 Ropes'])).match(/<h\d/g)).toHaveLength(1);
  });

  test('have the levels that their numbers tell, whatever their type is, but not as steps', async () => {
    const titles: [string, number][] = [
      ['Bridges of the town', 20],
      ['1 Stone', 13],
      ['1.1 Arches', 13],
      ['1.2 Nails', 11],
      ['3. Hammer them in', 11],
      ['2 Wood', 13],
      ['2.1 Ropes', 13],
      ['2.1.1 Knots', 13],
    ];
    const html = await convert(
      titles.flatMap(([title, size], place) => {
        const y = 50 + 80 * place;
        return [bold(y, title, size), ...textLines(60, y + 16, PROSE)];
      }),
    );
    expect(html.match(/<h\d>[^<]*/g)).toEqual([
      '<h1>Bridges of the town',
      '<h2>1 Stone',
      '<h3>1.1 Arches',
      '<h3>1.2 Nails',
      '<h3>3. Hammer them in',
      '<h2>2 Wood',
      '<h3>2.1 Ropes',
      '<h4>2.1.1 Knots',
    ]);
  });

  test('can be printed like code, but larger', async () => {
    const html = await convert([
      code(60, 'bridge.open(gate, options)', 12),
      ...textLines(60, 80, PROSE),
      code(130, 'const gate = bridge.gate(7);', 8.5),
      ...textLines(60, 160, PROSE),
    ]);
    expect(html).toContain('<h1>bridge.open(gate, options)</h1>');
    expect(html).toContain('<pre><code>const gate = bridge.gate(7);</code></pre>');
  });

  test('are no examples in the size of the text, above smaller listings', async () => {
    const html = await convert([
      bold(40, 'Gates', 14),
      ...textLines(60, 60, PROSE),
      code(100, 'bridge.open(gate, options)', 10),
      ...textLines(60, 124, PROSE),
      ...[0, 1, 2].map((line) => code(200 + 10 * line, `const gate = bridge.gate(${line});`, 8)),
    ]);
    expect(html).toContain('<pre><code>bridge.open(gate, options)</code></pre>');
  });
});

test('code that goes on at the top of the next page is one block', async () => {
  const code = (y: number, text: string): PlacedText => ({ x: 60, y, text, size: 9, font: 'Courier' });
  const html = await convert(
    [...textLines(60, 60, PROSE), code(700, 'for (const arch of arches) {'), code(711, '  lay(arch);')],
    [code(60, '}'), code(71, 'close();'), ...textLines(60, 110, PROSE)],
  );
  expect(html).toContain('for (const arch of arches) {\n  lay(arch);\n}\nclose();</code>');
});
