import { ServiceError } from '../errors.ts';
import { detectBodyKind, parseMediaType } from '../net/body-kind.ts';
import { decodeText } from '../net/charset.ts';
import { detectDocumentFormat } from '../net/document-format.ts';
import type { Snapshot } from '../snapshot.ts';
import type { WantedAsBase64 } from './engine.ts';

/** An answer as it was sent. */
interface Answer {
  url: string;
  contentType: string;
  body: Uint8Array;
}

/**
 * What an answer is as content: text decoded, or its bytes in base64 where those are wanted.
 * @throws ServiceError `SCRAPE_UNSUPPORTED_FILE_ERROR` for a file that nothing can convert
 */
export function contentOf(
  { url, contentType, body }: Answer,
  wanted: WantedAsBase64,
): Pick<Snapshot, 'kind' | 'text'> {
  if (wanted === 'everything') return inBase64(body);
  const { pathname } = new URL(url);
  const kind = detectBodyKind(contentType, body, pathname);
  const type = parseMediaType(contentType);
  if (kind === 'document') {
    const format = detectDocumentFormat(type, body, pathname);
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
  if (wanted === 'pdf') return inBase64(body);
  const advice = 'PDFs cannot be converted yet; send "parsers": [] to get it as base64.';
  throw unsupported(url, 'application/pdf', advice);
}

const inBase64 = (body: Uint8Array) => ({
  kind: 'base64' as const,
  text: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
});

function unsupported(url: string, what: string, advice: string): ServiceError {
  return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is ${what}. ${advice}`);
}
