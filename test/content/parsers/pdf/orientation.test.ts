import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiteParse, type ParsedPage } from '@llamaindex/liteparse';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unpackEnglish } from '../../../../src/content/parsers/pdf/ocr/english-data.ts';
import { exifTurn } from '../../../../src/content/parsers/pdf/ocr/exif.ts';
import { readGrayPng } from '../../../../src/content/parsers/pdf/ocr/gray-png.ts';
import { imagePdf } from '../../../../src/content/parsers/pdf/ocr/image-pdf.ts';
import { recogniseUpright, type Turn } from '../../../../src/content/parsers/pdf/ocr/orientation.ts';
import { parseImage } from '../../../../src/content/parsers/pdf/ocr/parse-image.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { OFFLINE } from '../../../../src/content/parsers/pdf/source/liteparse.ts';
import { writePdf } from './pdf-writer.ts';

const LINES = ['The keeper of the lighthouse', 'writes down each evening', 'when the lamp is lit.'];

/** A picture of the lines, turned counter-clockwise. */
async function pictureOf(angle: 90 | 180): Promise<Buffer> {
  const texts = LINES.map((text, row) =>
    angle === 90
      ? { x: 200 + 20 * row, y: 600, text, size: 14, angle }
      : { x: 400, y: 400 - 20 * row, text, size: 14, angle },
  );
  const [page] = await new LiteParse({ ...OFFLINE, dpi: 150 }).screenshot(writePdf([{ texts }]), [1]);
  return page?.imageBuffer ?? Buffer.alloc(0);
}

/** A page whose words have a shape and a confidence. */
function pageOf({ isTall = false, confidence }: { isTall?: boolean; confidence: number }): ParsedPage {
  const word = { text: 'lighthouses', x: 0, y: 0, width: isTall ? 10 : 60, height: isTall ? 60 : 10 };
  return { textItems: Array.from({ length: 5 }, () => ({ ...word, confidence })) } as unknown as ParsedPage;
}

describe('pictures of text', () => {
  test('are read upside down and sideways, alone and as pages of a PDF', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const ocr = await unpackEnglish(directory);
    expect((await parseImage(await pictureOf(180), ocr)).html).toBe(`<p>${LINES.join(' ')}</p>`);
    const gray = await readGrayPng(await pictureOf(90));
    const { html } = await pdfToHtml(imagePdf(gray as NonNullable<typeof gray>), { ocr });
    expect(html).toBe(`<p>${LINES.join(' ')}</p>`);
  });

  test('are turned until their letters are sure, and no further', async () => {
    const tried: Turn[] = [];
    const read = (pages: Partial<Record<Turn, ParsedPage>>) => {
      tried.length = 0;
      return recogniseUpright(async (turn) => {
        tried.push(turn);
        return pages[turn];
      });
    };
    const good = pageOf({ confidence: 0.96 });
    expect((await read({ 0: good }))?.turn).toBe(0);
    expect(tried).toEqual([0]);
    expect((await read({ 0: pageOf({ confidence: 0.75 }), 180: good }))?.turn).toBe(180);
    expect((await read({ 0: pageOf({ isTall: true, confidence: 0.6 }), 270: good }))?.turn).toBe(270);
    expect(tried).toEqual([0, 270]);
    expect((await read({ 0: pageOf({ isTall: true, confidence: 0.96 }), 90: good }))?.turn).toBe(90);
    // Writing that tesseract has no data for is as uncertain upside down.
    expect((await read({ 0: pageOf({ confidence: 0.7 }), 180: pageOf({ confidence: 0.72 }) }))?.turn).toBe(0);
  });

  test('are turned first as the camera noted it', async () => {
    const photo = (order: 'II' | 'MM', orientation: number) => {
      const number = (value: number, bytes: number) => {
        const written = Buffer.alloc(bytes);
        if (order === 'II') written.writeUIntLE(value, 0, bytes);
        else written.writeUIntBE(value, 0, bytes);
        return written;
      };
      const entry = [number(0x0112, 2), number(3, 2), number(1, 4), number(orientation, 2), number(0, 2)];
      const exif = Buffer.concat([
        Buffer.from(`Exif\0\0${order}`, 'latin1'),
        number(42, 2),
        number(8, 4),
        number(1, 2),
        ...entry,
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(exif.length + 2);
      return Buffer.concat([Buffer.from('ffd8ffe00004aaaaffe1', 'hex'), length, exif]);
    };
    expect([6, 8, 3, 1, 77].map((orientation) => exifTurn(photo('II', orientation)))).toEqual([
      270, 90, 180, 0, 0,
    ]);
    expect(exifTurn(photo('MM', 6))).toBe(270);
    expect(exifTurn(photo('MM', 6).subarray(0, 30))).toBe(0);
    expect(exifTurn(Buffer.from('ffd8ffe1', 'hex'))).toBe(0);
    const noted = await recogniseUpright(
      async (turn) => (turn === 270 ? pageOf({ confidence: 0.96 }) : undefined),
      270,
    );
    expect(noted?.turn).toBe(270);
  });
});
