import { detectDocumentFormat } from './document-format.ts';
import { defineParser } from './parser.ts';

/** Office documents and e-books, which cannot be converted yet. */
export const office = defineParser({
  type: 'office',
  detect: ({ mediaType, body, path }) => detectDocumentFormat(mediaType, body, path)?.evidence,
  parse(file) {
    const format = detectDocumentFormat(file.mediaType, file.body, file.path)?.format;
    throw file.unsupported(
      `a file of the format ${format}`,
      'Office files and books cannot be converted yet.',
    );
  },
});
