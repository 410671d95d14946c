import pixelmatch from 'pixelmatch';
import { describe, expect, it } from 'vitest';
import { comparePictures } from '../../../src/content/pictures/compare-pictures.ts';
import type { Rectangle } from '../../../src/content/pictures/difference-picture.ts';
import { openPng } from '../../../src/content/pictures/png-rows.ts';
import { PngWriter } from '../../../src/content/pictures/png-writer.ts';

type Colour = readonly [number, number, number];
const WHITE: Colour = [255, 255, 255];
const BLUE: Colour = [20, 40, 200];
const RED = '214,31,60';

/** Paints a picture. @param colourAt the colour of a pixel */
async function paint(width: number, height: number, colourAt: (x: number, y: number) => Colour) {
  const writer = new PngWriter(width, height);
  for (let y = 0; y < height; y++)
    await writer.addRow(Uint8Array.from(Array.from({ length: width }, (_, x) => colourAt(x, y)).flat()));
  return writer.end();
}

/** Reads the colours of a picture, row by row. */
async function coloursOf(file: Uint8Array): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const row of openPng(Buffer.from(file))!.rows())
    rows.push(Array.from({ length: row.length / 3 }, (_, x) => row.subarray(x * 3, x * 3 + 3).join(',')));
  return rows;
}

const isIn = ({ x, y, width, height }: Rectangle, atX: number, atY: number) =>
  atX >= x && atX < x + width && atY >= y && atY < y + height;

/** A white picture with a blue box. */
const withBox = (width: number, height: number, box: Rectangle, colour = BLUE) =>
  paint(width, height, (x, y) => (isIn(box, x, y) ? colour : WHITE));

const BOX = { x: 3, y: 2, width: 10, height: 5 };
const compare = (before: Buffer, after: Buffer, mask: Rectangle[] = []) =>
  comparePictures({ before, after, mask });

describe('two pictures', () => {
  it('differ in nothing if they are the same', async () => {
    const picture = await withBox(40, 30, BOX);
    expect(await compare(picture, picture)).toEqual({ changedShare: 0 });
  });

  it('differ in the pixels of another colour, which the picture of the difference shows in red', async () => {
    // Higher than the bands of rows that are compared together, with a box across each border of two.
    for (const y of [2, 120, 126, 130, 250, 380]) {
      const box = { ...BOX, y };
      const { changedShare, difference } = await compare(
        await paint(40, 400, () => WHITE),
        await withBox(40, 400, box),
      );
      expect(changedShare * 40 * 400).toBeCloseTo(50, 6);
      const colours = await coloursOf(difference!);
      expect(colours).toHaveLength(400);
      for (const [row, line] of colours.entries())
        for (const [column, colour] of line.entries())
          expect(colour === RED, `${column},${row}`).toBe(isIn(box, column, row));
    }
  });

  it('differ as much as if all of their rows were compared at once', async () => {
    // A slanted edge that is smoothed, moved by a part of a pixel and by some pixels, which bands begin and end in.
    const size = [60, 700] as const;
    const edge =
      (shift: number) =>
      (x: number, y: number): Colour => {
        const gray = Math.max(0, Math.min(255, Math.round((x - y / 13 - shift) * 255)));
        return [gray, gray, gray];
      };
    const pixelsOf = (colourAt: ReturnType<typeof edge>) =>
      Uint8Array.from(
        Array.from({ length: size[0] * size[1] }, (_, at) => [
          ...colourAt(at % size[0], Math.floor(at / size[0])),
          255,
        ]).flat(),
      );
    for (const shift of [0.3, 1.5, 6]) {
      const whole = pixelmatch(pixelsOf(edge(0)), pixelsOf(edge(shift)), undefined, ...size);
      const { changedShare } = await compare(
        await paint(...size, edge(0)),
        await paint(...size, edge(shift)),
      );
      expect(changedShare * size[0] * size[1]).toBeCloseTo(whole, 6);
      expect(whole > 0).toBe(shift > 1);
    }
  });

  it('differ in all that only one of them has', async () => {
    const [small, tall] = [await withBox(40, 300, BOX), await withBox(40, 400, BOX)];
    expect((await compare(small, tall)).changedShare).toBeCloseTo(0.25, 6);
    const { changedShare, difference } = await compare(tall, small);
    expect(changedShare).toBeCloseTo(0.25, 6);
    const colours = await coloursOf(difference!);
    expect(new Set(colours[350])).toEqual(new Set([RED]));
    expect(colours[299]).not.toContain(RED);
    const wide = await withBox(80, 300, BOX);
    expect((await compare(small, wide)).changedShare).toBeCloseTo(0.5, 6);
  });

  it('do not differ where they are masked', async () => {
    const [before, after] = [await paint(40, 300, () => WHITE), await withBox(40, 300, BOX)];
    const mask = { x: 0, y: 0, width: 8, height: 100 };
    // Five of the ten columns of the box are hidden.
    expect((await compare(before, after, [mask])).changedShare * 40 * 300).toBeCloseTo(25, 6);
    expect(await compare(before, after, [mask, { ...BOX, width: 1e9 }])).toEqual({ changedShare: 0 });
    const longer = await paint(40, 350, () => WHITE);
    expect(
      (await compare(before, longer, [{ x: 0, y: 290, width: 20, height: 999 }])).changedShare,
    ).toBeCloseTo((20 * 50) / (40 * 350), 6);
  });

  it('are not compared if one of them is damaged or of another kind', async () => {
    const picture = await withBox(40, 30, BOX);
    const fault = { code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' };
    await expect(compare(picture, Buffer.from('GIF89a'))).rejects.toMatchObject(fault);
    await expect(compare(picture.subarray(0, picture.length - 40), picture)).rejects.toMatchObject(fault);
  });
});
