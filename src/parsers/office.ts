import { documentFile } from './document-file.ts';
import { detectDocumentFormat } from './document-format.ts';
import { defineParser } from './parser.ts';

/** Office documents, e-books and mails. All of them are converted without options. */
export const office = defineParser({
  type: 'office',
  detect: (file) => detectDocumentFormat(file)?.evidence,
  async parse(file, { wantsImages, convert, signal }) {
    const type = detectDocumentFormat(file)?.type;
    if (!type) throw file.unsupported();
    const task = { type, images: wantsImages };
    // Only the response says in which encoding the text is.
    const bytes = type === 'csv' || type === 'tsv' ? Buffer.from(file.decode()) : file.body;
    return documentFile(task, await convert(task, bytes, signal));
  },
});
