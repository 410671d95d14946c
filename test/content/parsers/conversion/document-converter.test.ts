import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConversionResult } from '../../../../src/content/parsers/conversion/conversion-result.ts';
import {
  createDocumentConverter,
  type DocumentConverter,
} from '../../../../src/content/parsers/conversion/document-converter.ts';
import { findLanguageData } from '../../../../src/content/parsers/conversion/language-data.ts';
import type { PdfTask } from '../../../../src/content/parsers/document.ts';
import { textLines, writePdf } from '../pdf/pdf-writer.ts';

let directory: string;
let documents: DocumentConverter;
const logger = { warn: () => undefined, debug: () => undefined };
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'winnow-converter-'));
  documents = await createDocumentConverter({ cacheDir: directory, processes: 1, logger });
});
afterAll(async () => {
  await documents.close();
  await rm(directory, { recursive: true });
});

const TEXT = textLines(72, 90, [
  'The council met on Tuesday to discuss the plan',
  'for the bridge and the harbour road.',
]);

function convert(file: Buffer, { images = false, ...pdf }: Partial<PdfTask> & { images?: boolean } = {}) {
  const task = {
    type: 'pdf' as const,
    images,
    pdf: { mode: 'auto' as const, maxPages: 10, pages: false, ...pdf },
  };
  return documents.convert(task, file, { signal: AbortSignal.timeout(150_000), owner: 'a' });
}

/** A page that is nothing but an image. */
const SCAN = writePdf([
  {
    texts: [],
    images: [{ rect: [0, 0, 612, 792], width: 60, height: 80, pixels: Buffer.alloc(60 * 80, 9) }],
  },
]);

describe('a PDF', () => {
  const pageOf = (word: string) => ({ texts: textLines(72, 300, [`The ${word} page has a sentence.`]) });
  const three = writePdf([pageOf('first'), pageOf('second'), pageOf('third')], {
    info: { Title: 'The plan' },
  });

  test('has its pages only if they are wanted, and no more than are wanted', async () => {
    const whole = await convert(three);
    expect(whole).toMatchObject({
      numPages: 3,
      totalPages: 3,
      metadata: { title: 'The plan' },
      warnings: [],
    });
    expect(whole.pages).toBeUndefined();
    const { pages, numPages, totalPages } = await convert(three, { pages: true, maxPages: 2 });
    expect([numPages, totalPages]).toEqual([2, 3]);
    expect(pages).toMatchObject([
      { number: 1, status: 'ok', width: 612, height: 792, html: expect.stringContaining('first page') },
      { number: 2, status: 'ok', blocks: [{ id: 'p2.b0', label: null, source: 'native_text' }] },
    ]);
  });

  test('has its images only if they are wanted', async () => {
    const pixels = deflateSync(Buffer.alloc(64 * 64 * 3, 0x80));
    const image = `q 100 0 0 100 72 300 cm BI /W 64 /H 64 /BPC 8 /CS /RGB /F /Fl ID ${pixels.toString('latin1')} EI Q`;
    const file = writePdf([{ texts: TEXT, raw: image }]);
    const without = await convert(file);
    expect(without.images).toEqual([]);
    expect(without.html).not.toContain('<img');
    const { html, images } = await convert(file, { images: true });
    expect(images).toEqual([
      { id: expect.any(String), mediaType: expect.stringMatching(/^image\//), bytes: expect.any(Uint8Array) },
    ]);
    expect(images[0]?.bytes.length).toBeGreaterThan(50);
    expect(html).toContain(`src="document-image:${images[0]?.id}"`);
  });

  test('is recognised in the sandbox where its text is garbled', async () => {
    const garbled = writePdf([{ texts: TEXT }], { garbledText: true });
    const { html, pages } = await convert(garbled, { pages: true });
    expect(html).toMatch(/council met on Tuesday/);
    expect(pages).toMatchObject([{ status: 'ok' }]);
    expect(new Set(pages?.[0]?.blocks.map(({ source }) => source))).toEqual(new Set(['ocr']));
    const fast = await convert(garbled, { mode: 'fast' });
    expect(fast.html).not.toContain('council');
  });

  test.each([
    [
      'needs a password',
      writePdf([{ texts: TEXT }], { encryption: { userPassword: 'x' } }),
      'SCRAPE_DOCUMENT_ENCRYPTED',
    ],
    ['is damaged', Buffer.from('%PDF-1.7\n?'), 'SCRAPE_DOCUMENT_UNREADABLE'],
    ['is a scan, in the mode fast', SCAN, 'SCRAPE_PDF_OCR_REQUIRED'],
  ])('that %s is refused', async (_, file, code) => {
    await expect(convert(file, file === SCAN ? { mode: 'fast' } : {})).rejects.toMatchObject({
      name: 'ServiceError',
      code,
    });
  });

  test('is read if it only restricts printing', async () => {
    const restricted = writePdf([{ texts: TEXT }], { encryption: { userPassword: '' } });
    expect((await convert(restricted)).html).toContain('council');
  });
});

describe('the result of a process that a document controls', () => {
  const document = { html: '', metadata: {}, images: [], warnings: [] };
  test.each([
    ['nothing', undefined],
    ['no HTML', { document: { ...document, html: { length: 1e9 } } }],
    [
      'images that browsers execute',
      { document: { ...document, images: [{ id: 'a', mediaType: 'text/html' }] } },
    ],
    [
      'ids with markup',
      { document: { ...document, images: [{ id: '"><script>', mediaType: 'image/png' }] } },
    ],
    ['pages without blocks', { document: { ...document, pages: [{ number: 1 }] } }],
    ['a negative number of pages', { document: { ...document, numPages: -5 } }],
    ['another error code', { failure: { fault: 'UNKNOWN_ERROR', message: '' } }],
  ])('is refused: %s', (_, header) => {
    expect(() => readConversionResult(header, [])).toThrow('it returned something that is no document');
  });

  test('loses members that documents do not have', () => {
    expect(readConversionResult({ document: { ...document, url: 'http://a.test' } }, [])).toEqual({
      document,
    });
  });
});

describe('the language data', () => {
  test('is English without a setting', async () => {
    const cache = join(directory, 'cache');
    expect(await findLanguageData(undefined, cache)).toEqual({
      languageData: join(cache, 'ocr'),
      languages: 'eng',
    });
  });

  test('is that of the configured directory, English first', async () => {
    const { languageData } = await findLanguageData(undefined, directory);
    const configured = await mkdtemp(join(directory, 'tessdata-'));
    await copyFile(join(languageData, 'eng.traineddata'), join(configured, 'eng.traineddata'));
    for (const name of ['deu.traineddata', 'osd.traineddata', 'pdf.ttf'])
      await writeFile(join(configured, name), '');
    expect(await findLanguageData(configured, directory)).toEqual({
      languageData: configured,
      languages: 'eng+deu',
    });
  });

  test('that is missing is an error that names the setting', async () => {
    const empty = await mkdtemp(join(directory, 'empty-'));
    await expect(findLanguageData(empty, directory)).rejects.toThrow(/WINNOW_OCR_DATA is .* no files/);
    await expect(findLanguageData('/nowhere', directory)).rejects.toThrow(
      /WINNOW_OCR_DATA is \/nowhere, which cannot be read/,
    );
  });
});
