import { joinContinued } from './continued-blocks.ts';
import { layoutDocument } from './document-layout.ts';
import { PdfError } from './errors.ts';
import { type OcrSettings, recogniseImage } from './ocr.ts';
import { toHtml } from './to-html.ts';

/**
 * Converts a raster image (PNG, JPEG, GIF, WebP, BMP or TIFF) to HTML: its text, laid out like a page of a PDF. A
 * process must convert only one image or document at a time.
 * @returns empty HTML if no text is recognised
 * @throws PdfError `damaged` if the image cannot be read
 */
export async function parseImage(bytes: Uint8Array, ocr: OcrSettings): Promise<string> {
  const page = await recogniseImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ocr);
  if (!page) throw new PdfError('empty', 'The image has no pixels.');
  return toHtml(joinContinued(layoutDocument([page]).flat()));
}
