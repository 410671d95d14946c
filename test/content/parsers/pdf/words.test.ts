import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { composeAccents } from '../../../../src/content/parsers/pdf/source/detached-accents.ts';
import type { Word } from '../../../../src/content/parsers/pdf/types.ts';
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
  ])('%s is %s', (drawn, expected) => {
    const words = drawn.split(' ').map((text) => ({ text }) as Word);
    composeAccents(words);
    expect(words.map(({ text }) => text).join(' ')).toBe(expected);
  });
});
