import type { ParsedPage } from '@llamaindex/liteparse';
import { describe, expect, test } from 'vitest';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import { findPitches, hasPitch } from '../../../../src/content/parsers/pdf/source/fixed-pitch.ts';
import {
  fontScale,
  measuredScale,
  pageToMeasure,
} from '../../../../src/content/parsers/pdf/source/font-scale.ts';
import { levelSlantedText } from '../../../../src/content/parsers/pdf/source/slanted-text.ts';
import { type PlacedText, withCompressedObjects, writePdf } from './pdf-writer.ts';

const WORDS =
  'const value = await fetch(address); return value.json() when ready or throw failure again'.split(' ');

/** A page whose words are as wide as `widthOf` says, in fonts of a size of 12 pixels. */
const pageOf = (widthOf: (word: string) => number, run: Record<string, unknown> = {}) => {
  const words = WORDS.map((text) => ({ text, x: 0, y: 0, width: widthOf(text), height: 10 }));
  const item = { text: WORDS.join(' '), fontSize: 12, height: 10.4, words, ...run };
  // Only these fields of the page are read.
  return { pageNum: 3, textItems: [item] } as unknown as ParsedPage;
};

describe('fonts of a PDF', () => {
  test('have a fixed pitch if all characters are equally wide, whatever their name is', () => {
    const pitches = findPitches([pageOf((word) => 6 * word.length, { fontName: 'AAAAAA+Unknown' })]);
    expect([...pitches.keys()]).toEqual(['AAAAAA+Unknown']);
    expect(hasPitch(0.5, pitches.get('AAAAAA+Unknown') ?? 0)).toBe(true);
    expect(hasPitch(0.45, pitches.get('AAAAAA+Unknown') ?? 0)).toBe(false);
  });

  test('have no fixed pitch if i is narrower than m', () => {
    const widthOf = (word: string) =>
      [...word].reduce((sum, sign) => sum + (/[filjt.()]/.test(sign) ? 3 : 6.5), 0);
    expect(findPitches([pageOf(widthOf)]).size).toBe(0);
  });

  test('that a browser printed in pixels are measured where their lines are as high as those of points', () => {
    const page = pageOf((word) => 6 * word.length);
    expect(fontScale(page.textItems)).toBe(1);
    expect(pageToMeasure([page])).toBe(3);
    expect(measuredScale(pageOf((word) => word.length, { fontHeight: 9 }))).toBe(0.75);
    const runs = [9, 9, 7.9, 9].map((fontHeight) => pageOf((word) => word.length, { fontHeight }).textItems);
    expect(measuredScale({ ...page, textItems: runs.flat() })).toBe(0.75);
    expect(measuredScale({ ...page, textItems: runs.slice(1, 3).flat() })).toBeUndefined();
    expect(pageToMeasure([pageOf((word) => 6 * word.length, { height: 13 })])).toBeUndefined();
  });

  test.each([
    ['a table keeps its columns', 7, ['Name', 'Town', 'Since']],
    ['words stay in one text', 2.6, undefined],
  ])('that any program wrote in pixels are in points, so that %s', async (_, gap, head) => {
    // The page scales the text by 0.75, and its objects are compressed, as WeasyPrint does both.
    const rows = [
      ['Name', 'Town', 'Since'],
      ['Maria', 'Cork', '1999'],
      ['Peter', 'Oban', '2007'],
    ];
    const xs = [60, 60 + 35 + gap / 0.75, 60 + 35 + 33 + 2 * (gap / 0.75)];
    const raw = rows.flatMap((row, y) =>
      row.map((text, x) => `BT /F0 12 Tf ${xs[x]} ${700 - 17 * y} Td (${text}) Tj ET`),
    );
    const file = writePdf([{ texts: [], raw: `q .75 0 0 .75 0 100 cm\n${raw.join('\n')}\nQ` }]);
    const root = Number(/\/Root (\d+) 0 R/.exec(file.toString('latin1'))?.[1]);
    const { html } = await pdfToHtml(withCompressedObjects(file, root));
    const cells = [...html.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell);
    expect(cells.length > 0 ? cells.slice(0, 3) : undefined).toEqual(head);
  });
});

test('a table can have code in some of its columns', async () => {
  const rows = [
    ['Option', 'Meaning', 'Default'],
    ['verbose', 'tells what is done', 'false'],
    ['timeout', 'ends a request', '30000'],
    ['retries', 'tries again', '3'],
  ];
  const texts = rows.flatMap((row, y) =>
    row.map((text, x): PlacedText => {
      const isCode = y > 0 && x !== 1;
      return { x: 60 + 120 * x, y: 100 + 16 * y, text, ...(isCode && { font: 'Courier' }) };
    }),
  );
  const { html } = await pdfToHtml(writePdf([{ texts }]));
  expect(html).toContain('<tr><td>timeout</td><td>ends a request</td><td>30000</td></tr>');
});

test('slanted letters of a PDF are italic text on one level, and rotated ones are not', async () => {
  const texts = [
    'The keeper of the bridge opens the gate at dawn, and closes it when the last cart has',
    'passed.',
  ];
  const slanted = '1 0 0.25 1 60 668 Tm (Whoever comes later waits until morning) Tj';
  const rotated = '0.966 0.259 -0.259 0.966 60 500 Tm (A draft of the keeper for the town) Tj';
  const { html } = await pdfToHtml(
    writePdf([
      {
        texts: texts.map((text, row) => ({ x: 60, y: 100 + 12 * row, text, size: 10 })),
        raw: `BT /F0 10 Tf ${slanted} ET BT /F0 10 Tf ${rotated} ET`,
      },
    ]),
  );
  expect(html).toContain('<em>Whoever comes later waits until morning</em>');
  expect(html).not.toContain('<em>A draft');
});

test('slanted words of a PDF keep the spaces that their letters reach over', () => {
  const run = (y: number, ...texts: string[]) => ({
    text: texts.join(''),
    x: 60,
    y,
    width: 30 * texts.length,
    height: 9,
    rotation: 14,
    words: texts.map((text, place) => ({ text, x: 60 + 30 * place, y, width: 30.2, height: 9 })),
  });
  const items = [run(60, 'Wait,', 'what?'), run(80, 'More', 'in-depth', 'descriptions')];
  // Only these properties of a page are read.
  levelSlantedText([{ textItems: items }] as unknown as ParsedPage[]);
  expect(items.map(({ text }) => text)).toEqual(['Wait, what?', 'More in-depth descriptions']);
});
