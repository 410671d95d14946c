import { expect, it } from 'vitest';
import { convertPdf } from '../../../../src/content/parsers/pdf/index.ts';
import { textLines, writePdf } from '../pdf/pdf-writer.ts';

it('only the pages of a damaged PDF that could be read are counted', async () => {
  const page = (number: number) => ({
    texts: number === 4 ? [] : textLines(72, 80 * number, [`This is the text of page ${number}.`]),
  });
  const file = writePdf([1, 2, 3, 4, 5, 6].map(page));
  const truncated = file.subarray(0, file.lastIndexOf('xref', file.length - 40));
  const task = { type: 'pdf', images: false, pdf: { mode: 'fast', maxPages: 100, pages: true } } as const;
  const {
    numPages,
    pages = [],
    html,
  } = await convertPdf(task, truncated, {
    report: () => undefined,
  });
  expect(html).toContain('page 6');
  expect(pages.flatMap(({ status, number }) => (status === 'failed' ? [number] : []))).toEqual([4]);
  expect(numPages).toBe(5);
});
