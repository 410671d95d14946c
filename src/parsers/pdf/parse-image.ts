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
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const page = await recogniseImage(image, ocr).catch((cause: unknown) => {
    throw new PdfError(
      'damaged',
      'The image is damaged or has a variant of its format that cannot be read.',
      { cause },
    );
  });
  if (!page) throw new PdfError('damaged', 'The image has no pixels.');
  return toHtml(joinContinued(layoutDocument([page]).flat()));
}
