import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const convert = async (...pages: PdfPageContent[]) => (await pdfToHtml(writePdf(pages))).html;

describe('contents', () => {
  const CHAPTERS: [string, string][] = [
    ['1 Scope', '2'],
    ['1.1 Buildings', '2'],
    ['1.2 Exclusions', '3'],
    ['2 Duties', '4'],
    ['2.1 Owner', '4'],
    ['2.2 Wardens', '5'],
  ];
  const entries = (dots: string) =>
    CHAPTERS.flatMap(([title, page], place): PlacedText[] => {
      const y = 100 + 17 * place;
      const isPart = /^\d\./.test(title);
      const number = isPart ? `${dots} ${page}` : page;
      return [
        { x: isPart ? 137 : 80, y, text: title },
        { x: 518 - (isPart && dots ? 5.56 : 0), y, text: number.trim() },
      ];
    });

  test.each([
    ['of which one dot of each leader is left', entries('.')],
    ['without leaders whose titles have the numbers of their sections', entries('')],
  ])('%s are lines with a page number each', async (_, texts) => {
    const html = await convert({ texts });
    expect(html).not.toContain('<table');
    for (const [title, page] of CHAPTERS) expect(html).toContain(`<p>${title} ${page}</p>`);
  });
});

describe('a list', () => {
  const item = (y: number, text: string): PlacedText[] => [
    { x: 72, y, text: '\x95' },
    { x: 84, y, text },
  ];
  const footer = (page: number): PlacedText => ({ x: 300, y: 770, text: `Page ${page}` });
  const text = textLines(72, 100, [
    'The wardens of a building count those who come out of it, and tell the owner',
    'at once who is missing. They have these things in a box beside the main door:',
  ]);

  test('that a page break cuts is one list', async () => {
    const html = await convert(
      { texts: [...text, ...item(716, 'A torch'), ...item(730, 'A whistle'), footer(1)] },
      { texts: [...item(60, 'A list of names'), ...textLines(72, 100, ['They wear a vest.']), footer(2)] },
    );
    expect(html.match(/<ul>/g)).toHaveLength(1);
    expect(html).toContain('<li>A whistle</li><li>A list of names</li></ul>');
  });

  test('below a numbered heading and its text is no table', async () => {
    const texts: PlacedText[] = [
      { x: 72, y: 100, text: '1.1.', size: 9, font: 'Helvetica-Bold' },
      { x: 93.4, y: 100, text: 'Errors', size: 9, font: 'Helvetica-Bold' },
      { x: 93.4, y: 115, text: 'Waves of ships were left out.', size: 9 },
      { x: 72, y: 130, text: '1.', size: 9 },
      { x: 93.4, y: 130, text: 'Ferries at eight and at six.', size: 9 },
      { x: 72, y: 145, text: '2.', size: 9 },
      { x: 93.4, y: 145, text: 'The dredger on Tuesday.', size: 9 },
    ];
    const html = await convert({ texts });
    expect(html).not.toContain('<table');
    expect(html).toContain('<ol><li>Ferries at eight and at six.</li><li>The dredger on Tuesday.</li></ol>');
  });
});
