import { ServiceError } from '../errors.ts';
import { detectBodyKind, parseMediaType } from '../parsers/body-kind.ts';
import { decodeText } from '../parsers/charset.ts';
import { detectDocumentFormat } from '../parsers/document-format.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Base64Mode } from './engine.ts';

/** A response before decoding. */
interface RawResponse {
  url: string;
  contentType: string;
  body: Uint8Array;
}

/**
 * Decodes a response body to text, or encodes it in base64 if the mode asks for that.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert
 */
export function decodeBody(
  { url, contentType, body }: RawResponse,
  mode: Base64Mode,
): Pick<Snapshot, 'kind' | 'text'> {
  if (mode === 'everything') return encodeBase64(body);
  const { pathname } = new URL(url);
  const kind = detectBodyKind(contentType, body, pathname);
  const type = parseMediaType(contentType);
  if (kind === 'document') {
    const format = detectDocumentFormat(type, body, pathname);
    throw unsupportedFileError(
      url,
      `a file of the format ${format}`,
      'Office files and books cannot be converted yet.',
    );
  }
  if (kind === 'binary') {
    const what = type || 'a binary file without a Content-Type';
    throw unsupportedFileError(url, what, 'Only pages, text and JSON can be scraped.');
  }
  if (kind !== 'pdf') return { kind, text: decodeText(body, contentType) };
  if (mode === 'pdf') return encodeBase64(body);
  const advice = 'PDFs cannot be converted yet; send "parsers": [] to get it as base64.';
  throw unsupportedFileError(url, 'application/pdf', advice);
}

const encodeBase64 = (body: Uint8Array) => ({
  kind: 'base64' as const,
  text: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
});

function unsupportedFileError(url: string, what: string, advice: string): ServiceError {
  return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is ${what}. ${advice}`);
}
