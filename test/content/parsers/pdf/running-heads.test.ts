import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { type PdfPageContent, type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const htmlOf = async (pages: PdfPageContent[]) => (await pdfToHtml(writePdf(pages))).html;
const htmlOfFile = async (name: string) =>
  (await pdfToHtml(await readFile(join(import.meta.dirname, 'files', name)))).html;
/** What `onlyMainContent` keeps. */
const mainContent = (html: string) =>
  html.replace(/<p data-page-role="[\w-]+">.*?<\/p>\n?/g, '').replace(/<p data-page-role[^>]*>/g, '<p>');
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );

const PROSE = [
  'The committee met on Tuesday to discuss the plan and',
  'agreed that the work on the bridge should begin soon,',
  'provided that the weather stays dry for long enough',
  'to lay the new foundations on both sides of the river.',
];
/** A row of cells at the given positions. */
const row = (xs: readonly number[], y: number, texts: readonly string[], font?: PlacedText['font']) =>
  texts.map((text, place): PlacedText => ({ x: xs[place] as number, y, text, ...(font && { font }) }));

describe('a line near the edge of the page that other pages repeat but for its numbers', () => {
  test.each([
    ['longtable.pdf', 120, ['Product', 'Unit price', 'Stock']],
    ['pricelist.pdf', 40, ['Product', 'Unit price', 'Stock']],
    ['statement.pdf', 100, ['Date', 'Description', 'Amount', 'Balance']],
  ])('is no running head if it is a row of a table: %s', async (file, count, header) => {
    const html = await htmlOfFile(file);
    const rows = rowsOf(html);
    expect(rows).toHaveLength(count + 1);
    expect(rows[0]).toEqual(header);
    expect(rows.filter(([first]) => first === header[0])).toHaveLength(1);
  });

  test('is no running head if it is a line of the text, and the text has more of its kind', async () => {
    const html = mainContent(await htmlOfFile('invoicelist.pdf'));
    expect(html.match(/Invoice no\. \d+/g)).toHaveLength(114);
  });

  test('is no running head if it is an item of a list', async () => {
    const pages = [0, 1, 2].map((page) => ({
      texts: Array.from({ length: 45 }, (_, place): PlacedText[] => [
        { x: 60, y: 50 + 16 * place, text: `${45 * page + place + 1}.` },
        {
          x: 85,
          y: 50 + 16 * place,
          text: place % 44 === 0 ? 'Turn the key' : `Press ${'abc'.repeat(place % 7)}`,
        },
      ]).flat(),
    }));
    const html = mainContent(await htmlOf(pages));
    expect(html.match(/<li>/g)).toHaveLength(135);
    expect(html.match(/Turn the key/g)).toHaveLength(6);
  });

  test('is no running head if it is the sum of a table that goes on', async () => {
    const xs = [60, 300, 420];
    const names = ['Nails', 'Screws', 'Boards', 'Hinges', 'Paint', 'Glue', 'Brushes', 'Locks'];
    const pages = [0, 1, 2].map((page) => ({
      texts: [
        ...row(xs, 584, ['Goods', 'Pieces', 'Price'], 'Helvetica-Bold'),
        ...names
          .slice(page)
          .flatMap((name, place) => row(xs, 600 + 16 * place, [name, `${7 + place}`, '3.20'])),
        ...row(xs, 600 + 16 * (8 - page), ['Carried forward', `${page + 31}`, `${page + 20}.60`]),
        { x: 60, y: 778, text: 'Hardware Miller' },
        { x: 500, y: 778, text: `Page ${page + 1}` },
      ].map((text) => (page > 0 && text.y < 770 ? { ...text, y: text.y + 16 * page } : text)),
    }));
    const html = await htmlOf(pages);
    expect(rowsOf(html).filter(([first]) => first === 'Carried forward')).toHaveLength(3);
    expect(html.match(/data-page-role="footer"/g)).toHaveLength(3);
  });

  test('is no running head below a line of the text', async () => {
    const pages = [1, 2, 3, 4].map((number) => ({
      texts: [
        { x: 60, y: 40, text: ['Apples', 'Pears', 'Plums', 'Grapes'][number - 1] as string },
        { x: 60, y: 64, text: 'From the garden of the house' },
        ...textLines(60, 200, PROSE.slice(number % 3)),
      ],
    }));
    expect(mainContent(await htmlOf(pages)).match(/From the garden/g)).toHaveLength(4);
  });
});

describe('a line at the edge with the page number at its end', () => {
  /** Pages of a book, each with its own head: the number is on the outer side. */
  const book = (heads: readonly string[], size = 10) =>
    heads.map((head, place): PdfPageContent => {
      const number = { y: 40, size, text: `${place + 46}`, x: place % 2 === 0 ? 60 : 500 };
      const title = { y: 40, size, text: head, x: place % 2 === 0 ? 380 : 60 };
      return {
        texts: [
          ...[number, title].map((text): PlacedText => ({ ...text, font: 'Helvetica-Bold' })),
          ...textLines(60, 90, [...PROSE.slice(place % 3), ...PROSE, ...PROSE]),
        ],
      };
    });
  const HEADS = ['Stone bridges', '4.1 Arches', 'Wooden bridges', '4.3 Nails', '4.4 Ropes'];

  test.each([10, 14])('is a running head, whatever the rest of it is (%d points)', async (size) => {
    const html = await htmlOf(book(HEADS, size));
    expect(html.match(/data-page-role="header"/g)).toHaveLength(5);
    expect(html).not.toMatch(/<h\d|<table/);
    // None of the texts stands elsewhere.
    for (const head of HEADS) expect(mainContent(html)).toContain(head);
  });

  test('is none where the numbers do not follow those of the pages', async () => {
    const pages = book(HEADS).map(({ texts: [number, ...rest] }, place) => ({
      texts: [{ ...(number as PlacedText), text: `${50 - 7 * place}` }, ...rest],
    }));
    expect(await htmlOf(pages)).not.toContain('data-page-role');
  });

  test('is none where it is a large title with its number ahead', async () => {
    const slides = ['Arches', 'Ropes', 'Nails', 'Stones'].map((title, place) => ({
      texts: [
        { x: 60, y: 60, size: 24, text: `${place + 1}` },
        { x: 130, y: 60, size: 24, text: title },
        ...textLines(60, 120, PROSE.slice(place % 3)),
      ],
    }));
    const html = await htmlOf(slides);
    expect(html).not.toContain('data-page-role');
    expect(html.match(/<h1/g)).toHaveLength(4);
  });
});

describe('the header row of a table that goes on for pages', () => {
  test('is kept once, below running heads, if the table has rules', async () => {
    const [xs, names] = [
      [70, 220, 360],
      ['Oak', 'Ash', 'Elm', 'Fir', 'Yew'],
    ];
    const pages = [1, 2, 3].map((page): PdfPageContent => {
      const texts = [
        { x: 60, y: 40, text: 'Trees of the park' },
        { x: 500, y: 40, text: `Page ${page} of 3` },
        ...row(xs, 84, ['Tree', 'Height', 'Age']),
        ...names.flatMap((name, place) =>
          row(xs, 104 + 20 * place, [`${name} ${page}`, `${9 + place} m`, '80']),
        ),
      ];
      const ys = Array.from({ length: 7 }, (_, place) => 70 + 20 * place);
      return {
        texts,
        strokes: [
          ...ys.map((y): [number, number, number, number] => [60, y, 460, y]),
          ...[60, 210, 350, 460].map((x): [number, number, number, number] => [x, 70, x, 190]),
        ],
      };
    });
    const html = await htmlOf(pages);
    expect(rowsOf(html)).toHaveLength(16);
    expect(rowsOf(html).filter(([first]) => first === 'Tree')).toHaveLength(1);
    expect(html.match(/data-page-role="header"/g)).toHaveLength(3);
  });
});

describe('the first of the running heads with the same text', () => {
  test('stays in the main content where this is the only place of the text', async () => {
    const letters = mainContent(await htmlOfFile('letters.pdf'));
    for (const text of ['ACME Insurance Ltd', '12 High Street, London', 'Policy renewal notice'])
      expect(letters.split(text)).toHaveLength(2);
    expect(letters.indexOf('Policy renewal notice')).toBeLessThan(letters.indexOf('Dear Anna Schmidt'));
    const slides = mainContent(await htmlOfFile('slides.pdf'));
    expect(slides.match(/Quarterly report/g)).toHaveLength(1);
    expect(slides.match(/Topic \d/g)).toHaveLength(4);
  });

  const report = (title: string) =>
    [1, 2, 3].map((number) => ({
      texts: [
        ...(number === 1 ? [{ x: 60, y: 150, size: 20, text: title }] : []),
        { x: 60, y: 40, text: 'Report of the bridge committee' },
        ...textLines(60, 200, PROSE.slice(number - 1)),
        { x: 60, y: 760, text: 'Town council, account DE02 1203' },
        { x: 500, y: 760, text: `Page ${number}` },
      ],
    }));

  test('goes where the text stands in the body, too', async () => {
    const html = mainContent(await htmlOf(report('Report of the Bridge Committee')));
    expect(html).toMatch(/^<h1>Report of the Bridge Committee<\/h1>/);
    expect(html).not.toContain('bridge committee');
  });

  test('stays on its page, and does not divide a paragraph that goes on there', async () => {
    const html = mainContent(await htmlOf(report('News')));
    expect(html.match(/bridge committee/g)).toHaveLength(1);
    expect(html.match(/account DE02 1203/g)).toHaveLength(1);
    const cut = [1, 2, 3].map((number) => ({
      texts: [
        ...(number > 1 ? [{ x: 60, y: 40, text: 'The old bridge' }] : []),
        ...textLines(60, 200, number === 1 ? PROSE.slice(0, 2) : number === 2 ? PROSE.slice(2) : PROSE),
      ],
    }));
    expect(mainContent(await htmlOf([...cut, cut[2] as PdfPageContent]))).toContain(
      'begin soon, provided that',
    );
  });
});

describe('the number of the only page of a document', () => {
  const page = (number: string): PdfPageContent => ({
    texts: [...textLines(60, 100, PROSE), { x: 280, y: 770, text: number }],
  });

  test.each(['Page 1', 'Page 1 of 1', '1 / 1', 'Seite 1'])('is no text if it says so: %s', async (number) => {
    expect(await htmlOf([page(number)])).toContain(`<p data-page-role="page-number">${number}</p>`);
  });

  test.each(['1', 'Page 7', 'Hall 1'])('stays text if it may be something else: %s', async (text) => {
    expect(mainContent(await htmlOf([page(text)]))).toContain(text);
  });

  test('is no heading in a larger font, and the levels of the headings follow each other', async () => {
    const html = await htmlOfFile('newsletter.pdf');
    expect([...html.matchAll(/<h(\d)>(.*?)<\/h\d>/g)].map(([, level, text]) => `${level} ${text}`)).toEqual([
      '1 Harbour News',
      '2 The crane is back',
      '3 Opening hours',
      '4 Weather',
      '4 Staff',
    ]);
  });
});

test('a paragraph that begins in bold goes on in the next line of a column in small type', async () => {
  expect(await htmlOfFile('newsletter.pdf')).toMatch(
    /<p><strong>Storm season<\/strong>\. Between October and March all boats must have two lines at each end, and a third one in storms\.<\/p>/,
  );
});
