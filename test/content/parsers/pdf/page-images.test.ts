import { expect, it } from 'vitest';
import { readGrayPng } from '../../../../src/content/parsers/pdf/ocr/gray-png.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { textLines, writePdf } from './pdf-writer.ts';

/** The pictures of pages, which the option `pageImages` returns. */

const LINES = ['The keeper of the lighthouse', 'writes down each evening', 'when the lamp is lit.'];
const page = { texts: textLines(72, 80, LINES) };

/** The width, the height and the place of the ink of a picture: its outermost dark pixels as shares of both. */
async function inkOf(bytes: Uint8Array) {
  const image = await readGrayPng(Buffer.from(bytes));
  if (!image) throw new Error('The picture is no PNG.');
  const { width, height, pixels } = image;
  const dark = [...pixels.keys()].filter((at) => (pixels[at] ?? 255) < 128);
  const [xs, ys] = [
    dark.map((at) => (at % width) / width),
    dark.map((at) => Math.floor(at / width) / height),
  ];
  const range = (values: number[]) => [
    values.reduce((a, b) => Math.min(a, b), 1),
    values.reduce((a, b) => Math.max(a, b), 0),
  ];
  return { width, height, across: range(xs), down: range(ys) };
}

it('are those of the pages that were asked for and read', async () => {
  const { pageImages, warnings } = await pdfToHtml(writePdf([page, page, page]), {
    pageImages: [3, 1, 99],
    maxPages: 2,
  });
  expect(pageImages.map(({ number }) => number)).toEqual([1]);
  expect(warnings).toEqual([]);
  expect((await pdfToHtml(writePdf([page]))).pageImages).toEqual([]);
});

it('lie under the blocks of the page, also where its text is sideways', async () => {
  const sideways = {
    texts: LINES.map((text, row) => ({ x: 200 + 20 * row, y: 600, text, size: 14, angle: 90 })),
  };
  for (const content of [page, sideways]) {
    const { pageImages, pages } = await pdfToHtml(writePdf([content]), { pageImages: [1] });
    const [{ width = 0, height = 0, blocks = [] } = {}] = pages;
    const ink = await inkOf(pageImages[0]?.bytes ?? new Uint8Array());
    expect(ink.width / ink.height).toBeCloseTo(width / height, 2);
    const [left = 0, top = 0, right = 0, bottom = 0] = blocks[0]?.bbox ?? [];
    expect(ink.across[0]).toBeGreaterThan(left - 0.02);
    expect(ink.across[1]).toBeLessThan(right + 0.02);
    expect(ink.down[0]).toBeGreaterThan(top - 0.02);
    expect(ink.down[1]).toBeLessThan(bottom + 0.02);
  }
});

it('of large pages have no more pixels than those of others', async () => {
  const poster = Buffer.from(
    writePdf([page]).toString('latin1').replace('[0 0 612 792]', '[0 0 9000 99]'),
    'latin1',
  );
  const { pageImages, pages } = await pdfToHtml(poster, { pageImages: [1] });
  expect(pages[0]?.width).toBe(9_000);
  const { width, height } = await inkOf(pageImages[0]?.bytes ?? new Uint8Array());
  expect(Math.max(width, height)).toBe(1_600);
});
