import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, writePdf } from './pdf-writer.ts';

const htmlOfFile = async (name: string) =>
  (await pdfToHtml(await readFile(join(import.meta.dirname, 'files', name)))).html;
const box = (left: number, baseline: number, isChecked: boolean, type = '/FT/Btn') => ({
  rect: [left, baseline - 10, left + 10, baseline] as [number, number, number, number],
  dictionary: `/Subtype/Widget${type}/T(box${left}x${baseline})/V/${isChecked ? 'Yes' : 'Off'}/AS/${isChecked ? 'Yes' : 'Off'}/AP<</N<</Yes null/Off null>>>>/F 4`,
});
const htmlOf = async (page: PdfPageContent) => (await pdfToHtml(writePdf([page]))).html;

describe('a check box', () => {
  test.each([
    ['formA.pdf', ['☑ Apples', '☐ Pears', '☑ Plums', 'Agree: ☑', 'Country: Peru']],
    [
      'formB.pdf',
      [
        '☑ I agree to the terms and conditions of the service',
        '☐ I would like to receive the newsletter',
        '☑ I am over 18 years of age',
      ],
    ],
    ['form.pdf', ['Name: Jane Roe', 'Agree: ☑', '☑ Option one', '☐ Option two']],
  ])('is a line with its label: %s', async (file, lines) => {
    const html = await htmlOfFile(file);
    for (const line of lines) expect(html).toContain(`<p>${line}</p>`);
  });

  test('stays with the label that is nearest to it', async () => {
    const html = await htmlOf({
      texts: [
        { x: 60, y: 100, text: 'Do you smoke?' },
        { x: 200, y: 100, text: 'Yes' },
        { x: 260, y: 100, text: 'No' },
      ],
      widgets: [box(222, 101, false), box(278, 101, true)],
    });
    expect(html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain('Yes ☐ No ☑');
  });

  test('begins a line of its own, but a label may go on in the next line', async () => {
    const html = await htmlOf({
      texts: [
        { x: 80, y: 100, text: 'I agree that the association sends me its yearly' },
        { x: 80, y: 112, text: 'report and the news of the harbour by mail' },
        { x: 80, y: 124, text: 'I do not want to be called by telephone about this' },
        { x: 60, y: 136, text: 'Please sign on the back of this page, too.' },
      ],
      widgets: [box(60, 101, false), box(60, 125, true)],
    });
    expect(html).toBe(
      [
        '<p>☐ I agree that the association sends me its yearly report and the news of the harbour by mail</p>',
        '<p>☑ I do not want to be called by telephone about this</p>',
        '<p>Please sign on the back of this page, too.</p>',
      ].join('\n'),
    );
  });

  test('stays in its own cell of a table with rules', async () => {
    const ys = [80, 100, 120, 140];
    const html = await htmlOf({
      texts: [
        { x: 66, y: 94, text: 'Paid' },
        { x: 106, y: 94, text: 'Member' },
        { x: 106, y: 114, text: 'Anna' },
        { x: 106, y: 134, text: 'Bert' },
      ],
      strokes: [
        ...ys.map((y): [number, number, number, number] => [60, y, 200, y]),
        ...[60, 100, 200].map((x): [number, number, number, number] => [x, 80, x, 140]),
      ],
      widgets: [box(86, 116, true), box(86, 136, false)],
    });
    expect(html).toContain('<tr><td>☑</td><td>Anna</td></tr>\n<tr><td>☐</td><td>Bert</td></tr>');
  });
});

describe('a form field', () => {
  const field = (rect: [number, number, number, number], dictionary: string) => ({
    rect,
    dictionary: `/Subtype/Widget/T(field${rect.join('x')})/F 4${dictionary}`,
  });

  test('is read with its box above its label, or below it where that is nearer', async () => {
    const html = await htmlOf({
      texts: [
        { x: 60, y: 112, text: 'I can swim without help' },
        { x: 60, y: 142, text: 'Photos may be published' },
        { x: 60, y: 200, text: 'First week' },
        { x: 200, y: 200, text: 'Second week' },
      ],
      widgets: [box(60, 102, true), box(60, 132, false), box(70, 214, false), box(220, 214, true)],
    });
    const text = html
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    expect(text).toBe('☑ I can swim without help ☐ Photos may be published First week ☐ Second week ☑');
  });

  test('has its value after its label, which stands at the foot of the field', async () => {
    const html = await htmlOf({
      texts: [{ x: 60, y: 132, text: 'Allergies:' }],
      widgets: [field([110, 100, 300, 134], '/FT/Tx/Ff 4096/V(Peanuts,\nmild hay fever)')],
    });
    expect(html).toBe('<p>Allergies: Peanuts, mild hay fever</p>');
  });

  test('has the lines of its value in order, as far down as they go', async () => {
    const html = await htmlOf({
      texts: [{ x: 60, y: 90, text: 'Remarks' }],
      widgets: [field([60, 96, 300, 160], '/FT/Tx/Ff 4096/V(Plays the cello\nNo lessons on Fridays)')],
    });
    expect(html.replace(/<[^>]+>|\s+/g, ' ')).toMatch(/Remarks .*Plays the cello .*No lessons on Fridays/);
  });

  test('shows one option where only one can be chosen, although all have the same export value', async () => {
    const options = '/Opt[[()(S)][()(M)][()(L)]]/V()';
    const html = await htmlOf({
      texts: [{ x: 60, y: 110, text: 'Shirt size:' }],
      widgets: [field([120, 100, 300, 114], `/FT/Ch/Ff 131072${options}`)],
    });
    expect(html).toBe('<p>Shirt size: S</p>');
  });

  test('of a list shows the selected options only, although the page draws all of them', async () => {
    const html = await htmlOf({
      texts: [
        { x: 60, y: 110, text: 'Days:' },
        { x: 102, y: 110, text: 'Monday' },
        { x: 102, y: 124, text: 'Tuesday' },
        { x: 102, y: 138, text: 'Friday' },
      ],
      widgets: [
        field(
          [100, 98, 300, 142],
          '/FT/Ch/Ff 2097152/Opt[(Monday)(Tuesday)(Friday)]/V[(Monday)(Friday)]/I[0 2]',
        ),
      ],
    });
    expect(html).toBe('<p>Days: Monday, Friday</p>');
  });
});

describe('a check box that is drawn as a square', () => {
  const square = (left: number, baseline: number, more = '') =>
    `${left} ${792 - baseline} 10 10 re S\n${more}`;
  const cross = (left: number, baseline: number) => {
    const bottom = 792 - baseline;
    return `${left + 1} ${bottom + 1} m ${left + 9} ${bottom + 9} l S ${left + 1} ${bottom + 9} m ${left + 9} ${bottom + 1} l S\n`;
  };
  const tick = (left: number, baseline: number) => {
    const bottom = 792 - baseline;
    return `${left + 1} ${bottom + 5} m ${left + 4} ${bottom + 1} l ${left + 9} ${bottom + 9} l S\n`;
  };

  test('is a sign at its label, ticked by a cross, a tick, a letter or a filled square', async () => {
    const html = await htmlOf({
      texts: [
        { x: 76, y: 100, text: 'I agree to the terms of use' },
        { x: 76, y: 122, text: 'Send me the newsletter' },
        { x: 76, y: 144, text: 'Share my data with partners' },
        { x: 76, y: 166, text: 'Call me by telephone' },
        { x: 76, y: 188, text: 'I am an adult' },
        { x: 62, y: 188, text: 'X' },
      ],
      raw: [
        square(60, 101, cross(60, 101)),
        square(60, 123),
        square(60, 145, tick(60, 145)),
        square(60, 167, `62 ${792 - 165} 6 6 re f\n`),
        square(60, 189),
      ].join(''),
    });
    for (const line of [
      '☑ I agree to the terms of use',
      '☐ Send me the newsletter',
      '☑ Share my data with partners',
      '☑ Call me by telephone',
      '☑ I am an adult',
    ])
      expect(html).toContain(`<p>${line}</p>`);
  });

  test('is none where squares are cells for digits, or coloured keys of a chart', async () => {
    const html = await htmlOf({
      texts: [
        { x: 130, y: 100, text: 'Postal code' },
        { x: 76, y: 140, text: 'Sales of the north' },
      ],
      raw: `${[60, 70, 80, 90, 100].map((left) => square(left, 101)).join('')}1 0 0 rg 60 ${792 - 141} 10 10 re f\n`,
    });
    expect(html).toContain('Postal code');
    expect(html).toContain('Sales of the north');
    expect(html).not.toMatch(/[☐☑]/);
  });
});
