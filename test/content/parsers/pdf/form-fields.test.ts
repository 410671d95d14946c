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
