import type { ConvertedDocument } from '../document.ts';

/** Control characters that have no meaning in HTML or JSON, and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const NO_TEXT = /[\0-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff]/g;

/** A text without control characters, and with U+FFFD for halves of characters (lone surrogates). */
const cleanText = (text: string): string => text.replace(NO_TEXT, '').toWellFormed();

/** A document whose texts are all valid in JSON, whatever its file has. Those of its pages are as well. */
export function cleanDocument<Document extends Omit<ConvertedDocument, 'images'>>(
  document: Document,
): Document {
  return {
    ...document,
    html: cleanText(document.html),
    warnings: document.warnings.map(cleanText),
    metadata: Object.fromEntries(
      Object.entries(document.metadata).map(([name, value]) => [name, cleanText(value)]),
    ),
  };
}
