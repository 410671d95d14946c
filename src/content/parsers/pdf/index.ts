import type { DocumentPage } from '../../snapshot.ts';
import type { Converter } from '../conversion/converter.ts';
import { type DocumentImage, imageUrl, type PdfTask } from '../document.ts';
import { type PdfDocument, pdfToHtml } from './pdf-to-html.ts';

/** Converts PDF files. */
export const convertPdf: Converter = async (task, bytes, { ocr, report }) => {
  const { mode, maxPages, pages: wantsPages, pageImages = [] } = task.pdf ?? DEFAULTS;
  const document = await pdfToHtml(bytes, {
    mode,
    maxPages,
    images: task.images,
    pageImages,
    onProgress: report,
    ...(ocr && { ocr }),
  });
  const { html, metadata, totalPages, pages, images, warnings } = document;
  const drawn = new Set(document.pageImages.map(({ number }) => number));
  return {
    html,
    metadata,
    totalPages,
    // A file of which nothing can be read is an error, so at least one page was read.
    numPages: Math.max(1, pages.filter(({ status }) => status !== 'failed').length),
    images: [...images.map(toImage), ...document.pageImages.map(toPageImage)],
    warnings,
    ...(wantsPages && {
      pages: pages.map((page) => ({
        ...toPage(page),
        ...(drawn.has(page.number) && { image: imageUrl(pageImageId(page.number)) }),
      })),
    }),
  };
};

const DEFAULTS: PdfTask = { mode: 'auto', maxPages: 10_000, pages: false };

/** Images inside a document have other identifiers, which liteparse makes of the number of the page and its own. */
const pageImageId = (number: number) => `page-${number}`;

const toPageImage = ({ number, bytes }: PdfDocument['pageImages'][number]): DocumentImage => ({
  id: pageImageId(number),
  mediaType: 'image/png',
  bytes,
});

const toImage = ({ id, format, bytes }: PdfDocument['images'][number]): DocumentImage => ({
  id,
  mediaType: format === 'png' ? 'image/png' : 'image/jpeg',
  bytes,
});

const toPage = ({
  number,
  width,
  height,
  status,
  html,
  blocks,
}: PdfDocument['pages'][number]): DocumentPage => ({
  number,
  width,
  height,
  status,
  html,
  blocks: blocks.map((block) => ({ ...block, label: labelIn(block.content) })),
});

const LABEL =
  /^(?:table|figure|fig\.|chart|listing|algorithm|equation|appendix)\s+(?:[A-Z]\.?)?\d+(?:\.\d+)*/i;

/** The label in a caption, such as `Table 3`; `null` if it has none. */
const labelIn = (content: string) => LABEL.exec(content)?.[0] ?? null;
