import { toDocument } from '@firecrawl/anydoc';
import { readRtfParagraphs } from '../rtf/paragraphs.ts';
import { ZipArchive } from '../zip.ts';
import { readDocxParagraphs } from './docx-paragraphs.ts';
import { toOfficeError } from './errors.ts';
import type { Asset, OfficeModel } from './model.ts';
import { readOdtParagraphs } from './odt-paragraphs.ts';
import { addSourceProperties, type SourceParagraph } from './source-paragraphs.ts';
import { toHtml } from './to-html.ts';

export { OfficeError } from './errors.ts';

/** Formats of text documents. A docm file is a `docx`. */
export type OfficeFormat = 'docx' | 'doc' | 'odt' | 'rtf';

export interface OfficeDocument {
  html: string;
  /** Images, to which the HTML refers by URLs of the form `office-image:<id>`. */
  images: Asset[];
  /** English sentences about content that is missing or unreliable. */
  warnings: string[];
}

/**
 * Converts a text document to HTML.
 * @throws OfficeError if the document needs a password or nothing of it can be read
 */
export async function parseOffice(bytes: Uint8Array, format: OfficeFormat): Promise<OfficeDocument> {
  const model = (await toDocument(bytes).catch((error: unknown) => {
    throw toOfficeError(error);
  })) as unknown as OfficeModel;
  const warnings: string[] = [];
  try {
    addSourceProperties(model, readParagraphs(bytes, format));
  } catch {
    warnings.push('Parts of the document are damaged: inline code, superscripts or headings may be missing.');
  }
  return { html: toHtml(model), images: model.assets, warnings };
}

/** Reads the properties that anydoc loses. Nothing reads them from the binary format `doc`. */
function readParagraphs(bytes: Uint8Array, format: OfficeFormat): SourceParagraph[] {
  switch (format) {
    case 'docx':
      return readDocxParagraphs(new ZipArchive(bytes));
    case 'odt':
      return readOdtParagraphs(new ZipArchive(bytes));
    case 'rtf':
      return readRtfParagraphs(bytes);
    case 'doc':
      return [];
  }
}
