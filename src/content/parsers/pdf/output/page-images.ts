import { LiteParse } from '@llamaindex/liteparse';
import { OFFLINE } from '../source/liteparse.ts';
import type { SourcePage } from '../types.ts';

/** The resolution of a picture, at which small print can be read. */
const DPI = 110;
/** Pixels of the longer side at most, so that a poster gets fewer pixels per inch. */
const MAX_PIXELS = 1_600;
const POINTS_PER_INCH = 72;
/** Bytes of all pictures of a document at most, which is half of what a conversion may return. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The picture of a page, as PNG. */
export interface PageImage {
  /** The number of the page, from 1. */
  number: number;
  bytes: Uint8Array;
}

/** The pictures of pages, and the pages without one. */
export interface PageImages {
  images: PageImage[];
  /** Numbers of the pages that PDFium cannot render. */
  unrendered: number[];
  /** Numbers of the pages for which the pictures before leave no room. */
  left: number[];
}

/** Draws pages as readers see them, turned like the blocks that were found on them. */
export async function drawPages(
  file: Buffer,
  pages: readonly SourcePage[],
  password?: string,
): Promise<PageImages> {
  const drawn: PageImages = { images: [], unrendered: [], left: [] };
  let room = MAX_BYTES;
  for (const { number, width, height, turnedBy } of pages) {
    if (room <= 0) {
      drawn.left.push(number);
      continue;
    }
    const renderer = new LiteParse({
      ...OFFLINE,
      dpi: Math.max(1, Math.min(DPI, (MAX_PIXELS * POINTS_PER_INCH) / Math.max(width, height, 1))),
      ...(turnedBy && { pageOrientationCorrections: [{ page: number, angle: turnedBy }] }),
      ...(password ? { password } : {}),
    });
    // liteparse has no error codes, and the other pages may still be drawn.
    const [picture] = await renderer.screenshot(file, [number]).catch(() => []);
    if (!picture) drawn.unrendered.push(number);
    else if (picture.imageBuffer.length > room) {
      drawn.left.push(number);
      room = 0;
    } else {
      drawn.images.push({ number, bytes: picture.imageBuffer });
      room -= picture.imageBuffer.length;
    }
  }
  return drawn;
}
