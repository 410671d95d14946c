import pixelmatch from 'pixelmatch';
import { ServiceError } from '../../errors.ts';
import { DifferencePicture, type Rectangle } from './difference-picture.ts';
import { openPng, type PngRows } from './png-rows.ts';

/** Two pictures of a page to compare, as PNG files. */
export interface PictureTask {
  before: Uint8Array;
  after: Uint8Array;
  /** Parts of the pictures that do not count. */
  mask: readonly Rectangle[];
}

/** The result of a comparison. */
export interface PictureComparison {
  /** The share of pixels that differ, from 0 to 1, among those of the larger width and height of both. */
  changedShare: number;
  /** The later picture, pale, with what differs in red; absent if nothing does. */
  difference?: Uint8Array;
}

/** The most pixels that are compared: full pages of the usual widths. Of larger pictures it is the upper part. */
const MAX_PIXELS = 40_000_000;
/** Rows that are compared together. */
const BAND_ROWS = 128;
/** Rows above and below that tell whether a pixel belongs to the smoothed edge of a letter or line. */
const HALO_ROWS = 2;
/** Colours that are as near to each other as this are equal; edges that are smoothed otherwise are, too. */
const OPTIONS = { threshold: 0.1, includeAA: false, diffMask: true };

/**
 * Compares two pictures pixel by pixel. What only one of them has, because it is larger, differs. They are read and
 * compared in bands of rows, so that memory does not depend on their height. CPU-intensive, so the service runs it in
 * rendering threads.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` if one of them is no PNG file of the usual kind
 */
export async function comparePictures({ before, after, mask }: PictureTask): Promise<PictureComparison> {
  const [old, now] = [openPicture(before), openPicture(after)];
  const width = Math.max(old.width, now.width);
  const height = Math.min(Math.max(old.height, now.height), Math.max(1, Math.floor(MAX_PIXELS / width)));
  const common = {
    width: Math.min(old.width, now.width),
    height: Math.min(old.height, now.height, height),
  };
  const difference = new DifferencePicture({ width, height, mask });
  await using bands = new Bands(old, now, common.width);
  for (let y = 0; y < common.height; ) {
    await bands.fill(common.height, difference);
    const { marks, isLast, rows } = bands.compare(common.height);
    const end = isLast ? common.height : bands.top + rows - HALO_ROWS;
    for (; y < end; y++) await difference.addRow(y, bands.rowOf(marks, y), bands.rowOf(bands.after, y));
    bands.leave(y - HALO_ROWS);
  }
  for (let y = common.height; y < height; y++) await difference.addRow(y);
  const { changedPixels } = difference;
  const file = await difference.end();
  return {
    changedShare: changedPixels / (width * height),
    ...(changedPixels > 0 && { difference: file }),
  };
}

function openPicture(bytes: Uint8Array): PngRows {
  const picture = openPng(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (picture) return picture;
  throw new ServiceError(
    'SCRAPE_UNSUPPORTED_FILE_ERROR',
    'A picture is no PNG file of the kind that screenshots are.',
  );
}

/** The rows of two pictures that are in memory. */
class Bands {
  /** The place of the first row in the pictures. */
  top = 0;
  readonly #before: Uint8Array;
  readonly after: Uint8Array;
  readonly #marks: Uint8Array;
  readonly #width: number;
  readonly #readers: { picture: PngRows; rows: AsyncGenerator<Buffer, void>; pixels: Uint8Array }[];
  #held = 0;

  constructor(before: PngRows, after: PngRows, width: number) {
    const band = () => new Uint8Array((BAND_ROWS + 2 * HALO_ROWS) * width * 4);
    this.#before = band();
    this.after = band();
    this.#marks = band();
    this.#width = width;
    this.#readers = [
      { picture: before, rows: before.rows(), pixels: this.#before },
      { picture: after, rows: after.rows(), pixels: this.after },
    ];
  }

  /** Reads rows until the memory is full, or all that are compared are read. */
  async fill(height: number, { coverRow }: Pick<DifferencePicture, 'coverRow'>): Promise<void> {
    for (; this.#held < BAND_ROWS + 2 * HALO_ROWS && this.top + this.#held < height; this.#held++) {
      const y = this.top + this.#held;
      for (const { picture, rows, pixels } of this.#readers) {
        const row = await nextRow(rows);
        const target = this.rowOf(pixels, y);
        copyPixels(row, picture.channels, target);
        coverRow(y, target);
      }
    }
  }

  /** Compares the rows in memory. @returns a picture of them that is transparent but where they differ */
  compare(height: number): { marks: Uint8Array; isLast: boolean; rows: number } {
    const [before, after, marks] = [this.#before, this.after, this.#marks].map((pixels) =>
      pixels.subarray(0, this.#held * this.#width * 4),
    ) as [Uint8Array, Uint8Array, Uint8Array];
    marks.fill(0);
    pixelmatch(before, after, marks, this.#width, this.#held, OPTIONS);
    return { marks: this.#marks, isLast: this.top + this.#held === height, rows: this.#held };
  }

  /** The pixels of a row that is in memory. @param y its place in the pictures */
  rowOf(pixels: Uint8Array, y: number): Uint8Array {
    const bytes = this.#width * 4;
    return pixels.subarray((y - this.top) * bytes, (y - this.top + 1) * bytes);
  }

  /** Makes room for more rows: those before `top` are no longer needed. */
  leave(top: number): void {
    const gone = Math.max(0, top - this.top);
    for (const pixels of [this.#before, this.after]) pixels.copyWithin(0, gone * this.#width * 4);
    this.top += gone;
    this.#held -= gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { rows } of this.#readers) await rows.return();
  }
}

/** Reads the next row of a picture, which has one. */
async function nextRow(rows: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  try {
    const { value: row } = await rows.next();
    if (row) return row;
    throw new Error('It has fewer rows than its header says.');
  } catch (error) {
    throw new ServiceError(
      'SCRAPE_UNSUPPORTED_FILE_ERROR',
      `A picture is damaged: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** Copies as many pixels of a row as the target has: red, green, blue and opacity. */
function copyPixels(row: Buffer, channels: number, target: Uint8Array): void {
  const [green, blue] = channels > 2 ? [1, 2] : [0, 0];
  const opacity = channels % 2 === 0 ? channels - 1 : undefined;
  for (let from = 0, to = 0; to < target.length; from += channels, to += 4) {
    target[to] = row[from] as number;
    target[to + 1] = row[from + green] as number;
    target[to + 2] = row[from + blue] as number;
    target[to + 3] = opacity === undefined ? 255 : (row[from + opacity] as number);
  }
}
