import type { DocumentPage } from '../../snapshot.ts';
import type { Converter } from '../conversion/converter.ts';
import type { DocumentImage } from '../document.ts';
import { type PdfDocument, pdfToHtml } from './pdf-to-html.ts';

/** Converts PDF files. */
export const convertPdf: Converter = async (task, bytes, { ocr, report }) => {
  const { mode, maxPages, pages: wantsPages } = task.pdf ?? DEFAULTS;
  const document = await pdfToHtml(bytes, {
    mode,
    maxPages,
    images: task.images,
    onProgress: report,
    ...(ocr && { ocr }),
  });
  const { html, metadata, totalPages, pages, images, warnings } = document;
  return {
    html,
    metadata,
    totalPages,
    // A file of which nothing can be read is an error, so at least one page was read.
    numPages: Math.max(1, pages.filter(({ status }) => status !== 'failed').length),
    images: images.map(toImage),
    warnings,
    ...(wantsPages && { pages: pages.map(toPage) }),
  };
};

const DEFAULTS = { mode: 'auto', maxPages: 10_000, pages: false } as const;

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
