import { ServiceError } from '../../errors.ts';
import type { FetchedSnapshot } from '../snapshot.ts';
import { type SourceText, toBuffer } from '../source-text.ts';
import { encodingOfMark } from './byte-order-mark.ts';
import { decodePage, decodeText, guessedEncoding } from './charsets/decode-text.ts';
import { utf16WithoutMark } from './charsets/detect-encoding.ts';

/** The part of a snapshot that formats are derived from. */
export type ParsedFile = Pick<FetchedSnapshot, 'kind' | 'text'>;

/** Number of bytes that browsers examine to recognise a body (WHATWG MIME Sniffing 5.2). */
const SNIFFED_BYTES = 1445;
/** Bytes that do not occur in text (WHATWG MIME Sniffing 3, "binary data byte"). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
const BINARY = /[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/;
/** First bytes, as Latin-1, of binary files that servers sometimes send as HTML or text. */
const FILE_SIGNATURES = [
  '\x89PNG\r\n',
  '\xFF\xD8\xFF',
  'GIF87a',
  'GIF89a',
  'PK\x03\x04',
  '\x1F\x8B\x08',
  'OggS\0',
  '7z\xBC\xAF',
];

const UNKNOWN_TYPES = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/unknown',
  'unknown/unknown',
  '*/*',
]);

/**
 * Parses the media type of a `Content-Type` header, without parameters and in lower case; empty when there is
 * none.
 */
export function parseMediaType(contentType: string): string {
  return (contentType.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
}

/** Whether a media type, in lower case, says nothing about the content. */
export const isUndeclaredType = (mediaType: string) => UNKNOWN_TYPES.has(mediaType);

function decodeStart(body: Uint8Array): string {
  const bytes = toBuffer(body).subarray(0, SNIFFED_BYTES);
  const encoding = encodingOfMark(bytes) ?? utf16WithoutMark(bytes);
  if (encoding === 'utf-8') return bytes.toString('latin1', 3);
  return encoding ? new TextDecoder(encoding).decode(bytes) : bytes.toString('latin1');
}

/** A response with a file. */
export interface FileResponse {
  url: string;
  contentType: string;
  /** The name in `Content-Disposition`; absent or empty without one. */
  fileName?: string;
  body: Uint8Array;
}

/** A file as it was received, before anything is known of its type but what the sender declared. */
export class ReceivedFile {
  /** URL after redirects. */
  readonly url: string;
  /** Value of `Content-Type`; empty without one. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /**
   * The name whose extension says the type: the one that the sender gave the file, if it has one, else the
   * path of the URL.
   */
  readonly name: string;
  /** Media type of `contentType`, without parameters and in lower case; empty without one. */
  readonly mediaType: string;
  /** The beginning of the body, decoded as UTF-16 if it has such a byte order mark, else as Latin-1. */
  readonly start: string;

  constructor({ url, contentType, fileName = '', body }: FileResponse) {
    this.url = url;
    this.name = /\.\w+$/.test(fileName) ? fileName : (URL.parse(url)?.pathname ?? '');
    this.contentType = contentType;
    this.body = body;
    this.mediaType = parseMediaType(contentType);
    this.start = decodeStart(body);
  }

  /** Whether the declared media type says nothing about the content. */
  get isUndeclared(): boolean {
    return isUndeclaredType(this.mediaType);
  }

  /** Whether the file begins with the signature of a common binary file. */
  get hasBinarySignature(): boolean {
    return FILE_SIGNATURES.some((signature) => this.start.startsWith(signature));
  }

  /** Whether the file can be text: it has no binary signature, and no bytes that do not occur in text. */
  get isTextual(): boolean {
    if (this.hasBinarySignature) return false;
    return !BINARY.test(this.start) || /charset\s*=\s*"?utf-16/i.test(this.contentType);
  }

  /** Decodes the body to text, which may be left in UTF-8. */
  decodePage(): SourceText {
    return decodePage(this.body, this.contentType);
  }

  /** Decodes the body to a string. */
  decode(): string {
    return decodeText(this.body, this.contentType);
  }

  /** The encoding by which the body is decoded, if that is a guess. */
  get guessedEncoding(): string | undefined {
    return guessedEncoding(this.body, this.contentType);
  }

  /** The body in base64, as a snapshot. */
  toBase64(): ParsedFile {
    const { buffer, byteOffset, byteLength } = this.body;
    return { kind: 'base64', text: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
  }

  /** The error for a file that cannot be converted. */
  unsupportedError(
    what = this.mediaType || 'a binary file without a Content-Type',
    advice = ONLY_TEXT,
  ): ServiceError {
    return new ServiceError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${this.url} is ${what}. ${advice}`);
  }
}

const ONLY_TEXT = 'Only pages, text, JSON and documents can be scraped.';
