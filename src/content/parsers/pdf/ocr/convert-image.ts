import type { Converter } from '../../conversion/converter.ts';
import { DocumentError } from '../../document-error.ts';
import { parseImage } from './parse-image.ts';

const NO_TEXT = 'No text was recognised in the image.';

/** Converts raster images to the text in them. */
export const convertImage: Converter = async ({ maxImagePages: maxPages }, bytes, { ocr, report }) => {
  if (!ocr) throw new DocumentError('unavailable', 'The service has no language data for recognising text.');
  const onPage = (pagesDone: number, pages: number) => report({ pagesDone, pages });
  const { html, pageCounts, warnings } = await parseImage(bytes, ocr, {
    onPage,
    ...(maxPages !== undefined && { maxPages }),
  });
  return {
    html,
    metadata: {},
    images: [],
    warnings: html ? warnings : [NO_TEXT, ...warnings],
    ...pageCounts,
  };
};
