import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const htmlOf = async (texts: PlacedText[]) => (await pdfToHtml(writePdf([{ texts }]))).html;

const at = (y: number, ...cells: [x: number, text: string, dy?: number][]): PlacedText[] =>
  cells.map(([x, text, dy = 0]) => ({ x, y: y + dy, text, size: 10 }));

describe('rows of a PDF whose cells are centred vertically', () => {
  test('are one row each, where only one row and the head have cells of two lines', async () => {
    const html = await htmlOf([
      ...at(100, [60, 'Pos.'], [90, 'Description'], [330, 'Qty'], [380, 'Unit', -6], [450, 'Amount']),
      ...at(106, [380, 'price']),
      ...at(122, [60, '1'], [90, 'Oak planks, planed'], [330, '12'], [380, '18.40'], [450, '220.80']),
      ...at(138, [60, '2'], [90, 'Screws, box of 200'], [330, '3'], [380, '9.90'], [450, '29.70']),
      ...at(
        160,
        [60, '3'],
        [90, 'Laying the floor in two rooms,', -6],
        [330, '16'],
        [380, '54.00'],
        [450, '864.00'],
      ),
      ...at(166, [90, 'with the old covering removed']),
      ...at(182, [60, '4'], [90, 'Disposal of the old floor'], [330, '1'], [380, '120.00'], [450, '120.00']),
      ...at(198, [60, '5'], [90, 'Oil for the new floor'], [330, '2'], [380, '30.00'], [450, '60.00']),
    ]);
    expect(html).toContain('<th>Unit price</th>');
    expect(html).toContain(
      '<tr><td>3</td><td>Laying the floor in two rooms, with the old covering removed</td><td>16</td><td>54.00</td><td>864.00</td></tr>',
    );
    expect(html).toContain('<tr><td>2</td><td>Screws, box of 200</td><td>3</td>');
  });

  test('are one row each, where several have cells of three lines', async () => {
    const rows = ['North', 'South', 'East', 'West'].flatMap((name, place) => {
      const y = 100 + 44 * place;
      return [
        ...at(
          y,
          [60, name],
          [150, '12.5'],
          [220, 'The gate is opened at dawn', -12],
          [420, `${place + 3} carts`],
        ),
        ...at(y, [220, 'and closed when the last'], [220, 'cart of the day has passed', 12]),
      ];
    });
    const html = await htmlOf([
      ...at(70, [60, 'Gate'], [150, 'Width'], [220, 'Hours'], [420, 'Traffic']),
      ...rows,
    ]);
    expect(html).toContain(
      '<tr><td>South</td><td>12.5</td><td>The gate is opened at dawn and closed when the last cart of the day has passed</td><td>4 carts</td></tr>',
    );
  });
});

describe('paragraphs of a PDF with numbers at their left', () => {
  const text = [
    'The council discussed the condition of the old bridge near the mill and',
    'the cost of its repair in the coming year, for which there is no money.',
  ];
  const paragraphs = (numbers: string[], x: number) =>
    numbers.flatMap((number, place) => [
      ...at(100 + 40 * place, [x, number]),
      ...textLines(x + 40, 100 + 40 * place, text),
    ]);

  test('are no table, as in minutes', async () => {
    const html = await htmlOf(paragraphs(['1.1', '1.2', '1.3'], 60));
    expect(html).not.toContain('<table');
    expect(html).toContain(`<p>1.2 ${text.join(' ')}</p>`);
  });

  test('are no table, as in a law with numbers in its margin', async () => {
    const html = await htmlOf(paragraphs(['41', '42', '43', '44'], 80));
    expect(html).not.toContain('<table');
    expect(html).toContain(`<p>43 ${text.join(' ')}</p>`);
  });

  test('stay a table where the numbers do not follow each other', async () => {
    expect(await htmlOf(paragraphs(['41', '57', '12', '8'], 80))).toContain('<table');
  });
});

describe('lists of prices in several columns of a PDF', () => {
  const list = (x: number, y: number, heading: string, names: string[]): PlacedText[] => [
    { x, y, text: heading, size: 10, font: 'Helvetica-Bold' },
    ...names.flatMap((name, row) => at(y + 14 * (row + 1), [x, name], [x + 100, `${row + 3}.${row}0`])),
  ];

  test('are a table each, three side by side', async () => {
    const html = await htmlOf([
      ...list(60, 100, 'Timber', ['Ash plank', 'Beech board', 'Cedar shingle', 'Elm block', 'Larch beam']),
      ...list(230, 100, 'Metal', ['Brass hinge', 'Copper nail', 'Door handle', 'Iron bracket', 'Key blank']),
      ...list(400, 100, 'Tools', ['Hammer', 'Jig saw', 'Mallet', 'Plane', 'Rasp']),
    ]);
    expect(html.match(/<table/g)).toHaveLength(3);
    const order = ['Timber', 'Larch beam', 'Metal', 'Key blank', 'Tools', 'Rasp'].map((name) =>
      html.indexOf(name),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(html).toContain('<td>Copper nail</td><td>4.10</td>');
  });

  test('are a table each, two side by side with their headings level', async () => {
    const html = await htmlOf([
      ...list(60, 100, 'Soups', ['Onion', 'Leek', 'Tomato', 'Pea']),
      ...list(300, 100, 'Drinks', ['Water', 'Tea', 'Coffee', 'Cider']),
    ]);
    expect(html.match(/<table/g)).toHaveLength(2);
    expect(html.indexOf('Pea')).toBeLessThan(html.indexOf('Drinks'));
  });

  test('stay one table without a heading of their own', async () => {
    const html = await htmlOf(
      ['Onion', 'Leek', 'Tomato', 'Pea'].flatMap((name, row) =>
        at(100 + 14 * row, [60, name], [160, `${row + 3}.00`], [300, `${name} soup`], [420, `${row + 5}.50`]),
      ),
    );
    expect(html).toContain('<td>Leek</td><td>4.00</td><td>Leek soup</td><td>6.50</td>');
  });
});

describe('a line of a PDF that begins with a capital letter and a stop', () => {
  const text = textLines(60, 200, [
    'The keeper of the bridge opens the gate at dawn,',
    'and closes it in the evening.',
  ]);

  test('is a paragraph where it is the initial of a name', async () => {
    const authors = await htmlOf([...at(100, [220, 'A. Brook, B. Stone']), ...text]);
    expect(authors).toContain('<p>A. Brook, B. Stone</p>');
    expect(await htmlOf([...text, ...at(300, [60, 'I. Newton']), ...at(340, [60, 'Keeper'])])).toContain(
      'I. Newton',
    );
  });

  test('is an item where another one follows', async () => {
    const html = await htmlOf([
      ...at(100, [60, 'A. The first condition of the lease is this one.']),
      ...text,
      ...at(300, [60, 'B. The second condition of the lease is this one.']),
    ]);
    expect(html).toMatch(/<li[^>]*>(<p>)?The first condition/);
  });
});
