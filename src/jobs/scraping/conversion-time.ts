import type { DocumentType } from '../../content/parsers/document.ts';

const MINUTE_MS = 60_000;
/** The documents whose text may have to be recognised, which takes a second or more for each page. */
const MAY_NEED_OCR = new Set<DocumentType>(['pdf', 'image']);

/**
 * How long the conversion of a document may continue after the timeout of its page, in milliseconds. One that
 * needs no OCR and takes longer seldom ends at all.
 */
export const maxOvertimeMs = (type: DocumentType): number =>
  MAY_NEED_OCR.has(type) ? 20 * MINUTE_MS : 5 * MINUTE_MS;
