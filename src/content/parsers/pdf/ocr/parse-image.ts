import { toBuffer } from '../../../source-text.ts';
import { joinContinued } from '../document/continued-blocks.ts';
import { layoutDocument } from '../document/document-layout.ts';
import { PdfError } from '../errors.ts';
import { blocksToHtml } from '../output/to-html.ts';
import type { SourcePage } from '../types.ts';
import type { OcrSettings } from './english-data.ts';
import { recogniseImage } from './ocr.ts';
import { MAX_TIFF_PAGES, splitTiff } from './tiff-pages.ts';

/** The text of an image. */
interface ImageText {
  /**
   * The pages of a TIFF file that has several; absent for any other image. `totalPages` is absent if they are
   * not all counted.
   */
  pageCounts?: { numPages: number; totalPages?: number };
  /** Empty if no text is recognised. */
  html: string;
  /** English sentences about content that is missing. */
  warnings: string[];
}

/**
 * Converts a raster image (PNG, JPEG, GIF, WebP, BMP or TIFF) to HTML: its text, laid out like a page of a
 * PDF, and that of the further pages of a TIFF file. A process must convert only one image or document at a
 * time.
 * @param options.maxPages how many pages are read at most
 * @param options.onPage called after each page, with the number of pages that are done and that of all
 * @throws PdfError `damaged` if the image cannot be read
 */
export async function parseImage(
  bytes: Uint8Array,
  ocr: OcrSettings,
  {
    maxPages = Number.POSITIVE_INFINITY,
    onPage,
  }: { maxPages?: number; onPage?: (pagesDone: number, pages: number) => void } = {},
): Promise<ImageText> {
  const images = splitTiff(toBuffer(bytes));
  const isCut = images.isCut && images.count <= maxPages;
  const pages: SourcePage[] = [];
  const count = Math.min(images.count, maxPages);
  for (let place = 0; place < count; place++) {
    const page = await readImage(images.page(place), ocr);
    pages.push({ ...page, number: place + 1 });
    onPage?.(pages.length, count);
  }
  return {
    ...(images.count > 1 && {
      pageCounts: { numPages: count, ...(!isCut && { totalPages: images.count }) },
    }),
    html: blocksToHtml(joinContinued(layoutDocument(pages).flat())),
    warnings: isCut ? [`Only the first ${MAX_TIFF_PAGES} pages of the image were read.`] : [],
  };
}

async function readImage(image: Buffer, ocr: OcrSettings): Promise<SourcePage> {
  const page = await recogniseImage(image, ocr).catch((cause: unknown) => {
    throw new PdfError(
      'damaged',
      'The image is damaged or has a variant of its format that cannot be read.',
      { cause },
    );
  });
  if (!page) throw new PdfError('damaged', 'The image has no pixels.');
  return page;
}
