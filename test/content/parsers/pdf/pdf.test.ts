import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { LiteParse } from '@llamaindex/liteparse';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unpackEnglish } from '../../../../src/content/parsers/pdf/ocr/english-data.ts';
import { readGrayPng } from '../../../../src/content/parsers/pdf/ocr/gray-png.ts';
import { imagePdf } from '../../../../src/content/parsers/pdf/ocr/image-pdf.ts';
import { parseImage } from '../../../../src/content/parsers/pdf/ocr/parse-image.ts';
import { type PdfOptions, pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { readInfoDictionary } from '../../../../src/content/parsers/pdf/source/info-dictionary.ts';
import { OFFLINE } from '../../../../src/content/parsers/pdf/source/liteparse.ts';
import { writePng } from '../../../support/documents/png-writer.ts';
import {
  type PdfPageContent,
  type PlacedText,
  textLines,
  withCompressedObjects,
  writePdf,
} from './pdf-writer.ts';

/** A TIFF file of white pages, of 64 by 64 pixels of eight bits. */
function blankTiff(pages: number): Buffer {
  const size = 64;
  const tags = [
    [256, size],
    [257, size],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, size],
    [279, size * size],
  ];
  const pixels = Buffer.alloc(size * size, 0xff);
  const directoryBytes = 2 + 12 * tags.length + 4;
  const first = 8 + pixels.length;
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(first, 4);
  const directories = Array.from({ length: pages }, (_, page) => {
    const directory = Buffer.alloc(directoryBytes);
    directory.writeUInt16LE(tags.length, 0);
    tags.forEach(([tag = 0, value = 0], place) => {
      const at = 2 + 12 * place;
      directory.writeUInt16LE(tag, at);
      // An unsigned number of 32 bits.
      directory.writeUInt16LE(4, at + 2);
      directory.writeUInt32LE(1, at + 4);
      directory.writeUInt32LE(value, at + 8);
    });
    const isLast = page === pages - 1;
    directory.writeUInt32LE(isLast ? 0 : first + (page + 1) * directoryBytes, directoryBytes - 4);
    return directory;
  });
  return Buffer.concat([header, pixels, ...directories]);
}

const PROSE = [
  'The committee met on Tuesday to discuss the plan and',
  'agreed that the work on the bridge should begin soon,',
  'provided that the weather stays dry for long enough',
  'to lay the new foundations on both sides of the river.',
];
const OTHER = [
  'Members of the public may send their remarks to the',
  'office until the end of March, after which the plan',
  'is shown in the town hall for another four weeks and',
  'then goes to the council for the final decision on it.',
];

const convert = (pages: PdfPageContent[], options?: PdfOptions) => pdfToHtml(writePdf(pages), options);
const htmlOf = async (texts: PlacedText[], strokes?: PdfPageContent['strokes']) =>
  (await convert([{ texts, ...(strokes ? { strokes } : {}) }])).html;

/** The texts in another order, which is the same in every run. */
const shuffled = <T>(items: readonly T[]): T[] => {
  const order = [...items];
  for (let place = order.length - 1, seed = 7; place > 0; place--) {
    seed = (seed * 16807) % 2147483647;
    const other = seed % (place + 1);
    [order[place], order[other]] = [order[other] as T, order[place] as T];
  }
  return order;
};

/** Pixels of a picture with stripes. */
const grayImage = (width: number, height: number) => ({
  width,
  height,
  pixels: Buffer.from(Array.from({ length: width * height }, (_, place) => (place % 3) * 100)),
});

const cells = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );

describe('reading order', () => {
  test('reads the left column before the right one, and what is above both first', async () => {
    const title: PlacedText = {
      x: 60,
      y: 60,
      size: 20,
      font: 'Helvetica-Bold',
      text: 'A title that stands across both of the columns',
    };
    const texts = [title, ...textLines(60, 100, PROSE), ...textLines(330, 100, OTHER)];
    const html = await htmlOf(texts);
    expect(html).toMatch(/<h1>A title.*The committee.*of the river\..*Members of.*decision on it\./s);
    expect(await htmlOf(shuffled(texts))).toBe(html);
  });

  test('reads what is below both columns at the margin last, but a paragraph of the left column before the right one', async () => {
    const columns = (y: number) => [...textLines(60, y, PROSE), ...textLines(330, y, OTHER)];
    const list = textLines(66, 161, ['- Tables of wood', '- Lamps']);
    const title: PlacedText = { x: 60, y: 76, size: 14, text: 'A title' };
    expect(await htmlOf([title, ...columns(100), ...list])).toMatch(
      /The committee.*decision on it\..*Tables/s,
    );
    expect(await htmlOf([...columns(90), ...columns(149), ...textLines(60, 208, PROSE)])).toMatch(
      /(The committee.*of the river\..*){3}(Members.*decision on it\..*){2}$/s,
    );
  });

  test('reads a column to its end that has a table in it and is longer than the other one', async () => {
    const rows = ['Year', '2021', '2022', '2023'].flatMap((year, row): PlacedText[] => [
      { x: 120, y: 160 + 14 * row, text: year },
      { x: 180, y: 160 + 14 * row, text: row === 0 ? 'Ships' : `${400 + row}` },
    ]);
    const strokes = [148, 163, 205].map((y): [number, number, number, number] => [110, y, 230, y]);
    const texts = [
      ...textLines(60, 90, PROSE),
      ...rows,
      ...textLines(60, 234, [...PROSE, ...PROSE]),
      ...textLines(330, 90, OTHER),
    ];
    expect(await htmlOf(shuffled(texts), strokes)).toMatch(
      /The committee.*2023.*(The committee.*of the river\..*){2}Members.*decision on it\./s,
    );
  });

  test('keeps headings at the margin above and below the table in the middle of the page', async () => {
    const ys = [150, 170, 190, 210, 230];
    const strokes: PdfPageContent['strokes'] = [
      ...ys.map((y): [number, number, number, number] => [250, y, 400, y]),
      ...[250, 325, 400].map((x): [number, number, number, number] => [x, 150, x, 230]),
    ];
    const row = (y: number, a: string, b: string): PlacedText[] => [
      { x: 255, y, text: a },
      { x: 330, y, text: b },
    ];
    const table = [
      ['Fruit', 'Price'],
      ['Apple', '1.20'],
      ['Pear', '0.80'],
      ['Plum', '0.40'],
    ];
    const html = await htmlOf(
      [
        ...['Short', 'lines', 'of a list', 'of words', 'Before'].map(
          (text, place): PlacedText => ({ x: 60, y: 60 + 14 * place, text }),
        ),
        ...table.flatMap(([a = '', b = ''], place) => row(165 + 20 * place, a, b)),
        { x: 60, y: 246, text: 'After' },
        ...textLines(60, 290, PROSE),
      ],
      strokes,
    );
    expect(html).toMatch(/Before.*Apple.*After.*The committee/s);
  });

  test('does not join a title in the middle with the heading of the same size at the margin below it', async () => {
    const font = 'Helvetica-Bold';
    const html = await htmlOf([
      { x: 118, y: 60, size: 18, font, text: 'Annual Report' },
      { x: 60, y: 86, size: 18, font, text: '1 Overview' },
      ...textLines(60, 120, [...PROSE, ...OTHER]),
    ]);
    expect(html).toMatch(/<h1>Annual Report<\/h1>\s*<h\d>1 Overview<\/h\d>/);
  });

  test('reads three narrow columns of lines of different lengths one after the other', async () => {
    const narrow = (start: string) => [
      `${start} committee met to talk`,
      'about a bridge over the',
      'river that divides the',
      'town and to hear what it',
      'costs to build it, which',
      'is more than last year',
    ];
    const texts = ['One', 'Two', 'Six'].flatMap((start, place) =>
      textLines(60 + place * 170, 100, narrow(start)),
    );
    const columns = ['One', 'Two', 'Six'].map((start) => `<p>${narrow(start).join(' ')}</p>`);
    expect(await htmlOf(shuffled(texts))).toBe(columns.join('\n'));
  });

  test('reads the heading above a table that is wider than it as a heading', async () => {
    const html = await htmlOf([
      { x: 60, y: 100, font: 'Helvetica-Bold', text: 'Our prices' },
      { x: 60, y: 112, text: 'All of them' },
      ...[0, 1, 2, 3].flatMap((row) =>
        [60, 200, 340].map((x): PlacedText => ({ x, y: 150 + 14 * row, text: `cell ${row}` })),
      ),
      ...textLines(60, 240, PROSE),
    ]);
    expect(html).toMatch(/<h\d>Our prices<\/h\d>\s*<p>All of them<\/p>\s*<table>/);
  });

  test('turns a page whose text runs upwards', async () => {
    const upwards = PROSE.map(
      (text, place): PlacedText => ({ x: 100 + place * 12, y: 600, text, angle: 90 }),
    );
    expect(await htmlOf(upwards)).toBe(`<p>${PROSE.join(' ')}</p>`);
  });

  test('puts text at the side, in another direction, after the rest', async () => {
    const stamp: PlacedText = { x: 30, y: 400, text: 'Printed in Perth', angle: 90 };
    expect(await htmlOf([stamp, ...textLines(60, 100, PROSE)])).toBe(
      `<p>${PROSE.join(' ')}</p>\n<p>Printed in Perth</p>`,
    );
  });

  test('keeps the text that begins a column next to the title of the other column', async () => {
    const title: PlacedText = { x: 60, y: 108, size: 20, font: 'Helvetica-Bold', text: 'All about bridges' };
    const html = await htmlOf([
      title,
      ...textLines(60, 130, PROSE),
      ...textLines(330, 90, [...OTHER, ...PROSE]),
    ]);
    expect(html).toMatch(/All about bridges.*The committee.*Members of/s);
  });

  test('marks Arabic text as text from right to left', async () => {
    const { html } = await pdfToHtml(
      writePdf([{ texts: textLines(60, 100, ['AB CD EF']) }], { mappedTo: '0610' }),
    );
    expect(html).toMatch(/^<p dir="rtl">/);
  });

  test('joins Chinese lines without a space', async () => {
    const html = (
      await pdfToHtml(writePdf([{ texts: textLines(60, 100, PROSE.slice(0, 2)) }], { mappedTo: '4e00' }))
    ).html;
    expect(html).toMatch(/^<p>\p{sc=Han}+<\/p>$/u);
  });

  test('joins words that the end of a line divides', async () => {
    const html = await htmlOf(
      textLines(60, 100, [
        'This paragraph is about a hyphen at the end of the determi-',
        'nation of the line, which the next one goes on with as usual.',
      ]),
    );
    expect(html).toContain('determination of the line');
  });
});

describe('a table', () => {
  const rows = [
    ['Town', 'People', 'Area'],
    ['Aberdeen', '227,430', '65'],
    ['Dundee', '148,210', '60'],
    ['Perth', '47,430', '17'],
  ];
  const texts = rows.flatMap((row, y) =>
    row.map((text, x): PlacedText => ({ x: 80 + x * 130, y: 115 + y * 20, text })),
  );

  test('without rules is found in any order of the content stream', async () => {
    expect(cells(await htmlOf(texts))).toEqual(rows);
    expect(cells(await htmlOf(shuffled(texts)))).toEqual(rows);
  });

  test('with rules keeps the spans of merged cells', async () => {
    const strokes: PdfPageContent['strokes'] = [
      ...[100, 120, 140, 160, 180].map((y): [number, number, number, number] => [70, y, 460, y]),
      ...[70, 460].map((x): [number, number, number, number] => [x, 100, x, 180]),
      ...[200, 330].map((x): [number, number, number, number] => [x, 120, x, 180]),
    ];
    const merged = [{ x: 80, y: 115, text: 'Towns of the north' }, ...texts.slice(3)];
    const html = await htmlOf(merged, strokes);
    expect(html).toContain('<th colspan="3">Towns of the north</th>');
    expect(cells(html).slice(1)).toEqual(rows.slice(1));
  });

  test('on two pages is joined, without the repeated header', async () => {
    const more = texts.map(({ text, ...place }) => ({ ...place, text: text.replace(/^\d/, '9') }));
    const { html, pages } = await convert([{ texts }, { texts: more }]);
    expect(cells(html)).toHaveLength(7);
    expect(cells(html)[4]).toEqual(['Aberdeen', '927,430', '95']);
    expect(pages.map((page) => cells(page.html).length)).toEqual([4, 4]);
  });
});

describe('blocks', () => {
  test('are headings by their size, lists by their markers and code by its font', async () => {
    const html = await htmlOf([
      { x: 60, y: 60, size: 18, font: 'Helvetica-Bold', text: 'Guide' },
      { x: 60, y: 90, size: 13, font: 'Helvetica-Bold', text: 'First steps' },
      ...textLines(60, 110, PROSE),
      { x: 70, y: 180, text: '\x95' },
      { x: 85, y: 180, text: 'Open the lid' },
      { x: 70, y: 194, text: '\x95' },
      { x: 85, y: 194, text: 'Close the lid' },
      { x: 60, y: 230, font: 'Courier', text: 'if (open) {' },
      { x: 72, y: 242, font: 'Courier', text: 'close();' },
      { x: 60, y: 254, font: 'Courier', text: '}' },
    ]);
    expect(html).toContain('<h1>Guide</h1>\n<h2>First steps</h2>');
    expect(html).toContain('<ul><li>Open the lid</li><li>Close the lid</li></ul>');
    expect(html).toContain('<pre><code>if (open) {\n  close();\n}</code></pre>');
  });

  test('are a list, without tags, if their bullets are drawn as shapes', async () => {
    const items = ['Tables of wood', 'Lamps of glass', 'Chairs'];
    const dot = (x: number, y: number) => `${x} ${792 - y} 3 3 re f`;
    const texts = [...textLines(60, 60, PROSE), ...textLines(80, 140, items)];
    const drawn = items.map((_, place) => dot(70, 139 + 12 * place));
    const html = async (dots: string[]) => (await convert([{ texts, raw: dots.join(' ') }])).html;
    expect(await html(drawn)).toMatch(
      /<ul><li>Tables of wood<\/li><li>Lamps of glass<\/li><li>Chairs<\/li><\/ul>$/,
    );
    expect(await html(drawn.slice(0, 1))).not.toContain('<li>');
    expect(await html([57, 69, 81].map((y) => dot(200, y)))).not.toContain('<li>');
  });

  test('link to the web, and not to scripts', async () => {
    const { html } = await convert([
      {
        texts: [
          { x: 60, y: 100, text: 'Visit' },
          { x: 60, y: 140, text: 'Never' },
        ],
        links: [
          { rect: [58, 88, 90, 104], uri: 'https://example.com/a?b=1&c=2' },
          { rect: [58, 128, 90, 144], uri: 'javascript:alert(1)' },
        ],
      },
    ]);
    expect(html).toContain('<a href="https://example.com/a?b=1&amp;c=2">Visit</a>');
    expect(html).not.toContain('javascript:');
  });

  test('are marked if they are running heads or page numbers', async () => {
    const pages = [1, 2, 3].map((number) => ({
      texts: [
        { x: 60, y: 40, text: 'Report of the bridge committee' },
        ...textLines(60, 200, number === 2 ? OTHER : PROSE),
        { x: 300, y: 760, text: `Page ${number} of 3` },
      ],
    }));
    const { html } = await convert(pages);
    expect(html.match(/data-page-role="header"/g)).toHaveLength(3);
    expect(html.match(/data-page-role="page-number"/g)).toHaveLength(3);
  });

  test('are headings, and not running heads, if they are large titles that differ by their number', async () => {
    const pages = [1, 2, 3].map((number) => ({
      texts: [
        { x: 60, y: 60, text: `Part ${number} of it`, size: 22 },
        ...textLines(60, 200, number === 2 ? OTHER : PROSE),
      ],
    }));
    const { html } = await convert(pages);
    expect(html.match(/<h\d>Part \d of it<\/h\d>/g)).toHaveLength(3);
  });

  test('stay if only their number tells them apart and the pages have nothing else', async () => {
    const pages = [1, 2, 3].map((number) => ({
      texts: [
        { x: 60, y: 60, text: `Group ${number} meets in the hall.` },
        { x: 300, y: 760, text: String(number) },
      ],
    }));
    const { html } = await convert(pages);
    expect(html.match(/<p>Group \d meets in the hall\.<\/p>/g)).toHaveLength(3);
  });

  test('have the values of form fields in their places', async () => {
    const { html } = await convert([
      {
        texts: [{ x: 60, y: 100, text: 'Name:' }],
        widgets: [
          { rect: [100, 88, 300, 104], dictionary: '/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/F 4' },
        ],
      },
    ]);
    expect(html).toContain('Name: Ada Lovelace');
  });
});

describe('a document', () => {
  const page = { texts: textLines(60, 100, PROSE) };

  test('gives title, author and dates', async () => {
    const info = { Title: 'The bridge (plan)', Author: 'Jane Doe', CreationDate: "D:20250304103000+02'00'" };
    const { metadata, totalPages } = await pdfToHtml(writePdf([page], { info }));
    expect(metadata).toEqual({
      title: 'The bridge (plan)',
      author: 'Jane Doe',
      publishedTime: '2025-03-04T08:30:00.000Z',
    });
    expect(totalPages).toBe(1);
  });

  test('takes no object for the information dictionary whose number only ends like its number', () => {
    const file = writePdf([page], { info: { Title: 'The bridge (plan)' } }).toString('latin1');
    const [, number] = /\/Info (\d+) 0 R/.exec(file) ?? [];
    const other = `1${number} 0 obj\n<</Title (Another object)>>\nendobj\n`;
    const withOther = file.replace(/xref\n/, `${other}xref\n`);
    expect(withOther).toContain(other);
    expect(readInfoDictionary(Buffer.from(withOther, 'latin1'))).toEqual({ Title: 'The bridge (plan)' });
  });

  test('gives title and author from compressed objects, without a second reader', () => {
    const file = writePdf([page], { info: { Title: 'The bridge (plan)', Author: 'Jane Doe' } });
    const compressed = withCompressedObjects(file, 1);
    expect(compressed.includes('The bridge')).toBe(false);
    expect(readInfoDictionary(compressed)).toEqual({ Title: 'The bridge (plan)', Author: 'Jane Doe' });
    // The second reader is for what is damaged or expands to more than titles take.
    const at = compressed.indexOf('stream\n', compressed.indexOf('/ObjStm')) + 'stream\n'.length;
    const damaged = Buffer.concat([compressed.subarray(0, at), Buffer.from('xxxx'), compressed.subarray(at)]);
    expect(readInfoDictionary(damaged)).toBeUndefined();
    const bomb = deflateSync(Buffer.alloc(50 * 1024 * 1024));
    expect(
      readInfoDictionary(Buffer.concat([compressed.subarray(0, at), bomb, compressed.subarray(at)])),
    ).toBeUndefined();
  });

  test('reads at most maxPages and knows how many there are', async () => {
    const { pages, totalPages } = await convert([page, page, page], { maxPages: 2 });
    expect([pages.length, totalPages]).toEqual([2, 3]);
  });

  test('reads the rest of a truncated file, with a warning', async () => {
    const file = writePdf([page, page]);
    const { html, warnings } = await pdfToHtml(file.subarray(0, file.indexOf('xref') - 10));
    expect(html).toContain('The committee met');
    expect(warnings[0]).toContain('damaged');
  });

  test('reads the part of a page that a file has which ends within the stream of that page', async () => {
    const file = writePdf([page]).toString('latin1');
    const [stream = ''] =
      /\d+ 0 obj\s*<<[^>]*>>\s*stream\s(?:(?!endobj)[\s\S])*?The committee[\s\S]*?endobj\n/.exec(file) ?? [];
    const [objects] = file.replace(stream, '').split('xref\n');
    const damaged = `${objects}${stream.slice(0, stream.indexOf('to lay the new'))}`;
    const { html, warnings } = await pdfToHtml(Buffer.from(damaged, 'latin1'));
    expect(html).toContain('The committee met');
    expect(warnings[0]).toContain('damaged');
  });

  test('leaves out what ReportLab enters for a missing author, subject or title', async () => {
    const info = {
      Title: 'untitled',
      Author: 'anonymous',
      Subject: '(unspecified)',
      Keywords: 'anonymous mail',
    };
    expect((await pdfToHtml(writePdf([page], { info }))).metadata).toEqual({ keywords: 'anonymous mail' });
  });

  test.each([
    ['empty', ''],
    ['no PDF file', 'hello'],
    ['nothing but a header', '%PDF-1.7\n'],
  ])('that is %s is an error', async (_, text) => {
    await expect(pdfToHtml(Buffer.from(text))).rejects.toMatchObject({ name: 'PdfError' });
  });

  test('that only restricts printing is read, and one that needs a password is an error without it', async () => {
    const open = await pdfToHtml(writePdf([page], { encryption: { userPassword: '' } }));
    expect(open.html).toContain('The committee met');
    const locked = writePdf([page], { encryption: { userPassword: 'secret' } });
    await expect(pdfToHtml(locked)).rejects.toMatchObject({ fault: 'password' });
    expect((await pdfToHtml(locked, { password: 'secret' })).html).toContain('The committee met');
  });

  test('has blocks with a type, a place and an order', async () => {
    const { pages } = await convert([page]);
    expect(pages[0]?.blocks).toMatchObject([
      { id: 'p1.b0', type: 'text', readingOrder: 0, source: 'native_text', ocrConfidence: null },
    ]);
    expect(pages[0]?.blocks[0]?.bbox.every((share) => share >= 0 && share <= 1)).toBe(true);
  });
});

describe('OCR', () => {
  const unreadable = writePdf([{ texts: textLines(60, 100, PROSE) }], { garbledText: true });

  test('is named as missing where a page has no text and the mode is fast', async () => {
    const file = writePdf([{ texts: textLines(60, 100, PROSE) }, { texts: [] }]);
    const { warnings } = await pdfToHtml(file, { mode: 'fast' });
    expect(warnings).toEqual(['Page 2 has no text, and OCR was not used because of the mode fast.']);
  });

  const scan = { rect: [0, 0, 612, 792] as [number, number, number, number], ...grayImage(61, 79) };

  test('is named as required where the mode is fast and the document is nothing but a scan', async () => {
    await expect(convert([{ texts: [], images: [scan] }], { mode: 'fast' })).rejects.toMatchObject({
      fault: 'needs-ocr',
      message: expect.stringMatching(/^Page 1 of the PDF has no text .* Use the mode "auto" or "ocr"\.$/),
    });
  });

  test('is not required for a document with a picture, nor for an empty page', async () => {
    const picture = { ...scan, rect: [60, 160, 160, 210] as [number, number, number, number] };
    const { html } = await convert([{ texts: [], images: [picture] }], { mode: 'fast', images: true });
    expect(html).toContain('<img');
    expect((await convert([{ texts: [] }], { mode: 'fast' })).html).toBe('');
  });

  test('is left out for a page that is too large to be rendered', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = writePdf([{ texts: textLines(60, 100, PROSE) }]).toString('latin1');
    const huge = Buffer.from(file.replace('[0 0 612 792]', '[0 0 1000000 1000000]'), 'latin1');
    const { html, warnings } = await pdfToHtml(huge, { mode: 'ocr', ocr: await unpackEnglish(directory) });
    expect(html).toContain(PROSE[0]);
    expect(warnings).toEqual(['Page 1 could not be rendered, so OCR was not used for it.']);
  });

  test('is only reported as needed if there is no language data', async () => {
    const { pages, warnings } = await pdfToHtml(unreadable);
    expect(pages[0]).toMatchObject({ needsOcr: 'garbled', recognised: false });
    expect(warnings).toEqual([expect.stringContaining('Page 1 needs OCR')]);
  });

  test('of an image does not take lines of running text for headings, whose letters are of different heights', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const lines = [
      'The High Fjords lie to the left of the town',
      'as we can see as soon as we move across a sea',
      'of (plainly) jagged, foggy, high and pale cliffs;',
      'no one comes, no one moves, as a man can see',
      'By the quay, people jump happily and play.',
      'soon as we arrive, more come across as a mass',
    ];
    const file = writePdf([{ texts: textLines(60, 100, lines) }]);
    const [page] = await new LiteParse({ ...OFFLINE, dpi: 200 }).screenshot(file, [1]);
    const { html } = await parseImage(page!.imageBuffer, await unpackEnglish(directory));
    expect(html).toContain('no one comes');
    expect(html).not.toMatch(/<h\d/);
  });

  test('reads a scan, and an image whose paper is transparent, and says so if a scan has no text', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const ocr = await unpackEnglish(directory);
    const file = writePdf([{ texts: textLines(60, 100, PROSE) }]);
    const [page] = await new LiteParse({ ...OFFLINE, dpi: 150 }).screenshot(file, [1]);
    const image = await readGrayPng(page!.imageBuffer);
    const scan = await pdfToHtml(imagePdf(image!), { ocr });
    expect(scan.pages[0]).toMatchObject({ needsOcr: 'scanned', recognised: true });
    expect(scan.html).toContain(PROSE.join(' '));
    expect(scan.warnings).toEqual([]);
    const { width, height, pixels } = image!;
    const blank = await pdfToHtml(imagePdf({ ...image!, pixels: Buffer.alloc(pixels.length, 255) }), { ocr });
    expect([blank.html, blank.warnings]).toEqual(['', ['No text was recognised in the PDF.']]);
    const black = Buffer.alloc(4 * pixels.length);
    for (const [at, shade] of pixels.entries()) black[4 * at + 3] = 255 - shade;
    const transparent = writePng({ width, height, colourType: 6, pixels: black });
    expect((await parseImage(transparent, ocr)).html).toContain(PROSE.join(' '));
  });

  test('reads text that is drawn as paths, but not a page of bars', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    // Ghostscript (-sDEVICE=pdfwrite -dNoOutputFonts) has drawn three lines of Helvetica, and on the second
    // page a rule and bars.
    const file = await readFile(join(import.meta.dirname, 'text-drawn-as-paths.pdf'));
    const { pages, html } = await pdfToHtml(file, { ocr: await unpackEnglish(directory) });
    expect(pages.map(({ needsOcr, recognised }) => [needsOcr, recognised])).toEqual([
      ['vector-text', true],
      [undefined, false],
    ]);
    const lines = ['The keeper of the lighthouse', 'writes down each evening', 'when the lamp is lit.'];
    expect(html).toBe(lines.map((line) => `<p>${line}</p>`).join('\n'));
  });

  test('is needed for strokes of a plotter, and for curves beside a page number, but not for a few lines', async () => {
    const strokes = (count: number) =>
      Array.from({ length: count }, (_, at): [number, number, number, number] => [
        60 + 8 * at,
        100,
        64 + 8 * at,
        110,
      ]);
    const curves = Array.from({ length: 12 }, (_, at) => {
      const x = 60 + 9 * at;
      return `${x} 600 m ${x} 608 ${x + 6} 608 ${x + 6} 600 c h f`;
    }).join('\n');
    const number = [{ x: 300, y: 760, text: '7' }];
    const title = [{ x: 60, y: 100, text: 'A title of this page that has a logo' }];
    const file = writePdf([
      { texts: [], strokes: strokes(60) },
      { texts: [], strokes: strokes(10) },
      { texts: number, raw: curves },
      { texts: title, raw: curves },
    ]);
    const { pages } = await pdfToHtml(file);
    expect(pages.map(({ needsOcr }) => needsOcr)).toEqual([
      'vector-text',
      undefined,
      'vector-text',
      undefined,
    ]);
  });

  test('of a TIFF file reads no more pages than are wanted, and says how many there are', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const ocr = await unpackEnglish(directory);
    const file = blankTiff(3);
    expect(await parseImage(file, ocr, { maxPages: 2 })).toMatchObject({
      pageCounts: { numPages: 2, totalPages: 3 },
    });
    expect(await parseImage(file, ocr)).toMatchObject({ pageCounts: { numPages: 3, totalPages: 3 } });
  });

  test('recognises the text of a rendered page whose text layer is unreadable, and reports each page', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-ocr-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const reports: unknown[] = [];
    const { pages } = await pdfToHtml(unreadable, {
      ocr: await unpackEnglish(directory),
      onProgress: (progress) => reports.push(progress),
    });
    expect(reports).toEqual([
      { pagesDone: 0, pages: 1 },
      { pagesDone: 1, pages: 1 },
    ]);
    expect(pages[0]).toMatchObject({ needsOcr: 'garbled', recognised: true });
    const blocks = pages[0]?.blocks ?? [];
    expect(blocks.map(({ content }) => content)).toEqual([PROSE.join(' ')]);
    expect(new Set(blocks.map(({ source }) => source))).toEqual(new Set(['ocr']));
    for (const { content, ocrConfidence } of blocks) {
      if (!content) continue;
      expect(ocrConfidence).toBeGreaterThan(0.3);
      expect(ocrConfidence).toBeLessThanOrEqual(1);
    }
  });
});

describe('what stands beside the text', () => {
  test('is where it is on the page, such as pictures and notes', async () => {
    const image = { rect: [60, 160, 160, 210] as [number, number, number, number], ...grayImage(20, 10) };
    const note = '/Subtype/Text/Contents(Please check this)/T(Ada)';
    const { html, images } = await convert(
      [
        {
          texts: [...textLines(60, 100, PROSE), ...textLines(60, 300, OTHER)],
          images: [image],
          widgets: [{ rect: [60, 230, 80, 250], dictionary: note }],
        },
      ],
      { images: true },
    );
    expect(images).toHaveLength(1);
    expect(html).toMatch(
      /the river\.<\/p>\n<img src="document-image:[^"]+" alt="">\n<aside data-annotation>Ada: Please check this<\/aside>\n<p>Members/,
    );
  });

  test('is a footnote if it is in small type and a raised mark of the text refers to it', async () => {
    const note = [
      { x: 60, y: 700, text: '1', size: 7 },
      { x: 66, y: 700, text: 'The old bridge was built in 1890.', size: 7 },
    ];
    const mark = { x: 340, y: 110, text: '1', size: 6 };
    const htmlWith = async (...texts: PlacedText[]) =>
      (await convert([{ texts: [...textLines(60, 100, PROSE), ...texts] }])).html;
    const html = await htmlWith(mark, ...note);
    expect(html).toContain('<sup><a href="#note-1-1" id="ref-note-1-1">1</a></sup>');
    expect(html).toMatch(
      /<li id="note-1-1">The old bridge was built in 1890\. <a href="#ref-note-1-1">↩<\/a><\/li><\/ol>$/,
    );
    expect(await htmlWith(...note)).not.toContain('footnote');
  });

  test.each([
    ['a raised mark that touches its word does', '(It is a stone) Tj /F0 6 Tf 4 Ts (1) Tj', '1', true],
    ['a mark behind the end of a sentence does', '(It is a stone.1) Tj', '1The', true],
    ['a number that belongs to its word does not', '(It is a stone1) Tj', '1', false],
    ['the number of a figure does not', '(It is on Fig.1) Tj', '1', false],
  ])('is a footnote only if something refers to it: %s', async (_, drawn, mark, refers) => {
    const { html } = await convert([
      {
        texts: [
          ...textLines(60, 100, PROSE),
          { x: 60, y: 700, text: `${mark} old bridge was built in 1890.`, size: 7 },
        ],
        raw: `BT /F0 10 Tf 60 392 Td ${drawn} ET`,
      },
    ]);
    expect(html.includes('<sup><a href="#note-1-1" id="ref-note-1-1">1</a></sup></p>')).toBe(refers);
    expect(html.includes('<ol class="footnotes">')).toBe(refers);
  });

  test('needs OCR if it is a scan that fills the page', async () => {
    const image = { rect: [0, 0, 612, 792] as [number, number, number, number], ...grayImage(61, 79) };
    const { pages, warnings } = await convert([
      { texts: textLines(60, 100, PROSE) },
      { texts: [], images: [image] },
    ]);
    expect(pages.map(({ needsOcr }) => needsOcr)).toEqual([undefined, 'scanned']);
    expect(warnings).toEqual([expect.stringContaining('Page 2 needs OCR')]);
  });
});

test('a value that a tall form field draws at its top is read after the label beside the field', async () => {
  const field = '/Subtype/Widget/FT/Tx/T(name)/V(Ada Byron)';
  const { html } = await convert([
    {
      texts: [
        { x: 60, y: 100, text: 'Application for a library card', size: 12 },
        { x: 60, y: 204, text: 'Name:', size: 12 },
        { x: 140, y: 193, text: 'Ada Byron', size: 12 },
        { x: 60, y: 300, text: 'Please write in block letters and sign below.', size: 12 },
      ],
      widgets: [{ rect: [138, 182, 338, 218], dictionary: field }],
    },
  ]);
  const text = html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(text).toContain('Name: Ada Byron');
  expect(text.match(/Ada/g)).toHaveLength(1);
});

describe('tags', () => {
  const tagged = (text: string, y: number, mcid: number, size = 10): string =>
    `/P <</MCID ${mcid}>> BDC BT /F0 ${size} Tf 60 ${792 - y} Td (${text}) Tj ET EMC`;

  /** A document whose first line is a heading only by its tag. Its cross-reference table is cut off. */
  function taggedFile(): string {
    const page = {
      texts: [],
      raw: [
        tagged('About bridges', 100, 0),
        ...PROSE.map((text, place) => tagged(text, 130 + 12 * place, place + 1)),
      ].join('\n'),
    };
    const file = writePdf([page], { catalog: '/MarkInfo<</Marked true>>/StructTreeRoot 90 0 R' });
    const pageObject = /(\d+) 0 obj\n<<\/Type\/Page\/Parent/.exec(file.toString('latin1'))?.[1];
    const kids = [1, 2, 3, 4].join(' ');
    const objects = [
      `90 0 obj\n<</Type/StructTreeRoot/K[91 0 R 92 0 R]/ParentTree<</Nums[0[91 0 R${' 92 0 R'.repeat(4)}]]>>>>\nendobj\n`,
      `91 0 obj\n<</Type/StructElem/S/H2/P 90 0 R/Pg ${pageObject} 0 R/K 0>>\nendobj\n`,
      `92 0 obj\n<</Type/StructElem/S/P/P 90 0 R/Pg ${pageObject} 0 R/K[${kids}]>>\nendobj\n`,
    ].join('');
    const text = file.toString('latin1');
    const body = text.slice(0, text.indexOf('xref'));
    return body.replace('/Type/Page/Parent', '/Type/Page/StructParents 0/Parent') + objects;
  }

  const expected = `<h2>About bridges</h2>\n<p>${PROSE.join(' ')}</p>`;

  test('identify headings that look like text', async () => {
    // Repairing the file adds a cross-reference table.
    expect((await pdfToHtml(Buffer.from(taggedFile(), 'latin1'))).html).toBe(expected);
  });

  test('are used when they are in compressed objects', async () => {
    const text = taggedFile();
    const root = Number(/(\d+) 0 obj\n<<\/Type\/Catalog/.exec(text)?.[1]);
    const file = withCompressedObjects(Buffer.from(text, 'latin1'), root);
    expect(file.includes('/StructTreeRoot')).toBe(false);
    const { html, warnings } = await pdfToHtml(file);
    expect(html).toBe(expected);
    expect(warnings).toEqual([]);
  });
});
