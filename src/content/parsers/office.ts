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
    if (type !== 'csv' && type !== 'tsv') return { task: { type, images: wantsImages }, bytes: file.body };
    const { guessedEncoding } = file;
    const task = { type, images: wantsImages, ...(guessedEncoding && { guessedEncoding }) };
    return { task, bytes: Buffer.from(file.decode()) };
  },
});
