import { withFileUrls } from '../blobs/file-urls.ts';
import type { Document } from '../schemas/document.ts';
import type { ApiDeps } from './http/route.ts';

/** Parses a stored document and signs the URLs of its files. */
export function parseDocument(
  result: Buffer,
  baseUrl: string,
  { config }: Pick<ApiDeps, 'config'>,
): Document {
  // The scrape activity wrote the document in this shape.
  return JSON.parse(withFileUrls(result.toString(), baseUrl, config.secretKey)) as Document;
}
