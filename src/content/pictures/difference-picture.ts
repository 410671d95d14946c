import { grayOf } from './png-rows.ts';
import { PngWriter } from './png-writer.ts';

/** A part of a picture, in its pixels. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

const CHANGED = { red: 214, green: 31, blue: 60 };
const COVER = 150;
/** How much is left of what did not change. */
const PALE = 0.2;

/** The picture of a difference, which is written row by row while the pixels that differ are counted. */
export class DifferencePicture {
  changedPixels = 0;
  readonly #width: number;
  readonly #mask: readonly Rectangle[];
  readonly #row: Uint8Array;
  readonly #writer: PngWriter;

  constructor({ width, height, mask }: { width: number; height: number; mask: readonly Rectangle[] }) {
    this.#width = width;
    this.#mask = mask;
    this.#row = new Uint8Array(width * 3);
    this.#writer = new PngWriter(width, height);
  }

  /**
   * Covers what the mask hides.
   * @param y the place of the row
   * @param row its pixels, as red, green, blue and opacity
   */
  readonly coverRow = (y: number, row: Uint8Array): void => {
    for (const [from, to] of this.#hiddenParts(y))
      for (let at = from * 4; at < Math.min(to * 4, row.length); at += 4) {
        row.fill(COVER, at, at + 3);
        row[at + 3] = 255;
      }
  };

  /**
   * Adds a row.
   * @param y the place of the row
   * @param marks transparent but where it differs; absent for a row that only one of the pictures has
   * @param pixels the row of the later picture
   */
  async addRow(y: number, marks: Uint8Array = NONE, pixels: Uint8Array = NONE): Promise<void> {
    const row = this.#row;
    const hidden = marks.length < this.#width * 4 ? this.#hiddenParts(y) : [];
    for (let x = 0, at = 0, to = 0; x < this.#width; x++, at += 4, to += 3) {
      const isInBoth = at < marks.length;
      const isChanged = isInBoth ? marks[at + 3] !== 0 : !hidden.some(([from, end]) => x >= from && x < end);
      if (isChanged) this.changedPixels++;
      const shade = isInBoth ? paleOf(pixels, at) : COVER;
      row[to] = isChanged ? CHANGED.red : shade;
      row[to + 1] = isChanged ? CHANGED.green : shade;
      row[to + 2] = isChanged ? CHANGED.blue : shade;
    }
    await this.#writer.addRow(this.#row);
  }

  /** @returns the picture as a PNG file */
  end(): Promise<Buffer> {
    return this.#writer.end();
  }

  /** The parts of a row that the mask hides: where they begin, and where they have ended. */
  #hiddenParts(row: number): [number, number][] {
    return this.#mask.flatMap(({ x, y, width, height }): [number, number][] =>
      row >= y && row < y + height ? [[Math.min(x, this.#width), Math.min(x + width, this.#width)]] : [],
    );
  }
}

const NONE = new Uint8Array();

/** A pixel on white paper as a pale gray. */
function paleOf(pixels: Uint8Array, at: number): number {
  const opacity = pixels[at + 3] as number;
  return 255 - Math.round((255 - grayOf(pixels, at)) * (opacity / 255) * PALE);
}
