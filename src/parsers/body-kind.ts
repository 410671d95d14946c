import { detectDocumentFormat } from './document-format.ts';

/**
 * Kind of a response body: HTML source, JSON, any other text, PDF, an office document or e-book, or anything else.
 */
export type BodyKind = 'html' | 'json' | 'text' | 'pdf' | 'document' | 'binary';

/** Number of bytes that browsers examine to recognise a body (WHATWG MIME Sniffing 5.2). */
const SNIFFED_BYTES = 1445;

const PDF = /^[\s\uFEFF\0]*%PDF-/;
/** White space, a byte order mark, comments and an XML declaration may precede the first tag. */
const HTML =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
/** Feeds and sitemaps, some of which are sent as HTML (WHATWG MIME Sniffing 7.3). */
const XML_LIST =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?[^>]*>)*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)[\s>]/i;
/** First tags by which a body without a declared type is recognised as HTML (WHATWG MIME Sniffing 7.1, table 1). */
const HTML_FRAGMENT =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->)*<(?:script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|main|section|article|ul|span)[\s>/]/i;
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
const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml']);
const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;
const PDF_TYPES = new Set(['application/pdf', 'application/x-pdf']);
const TEXT_TYPE =
  /^text\/|\+xml$|^application\/(?:xml|(?:x-)?(?:javascript|ecmascript|typescript|yaml|toml|ndjson|sh|tex|latex|httpd-php)|jsonl(?:ines)?|json-seq|json5|sql|graphql|x-www-form-urlencoded|xml-dtd|mbox|x-subrip|vnd\.apple\.mpegurl|x-mpegurl)$/;

/** Parses the media type of a `Content-Type` header, without parameters and in lower case; empty when there is none. */
export function parseMediaType(contentType: string): string {
  return (contentType.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
}

function decodeStart(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFFED_BYTES));
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('latin1', 3);
  return bytes.toString('latin1');
}

function isJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  // Only objects and arrays count: a single number or word is text.
  if (first !== 0x7b && first !== 0x5b) return false;
  try {
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Detects the kind of a body: by its first bytes where they are unambiguous, else by its `Content-Type`, else by its
 * content. Feeds, sitemaps, SVG and scripts are text.
 * @param path path of the URL, whose extension counts where the type is unknown
 */
export function detectBodyKind(contentType: string, body: Uint8Array, path = ''): BodyKind {
  const type = parseMediaType(contentType);
  const start = decodeStart(body);
  if (PDF.test(start)) return 'pdf';
  // PDF readers accept bytes before the signature. They are accepted here where the type or the name says PDF.
  if (start.includes('%PDF-') && (PDF_TYPES.has(type) || (UNKNOWN_TYPES.has(type) && /\.pdf$/i.test(path))))
    return 'pdf';
  if (!HTML.test(start) && detectDocumentFormat(type, body, path)) return 'document';
  if (FILE_SIGNATURES.some((signature) => start.startsWith(signature))) return 'binary';
  if (HTML_TYPES.has(type) || HTML.test(start)) return XML_LIST.test(start) ? 'text' : 'html';
  if (JSON_TYPE.test(type)) return 'json';
  if (PDF_TYPES.has(type)) return 'pdf';
  if (TEXT_TYPE.test(type) || UNKNOWN_TYPES.has(type)) {
    if (BINARY.test(start) && !/charset\s*=\s*"?utf-16/i.test(contentType)) return 'binary';
    if (UNKNOWN_TYPES.has(type) && HTML_FRAGMENT.test(start)) return 'html';
    return (UNKNOWN_TYPES.has(type) || type === 'text/plain') && isJson(body) ? 'json' : 'text';
  }
  return 'binary';
}
