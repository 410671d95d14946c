import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';
/**
 * Bytes of a pixel by the colour types of the header: gray, colours, gray with opacity, colours with opacity.
 */
const CHANNELS = new Map([
  [0, 1],
  [2, 3],
  [4, 2],
  [6, 4],
]);
/** Bytes that are decompressed at a time, so that a picture is never in memory as a whole. */
const CHUNK_BYTES = 256 * 1024;

/** A PNG file whose rows can be read. */
export interface PngRows {
  width: number;
  height: number;
  /** Bytes of a pixel: gray or the three colours, and opacity where the number is even. */
  channels: number;
  /**
   * Reads the rows from top to bottom. A row is valid until the next one is read.
   * @throws Error if the file is damaged
   */
  rows(): AsyncGenerator<Buffer, void>;
}

/**
 * Opens a PNG file.
 * @returns `undefined` for other files, and for rare kinds of PNG: interlaced, with a palette, or without
 * eight bits a channel
 */
export function openPng(file: Buffer): PngRows | undefined {
  if (file.length < 33 || file.toString('latin1', 0, 8) !== PNG_SIGNATURE) return undefined;
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [bits, colourType = -1, , , interlaced] = file.subarray(24, 29);
  const channels = CHANNELS.get(colourType);
  if (bits !== 8 || interlaced !== 0 || width * height === 0 || channels === undefined) return undefined;
  return { width, height, channels, rows: () => rowsOf(file, { width, height, channels }) };
}

/** The shade of gray of a pixel of three colours, by the weights of ITU-R BT.601 in parts of 256. */
export const grayOf = (pixels: Uint8Array, at: number): number =>
  (77 * (pixels[at] as number) + 150 * (pixels[at + 1] as number) + 29 * (pixels[at + 2] as number)) >> 8;

async function* rowsOf(
  file: Buffer,
  { width, height, channels }: Omit<PngRows, 'rows'>,
): AsyncGenerator<Buffer, void> {
  // Each row begins with the number of its filter.
  let row = Buffer.alloc(1 + width * channels);
  let above = Buffer.alloc(row.length);
  let filled = 0;
  let y = 0;
  const inflate = createInflate({ chunkSize: CHUNK_BYTES });
  const inflated: AsyncIterable<Buffer> = Readable.from(compressedParts(file)).pipe(inflate);
  for await (const chunk of inflated) {
    for (let at = 0; at < chunk.length && y < height; ) {
      const copied = chunk.copy(row, filled, at);
      at += copied;
      filled += copied;
      if (filled < row.length) break;
      removeFilter(row, above, channels);
      yield row.subarray(1);
      [row, above] = [above, row];
      filled = 0;
      y++;
    }
  }
  if (y < height) throw new Error(`The PNG file has ${y} of ${height} rows.`);
}

/** The data of the chunks of type IDAT, which are one compressed stream. */
function* compressedParts(file: Buffer): Generator<Buffer> {
  for (let at = PNG_SIGNATURE.length; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') yield file.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}

/**
 * Turns the differences to neighbouring bytes that a row consists of into its bytes (PNG specification,
 * section 9).
 */
function removeFilter(row: Buffer, above: Buffer, channels: number): void {
  const filter = row[0];
  if (filter === 0) return;
  const left = (at: number) => (at > channels ? (row[at - channels] as number) : 0);
  const aboveLeft = (at: number) => (at > channels ? (above[at - channels] as number) : 0);
  for (let at = 1; at < row.length; at++) {
    const up = above[at] as number;
    let expected = 0;
    if (filter === 1) expected = left(at);
    else if (filter === 2) expected = up;
    else if (filter === 3) expected = (left(at) + up) >> 1;
    else if (filter === 4) expected = nearest(left(at), up, aboveLeft(at));
    else throw new Error(`The PNG file has the unknown filter ${filter}.`);
    row[at] = (row[at] as number) + expected;
  }
}

/** The predictor of Paeth: that of three neighbours which is nearest to the plane through them. */
function nearest(left: number, up: number, aboveLeft: number): number {
  const toLeft = Math.abs(up - aboveLeft);
  const toUp = Math.abs(left - aboveLeft);
  const toAboveLeft = Math.abs(left + up - 2 * aboveLeft);
  if (toLeft <= toUp && toLeft <= toAboveLeft) return left;
  return toUp <= toAboveLeft ? up : aboveLeft;
}
