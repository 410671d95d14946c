import { grayOf, openPng } from '../../../pictures/png-rows.ts';
import type { GrayImage } from './image-pdf.ts';

/** Larger images are left to liteparse, which has limits of its own. */
const MAX_PIXELS = 50_000_000;

/**
 * Reads a PNG file as shades of gray on white paper, as tesseract wants it.
 * @returns `undefined` for other files, and for rare kinds of PNG: interlaced, with a palette, or without
 * eight bits a channel
 * @throws Error if the file is damaged
 */
export async function readGrayPng(file: Buffer): Promise<GrayImage | undefined> {
  const png = openPng(file);
  if (!png || png.width * png.height > MAX_PIXELS) return undefined;
  const { width, height, channels } = png;
  const pixels = Buffer.allocUnsafe(width * height);
  let y = 0;
  for await (const row of png.rows()) writeGray(row, channels, pixels.subarray(y * width, ++y * width));
  return { width, height, pixels };
}

function writeGray(row: Buffer, channels: number, target: Buffer): void {
  const hasColours = channels > 2;
  const hasOpacity = channels % 2 === 0;
  for (let x = 0, at = 0; x < target.length; x++, at += channels) {
    const gray = hasColours ? grayOf(row, at) : (row[at] as number);
    const opacity = hasOpacity ? (row[at + channels - 1] as number) : 255;
    target[x] = opacity === 255 ? gray : 255 + Math.trunc(((gray - 255) * opacity) / 255);
  }
}
