import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayNeedOcr } from '../../../../src/content/parsers/pdf/ocr/ocr-need.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { composeAccents } from '../../../../src/content/parsers/pdf/source/detached-accents.ts';
import type { SourcePage, Word } from '../../../../src/content/parsers/pdf/types.ts';
import { type PdfPageContent, type PlacedText, textLines, writePdf } from './pdf-writer.ts';

const htmlOf = async (...pages: PdfPageContent[]) => (await pdfToHtml(writePdf(pages))).html;
const convertFile = async (name: string) =>
  pdfToHtml(await readFile(join(import.meta.dirname, 'files', name)));
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell),
  );

describe('words of one run', () => {
  test('keep their spaces, however far slanted letters reach over them', async () => {
    const { html } = await convertFile('italic.pdf');
    expect(html).toContain('In Proceedings of the International Conference of Research');
    expect(html).toContain('Linguistics of half a wolf of a chef by chief of them');
    expect((await convertFile('tightital.pdf')).html).toContain(
      '<em>Proceedings of the Conference of half a wolf of the chef Proceedings',
    );
  });

  test('keep spaces that a narrow text has, and get none within a word that changes its font', async () => {
    const raw = [
      'BT /F2 12 Tf -1.9 Tw 60 600 Td (A puff of a leaf for half a day) Tj ET',
      'BT /F0 12 Tf 0 Tw 60 560 Td (under) Tj /F1 12 Tf (score) Tj /F0 12 Tf (d names) Tj ET',
    ].join('\n');
    const html = await htmlOf({ texts: [], raw });
    expect(html).toContain('A puff of a leaf for half a day');
    expect(html.replace(/<[^>]+>/g, '')).toContain('underscored names');
  });
});

describe('the lines of a cell', () => {
  test('are joined by spaces, also where the first one is the widest text of its column', async () => {
    const headers = rowsOf((await convertFile('headcells.pdf')).html);
    expect(headers[0]).toEqual(['Customer name', 'Quantity sold', 'Annual rate', 'Delivery date', 'Status']);
    expect(headers[2]?.at(-1)).toBe('partially paid');
    expect(rowsOf((await convertFile('cells.pdf')).html)[1]).toEqual(['a', 'multi line', 'multi line']);
  });

  /** A table with rules whose cells have two lines. */
  function table(columns: readonly (readonly string[])[]): PdfPageContent {
    const xs = columns.map((_, place) => 60 + 60 * place);
    const texts = columns.flatMap((cells, column): PlacedText[] =>
      cells.flatMap((cell, row) =>
        cell
          .split('|')
          .map((text, line) => ({ x: (xs[column] ?? 0) + 4, y: 82 + 30 * row + 12 * line, text })),
      ),
    );
    const right = 60 + 60 * columns.length;
    const bottom = 70 + 30 * (columns[0]?.length ?? 0);
    return {
      texts,
      strokes: [
        ...(columns[0] ?? []).map((_, row): [number, number, number, number] => [
          60,
          70 + 30 * row,
          right,
          70 + 30 * row,
        ]),
        [60, bottom, right, bottom],
        ...[...xs, right].map((x): [number, number, number, number] => [x, 70, x, bottom]),
      ],
    };
  }

  test('are one word where a narrow column breaks words without hyphens, as several words at its edge show', async () => {
    const html = await htmlOf(
      table([
        ['Kind', 'Benchmarki|ng', 'Documenta|tion', 'Inspections|made'],
        ['Tool', 'read_pages|by', 'some|thing', 'plain'],
      ]),
    );
    expect(rowsOf(html).map(([first]) => first)).toEqual([
      'Kind',
      'Benchmarking',
      'Documentation',
      'Inspectionsmade',
    ]);
  });

  test('are words where only one fills its column', async () => {
    const html = await htmlOf(
      table([
        ['Name', 'Anna|of Bern', 'Supplier|code'],
        ['State', 'open', 'partially|paid'],
      ]),
    );
    expect(rowsOf(html)).toEqual([
      ['Name', 'State'],
      ['Anna of Bern', 'open'],
      ['Supplier code', 'partially paid'],
    ]);
  });
});

describe('contents whose leaders are dots with spaces', () => {
  const entries = [
    ['Introduction', '1'],
    ['How the bridge was planned', '3'],
    ['Stones', '8'],
    ['Who paid for it', '12'],
    ['Opening', '19'],
    ['Notes', '23'],
  ] as const;

  test('are lines with a title and a number, and no table', async () => {
    const { html, warnings } = await convertFile('toc6.pdf');
    for (const line of ['Intro 1', 'Background of the study 4', 'Methods 7', 'References 16'])
      expect(html).toContain(`<p>${line}</p>`);
    expect(html).not.toContain('<table');
    expect(warnings).toEqual([]);
  });

  test.each(['. ', ' . '])('are so with dots like "%s", too', async (dot) => {
    const texts = entries.flatMap(([title, page], row): PlacedText[] => [
      { x: 60, y: 100 + 14 * row, text: `${title} ${dot.repeat(34 - title.length)}` },
      { x: 420, y: 100 + 14 * row, text: page },
    ]);
    const html = await htmlOf({ texts: [{ x: 60, y: 70, size: 16, text: 'Contents' }, ...texts] });
    expect(html.match(/<p>[^<]*<\/p>/g)).toEqual(entries.map(([title, page]) => `<p>${title} ${page}</p>`));
  });

  test('keep the dots of a sentence', async () => {
    const html = await htmlOf({
      texts: textLines(60, 100, ['He said . . . nothing of the kind, and', 'went home.']),
    });
    expect(html).toContain('He said . . . nothing');
  });
});

describe('accents that are drawn over their letters', () => {
  test('are one character with them', async () => {
    expect((await convertFile('combining.pdf')).html).toContain('combining příliš office');
  });

  test.each([
    ['žlut’ˇcký kon´', 'žlut’čký koń'],
    ['¨uber Fuˇsnoten na¨ıve', 'über Fušnoten naïve'],
    ['fran¸cais ¸si zwi˛azek', 'français şi związek'],
    ['`a l´etranger ˆıle', 'à létranger île'],
    ['it´s all `quoted` text', 'it´s all `quoted` text'],
    ['5˚ 10¨ x^2 ~a', '5˚ 10¨ x^2 ~a'],
    ['Abs¨tande ˇx ˆt', 'Abstände ˇx ˆt'],
    ['˙Istanbul ˙i ˙ı über¨u', 'İstanbul ˙i ˙ı überü'],
    ['art´ıculo m´etodo', 'artículo método'],
  ])('%s is %s', (drawn, expected) => {
    expect(composeAccents(drawn.split(' ').map(word)).map(textOf).join(' ')).toBe(expected);
  });

  test('are no apostrophes in a font that has those', () => {
    expect(composeAccents([word('M´etro')], true).map(textOf)).toEqual(['Métro']);
    expect(composeAccents([word('M´etro')], false).map(textOf)).toEqual(['M´etro']);
  });

  test('stand at the end of a word whose rest has another font', () => {
    const parts = ['hinzuf¨', 'ugen'].map((text) => ({ ...word(text), run: 1 }));
    expect(composeAccents([...parts, word('f¨ur')]).map(textOf)).toEqual(['hinzuf', 'ügen', 'für']);
  });

  test('are words of their own over a letter', () => {
    const over = (text: string, left: number, right: number) => ({ ...word(text), left, right });
    // Positions as in Computer Modern, in which liteparse returns them.
    const words = [
      over('ublichen', 145.7, 185.4),
      over('¨', 146, 151.5),
      over('Teiluberschrift', 308.6, 377.8),
      over('¨', 326.8, 332.3),
      over('Pallares', 262.5, 307.7),
      over('´', 297.6, 303.1),
      over('10', 400, 410),
      over('¨', 402, 407),
    ];
    expect(composeAccents(words).map(textOf)).toEqual(['üblichen', 'Teilüberschrift', 'Pallarés', '10', '¨']);
  });

  const style = { size: 10.9, bold: false, italic: false, monospaced: false };
  let runs = 0;
  const word = (text: string): Word => ({ text, style, run: runs++, left: 0, top: 0, right: 0, bottom: 10 });
  const textOf = ({ text }: Word) => text;
});

describe('the text of a link', () => {
  test.each([
    ['(draft-04', 'draft-04', '(<a href="https://a.test/">draft-04</a>'],
    ['RFC8927.', 'RFC8927', '<a href="https://a.test/">RFC8927</a>.'],
    ['see:here,', 'here', 'see:<a href="https://a.test/">here</a>,'],
  ])('is what lies under its rectangle: of %s only %s', async (text, link, expected) => {
    // Widths of Helvetica at 10 points: an em has 1,000 units.
    const widths: Record<string, number> = {
      '(': 333,
      ':': 278,
      ',': 278,
      '.': 278,
      '-': 333,
      i: 222,
      r: 333,
      f: 278,
      t: 278,
      s: 500,
      R: 722,
      F: 611,
      C: 722,
    };
    const width = (part: string) => [...part].reduce((sum, each) => sum + (widths[each] ?? 556) / 100, 0);
    const left = 60 + width(text.slice(0, text.indexOf(link)));
    const html = await htmlOf({
      texts: [{ x: 60, y: 100, text: `${text} and more` }],
      links: [{ rect: [left, 90, left + width(link), 103], uri: 'https://a.test/' }],
    });
    expect(html).toContain(`${expected} and more`);
  });
});

describe('a text across the lines of its page', () => {
  const page = (text: string): PdfPageContent => ({
    texts: [
      { x: 60, y: 60, size: 16, font: 'Helvetica-Bold', text: 'Report' },
      ...textLines(60, 100, ['The committee met on Tuesday to discuss the plan and', text]),
      { x: 150, y: 600, size: 60, text: 'DRAFT', angle: 35 },
    ],
  });

  test('is no heading, and does not divide what it crosses', async () => {
    const html = await htmlOf(page('agreed that the work should begin.'));
    expect(html).toContain('<h1>Report</h1>');
    expect(html).toContain('<p>DRAFT</p>');
  });

  test('is content once where all pages have it', async () => {
    const html = await htmlOf(page('agreed that the'), page('paid for the stones.'), page('went home.'));
    expect(html.match(/<p data-page-role="header">DRAFT/g)).toHaveLength(2);
    expect(html.match(/<p data-page-role="header" data-only-place>DRAFT/g)).toHaveLength(1);
  });
});

test('a text layer of glyph numbers needs OCR, but none in capitals', () => {
  const text = `the committee met on tuesday to discuss the plan and agreed that the work on the bridge should begin
    soon, provided that the weather stays dry for long enough to lay the new foundations on both sides of it, and
    then went home to write the letters for the council`;
  const mayNeed = (layer: string) =>
    mayNeedOcr({ words: layer.split(/\s+/).map((each) => ({ text: each })) } as SourcePage);
  expect(mayNeed(text.toUpperCase())).toBe(false);
  const shifted = text.replace(/\S/g, (each) => String.fromCharCode(each.charCodeAt(0) - 29));
  expect(mayNeed(shifted)).toBe(true);
});
