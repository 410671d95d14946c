import { toDocument } from '@firecrawl/anydoc';
import { toOfficeError } from './errors.ts';
import type { Asset, OfficeModel } from './model.ts';
import { toHtml } from './to-html.ts';

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
export async function parseOffice(bytes: Uint8Array): Promise<OfficeDocument> {
  const model = (await toDocument(bytes).catch((error: unknown) => {
    throw toOfficeError(error);
  })) as unknown as OfficeModel;
  return { html: toHtml(model), images: model.assets, warnings: [] };
}
