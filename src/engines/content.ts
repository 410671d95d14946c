import { ServiceError } from '../errors.ts';
import { decodeText } from '../net/charset.ts';
import { documentFormat } from '../net/document-format.ts';
import { essenceOf, mediaKind } from '../net/media-type.ts';
import type { Snapshot } from '../snapshot.ts';

/** An answer as it was sent. */
interface Answer {
  url: string;
  contentType: string;
  body: Uint8Array;
}

/**
 * What an answer is as content: text decoded, a PDF as base64 where that is wanted.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert
 */
export function contentOf(
  { url, contentType, body }: Answer,
  pdfAsBase64: boolean,
): Pick<Snapshot, 'kind' | 'text'> {
  const { pathname } = new URL(url);
  const kind = mediaKind(contentType, body, pathname);
  const type = essenceOf(contentType);
  if (kind === 'document') {
    const format = documentFormat(type, body, pathname);
    throw unsupported(
      url,
      `a file of the format ${format}`,
      'Office files and books cannot be converted yet.',
    );
  }
  if (kind === 'binary') {
    const what = type || 'a binary file without a Content-Type';
    throw unsupported(url, what, 'Only pages, text and JSON can be scraped.');
  }
  if (kind !== 'pdf') return { kind, text: decodeText(body, contentType) };
  if (pdfAsBase64) return { kind: 'base64', text: Buffer.from(body).toString('base64') };
  const advice = 'PDFs cannot be converted yet; send "parsers": [] to get it as base64.';
  throw unsupported(url, 'application/pdf', advice);
}

function unsupported(url: string, what: string, advice: string): ServiceError {
  return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is ${what}. ${advice}`);
}
