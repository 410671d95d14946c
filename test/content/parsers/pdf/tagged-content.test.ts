import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type TaggedText, type TagNode, writeTaggedPdf } from './tagged-pdf.ts';

const htmlOf = async (texts: TaggedText[], tree: TagNode[]) =>
  (await pdfToHtml(writeTaggedPdf(texts, tree))).html.replaceAll('\n', '');

describe('tables by their tags', () => {
  const texts: TaggedText[] = [
    ['Item', 60, 100],
    ['Figures of the year', 110, 100],
    ['2023', 110, 114],
    ['2024', 160, 114],
    ['Desks', 60, 128],
    ['10', 110, 128],
    ['12', 110, 142],
    ['14', 160, 142],
    ['Lamps', 60, 156],
    ['16', 160, 156],
    ['Chairs', 60, 170],
    ['18', 110, 170],
    ['20', 160, 170],
  ];
  const cells = (row: TagNode[]): TagNode => ['TR', ...row];
  const tree: TagNode[] = [
    [
      'Table',
      cells([
        ['TH', 0],
        ['TH/A<</O/Table/ColSpan 2>>', 1],
      ]),
      cells([
        ['TH', 2],
        ['TH', 3],
      ]),
      cells([
        ['TD/A<</O/Table/RowSpan 2>>', 4],
        ['TD', 5],
      ]),
      ['TR', ['TD', ['Span', 6]], ['TD', 7]],
      cells([
        ['TD', 8],
        ['TD', 9],
      ]),
      cells([
        ['TD', 10],
        ['TD', 11],
        ['TD', 12],
      ]),
    ],
  ];
  const table =
    '<table><tr><th>Item</th><th colspan="2">Figures of the year</th></tr><tr><td></td><td>2023</td><td>2024</td></tr>' +
    '<tr><td rowspan="2">Desks</td><td>10</td><td></td></tr><tr><td>12</td><td>14</td></tr>' +
    '<tr><td>Lamps</td><td></td><td>16</td></tr>' +
    '<tr><td>Chairs</td><td>18</td><td>20</td></tr></table>';

  test('have their spans, and cells that the tags leave out because they are empty', async () => {
    expect(await htmlOf(texts, tree)).toBe(table);
  });

  test.each<[string, (texts: TaggedText[]) => TaggedText[]]>([
    [
      'whose rows are not below each other',
      (all) => all.map(([text, x, y], at) => [text, x, at < 2 ? 190 : y]),
    ],
    [
      'whose cells are not beside each other',
      (all) => all.map(([text, x, y], at) => [text, at === 0 ? 300 : x, y]),
    ],
  ])('%s are not taken from the tags', async (_, move) => {
    expect(await htmlOf(move(texts), tree)).not.toContain('colspan');
  });
});

describe('lists by their tags', () => {
  const texts: TaggedText[] = [
    ['', 60, 100],
    ['Chairs of wood', 70, 100],
    ['', 60, 114],
    ['Lamps of glass', 70, 114],
    ['', 80, 128],
    ['with a switch', 90, 128],
  ];

  test('have the bullets that the page draws as shapes', async () => {
    const nested: TagNode = ['L', ['LI', ['Lbl', 4], ['LBody', 5]]];
    const html = await htmlOf(texts, [
      ['L', ['LI', ['Lbl', 0], ['LBody', 1]], ['LI', ['Lbl', 2], ['LBody', 3, nested]]],
    ]);
    expect(html).toBe(
      '<ul><li>Chairs of wood</li><li>Lamps of glass<ul><li>with a switch</li></ul></li></ul>',
    );
  });

  test('are lists without bullets and labels, too, but not if their items stand side by side', async () => {
    const items = ['Chairs of wood', 'Lamps of glass', 'Tables'];
    const tree: TagNode[] = [['L', ['LI', 0], ['LI', 1], ['LI', ['LBody', 2]]]];
    expect(
      await htmlOf(
        items.map((text, place): TaggedText => [text, 70, 100 + 14 * place]),
        tree,
      ),
    ).toBe('<ul><li>Chairs of wood</li><li>Lamps of glass</li><li>Tables</li></ul>');
    expect(
      await htmlOf(
        items.map((text, place): TaggedText => [text, 70 + 76 * place, 100]),
        tree,
      ),
    ).not.toContain('<li>');
  });

  test('have no second bullet where the label is text', async () => {
    const drawn = texts.map(([text, x, y]): TaggedText => [text || '-', x, y]).slice(0, 4);
    const html = await htmlOf(drawn, [
      ['L', ['LI', ['Lbl', 0], ['LBody', 1]], ['LI', ['Lbl', 2], ['LBody', 3]]],
    ]);
    expect(html).toBe('<ul><li>Chairs of wood</li><li>Lamps of glass</li></ul>');
  });
});

describe('pictures', () => {
  const texts: TaggedText[] = [
    ['', 60, 300],
    ['', 60, 100],
    ['Bridges of the town', 60, 80],
  ];
  const image = (top: number) => ({
    rect: [60, top, 160, top + 50] as [number, number, number, number],
    width: 20,
    height: 10,
    pixels: Buffer.alloc(200, 100),
  });
  const alternativeTexts = async (tree: TagNode[]) => {
    const { html } = await pdfToHtml(writeTaggedPdf(texts, [['P', 2], ...tree], [image(300), image(100)]), {
      images: true,
    });
    return [...html.matchAll(/<img [^>]*alt="([^"]*)"/g)].map(([, alt]) => alt);
  };

  test('have the alternative texts of their tags, whatever the order of the tags is', async () => {
    const tree: TagNode[] = [
      ['Figure/Alt(The upper bridge)', 1],
      ['Figure/Alt(The lower bridge)', 0],
    ];
    expect(await alternativeTexts(tree)).toEqual(['The upper bridge', 'The lower bridge']);
  });

  test('have none if it is not known which picture a tag belongs to', async () => {
    expect(await alternativeTexts([['Figure/Alt(The lower bridge)', 0]])).toEqual(['', '']);
  });
});
