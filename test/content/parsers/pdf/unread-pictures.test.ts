import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, textLines, writePdf } from './pdf-writer.ts';

const readFileNamed = (name: string) => readFile(join(import.meta.dirname, 'files', name));
const picture = (left: number, top: number, right: number, bottom: number) => ({
  rect: [left, top, right, bottom] as [number, number, number, number],
  width: 20,
  height: 20,
  pixels: Buffer.from(Array.from({ length: 400 }, (_, place) => (place % 3) * 100)),
});
const LINES = textLines(60, 60, ['The report of the committee']);
const convert = (...pages: PdfPageContent[]) => pdfToHtml(writePdf(pages));

describe('a picture on a page', () => {
  test('is read by OCR if it is all that the page has, however small a scan it is', async () => {
    expect((await pdfToHtml(await readFileNamed('smallscan.pdf'))).pages[0]?.needsOcr).toBe('scanned');
    const { pages } = await convert({ texts: [], images: [picture(100, 100, 300, 260)] });
    expect(pages[0]?.needsOcr).toBe('scanned');
  });

  test.each(['smallscan_text.pdf', 'bigscan_text.pdf', 'stamped.pdf'])(
    'has a warning if it stands beside little text: %s',
    async (name) => {
      const { pages, warnings } = await pdfToHtml(await readFileNamed(name));
      expect(pages[0]?.needsOcr).toBeUndefined();
      expect(warnings).toEqual([
        'Page 1 has a picture beside little text. Text in pictures was not read there; the mode "ocr" reads it.',
      ]);
    },
  );

  test('has none if it is a small one, or stands beside much text', async () => {
    const long = textLines(
      60,
      60,
      Array(20).fill('The committee met on Tuesday to discuss the plan and the bridge'),
    );
    const { warnings } = await convert(
      { texts: LINES, images: [picture(60, 200, 120, 240)] },
      { texts: long, images: [picture(60, 400, 400, 700)] },
    );
    expect(warnings).toEqual([]);
  });
});
