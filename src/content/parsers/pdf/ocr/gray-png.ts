import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import type { GrayImage } from './image-pdf.ts';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
/**
 * Bytes of a pixel by the colour types of the header: gray, colours, gray with opacity, colours with opacity.
 */
const CHANNELS = new Map([
  [0, 1],
  [2, 3],
  [4, 2],
  [6, 4],
]);
/** Larger images are left to liteparse, which has limits of its own. */
const MAX_PIXELS = 50_000_000;
/** Bytes that are decompressed at a time. The whole image would take four times the memory of the result. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a PNG file as shades of gray on white paper, as tesseract wants it.
 * @returns `undefined` for other files, and for rare kinds of PNG: interlaced, with a palette, or without
 * eight bits a channel
 * @throws Error if the file is damaged
 */
export async function readGrayPng(file: Buffer): Promise<GrayImage | undefined> {
  const header = readHeader(file);
  if (!header) return undefined;
  const { width, height, channels } = header;
  const pixels = Buffer.allocUnsafe(width * height);
  // Each row begins with the number of its filter.
  let row = Buffer.alloc(1 + width * channels);
  let above = Buffer.alloc(row.length);
  let filled = 0;
  let y = 0;
  const inflated: AsyncIterable<Buffer> = Readable.from(compressedParts(file)).pipe(
    createInflate({ chunkSize: CHUNK_BYTES }),
  );
  for await (const chunk of inflated) {
    for (let at = 0; at < chunk.length && y < height; ) {
      const copied = chunk.copy(row, filled, at);
      at += copied;
      filled += copied;
      if (filled < row.length) break;
      removeFilter(row, above, channels);
      writeGray(row, channels, pixels.subarray(y * width, (y + 1) * width));
      [row, above] = [above, row];
      filled = 0;
      y++;
    }
  }
  if (y < height) throw new Error(`The PNG file has ${y} of ${height} rows.`);
  return { width, height, pixels };
}

/** The header of a PNG file that can be read here. */
function readHeader(file: Buffer) {
  if (file.length < 33 || file.toString('latin1', 0, 8) !== SIGNATURE) return undefined;
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [bits, colourType = -1, , , interlaced] = file.subarray(24, 29);
  const channels = CHANNELS.get(colourType);
  const isReadable = bits === 8 && interlaced === 0 && width * height > 0 && width * height <= MAX_PIXELS;
  return isReadable && channels !== undefined ? { width, height, channels } : undefined;
}

/** The data of the chunks of type IDAT, which are one compressed stream. */
function* compressedParts(file: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE.length; at + 8 <= file.length; ) {
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

function writeGray(row: Buffer, channels: number, target: Buffer): void {
  const hasColours = channels > 2;
  const hasOpacity = channels % 2 === 0;
  for (let x = 0, at = 1; x < target.length; x++, at += channels) {
    const first = row[at] as number;
    // Weights of ITU-R BT.601, in parts of 256.
    const gray = hasColours
      ? (77 * first + 150 * (row[at + 1] as number) + 29 * (row[at + 2] as number)) >> 8
      : first;
    const opacity = hasOpacity ? (row[at + channels - 1] as number) : 255;
    target[x] = opacity === 255 ? gray : 255 + Math.trunc(((gray - 255) * opacity) / 255);
  }
}
