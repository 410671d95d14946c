import { detectDocumentFormat } from './document-format.ts';
import { defineParser } from './parser.ts';

/** Office documents, e-books and mails. All of them are converted without options. */
export const office = defineParser({
  type: 'office',
  detect: (file) => detectDocumentFormat(file)?.evidence,
  parse(file, { wantsImages }) {
    const type = detectDocumentFormat(file)?.type;
    if (!type) throw file.unsupportedError();
    // Only the response says in which encoding the text is.
    const bytes = type === 'csv' || type === 'tsv' ? Buffer.from(file.decode()) : file.body;
    return { task: { type, images: wantsImages }, bytes };
  },
});
