import { DocumentError } from '../document-error.ts';
import { parseImage } from '../pdf/parse-image.ts';
import type { Converter } from './converter.ts';

const NO_TEXT = 'No text was recognised in the image.';

/** Converts raster images to the text in them. */
export const convertImage: Converter = async (_task, bytes, { ocr }) => {
  if (!ocr) throw new DocumentError('unavailable', 'The service has no language data for recognising text.');
  const html = await parseImage(bytes, ocr);
  return { html, metadata: {}, images: [], warnings: html ? [] : [NO_TEXT] };
};
