import { documentFormat } from './document-format.ts';

/**
 * What a body is good for: HTML source, a JSON document, text to show as it is, a PDF, an office file or book, or none
 * of these.
 */
export type BodyKind = 'html' | 'json' | 'text' | 'pdf' | 'document' | 'binary';

/** The bytes that browsers look at to recognise a body (WHATWG MIME Sniffing 5.2). */
const SNIFFED_BYTES = 1445;

const PDF = /^[\s\uFEFF\0]*%PDF-/;
/** Ahead of the first tag there may be blanks, a mark of byte order, comments and an XML declaration. */
const HTML =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
/** A feed or a sitemap: some are sent as HTML (WHATWG MIME Sniffing 7.3). */
const XML_LIST =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?[^>]*>)*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)[\s>]/i;
/** What only a body without a type is taken for HTML by (WHATWG MIME Sniffing 7.1, table 1). */
const HTML_FRAGMENT =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->)*<(?:script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|main|section|article|ul|span)[\s>/]/i;
/** Bytes that no text has (WHATWG MIME Sniffing 3, "binary data byte"). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
const BINARY = /[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/;
/** Files that are sent as HTML or text now and then, by their first bytes as Latin-1. */
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

const UNKNOWN = new Set([
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

/** The type of a `Content-Type` header without its parameters, in lower case; empty when there is none. */
export function essenceOf(contentType: string): string {
  return (contentType.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
}

function firstText(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFFED_BYTES));
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('latin1', 3);
  return bytes.toString('latin1');
}

function isJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  // Only what looks like an object or a list is parsed: a number alone is text.
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
 * Says what a body is: its first bytes where they are beyond doubt, else its `Content-Type`, else what it looks like.
 * Feeds, sitemaps, SVG and scripts are text.
 * @param path of the address: its ending counts where the type says nothing
 */
export function bodyKind(contentType: string, body: Uint8Array, path = ''): BodyKind {
  const type = essenceOf(contentType);
  const start = firstText(body);
  if (PDF.test(start)) return 'pdf';
  // Readers of PDF forgive what stands before its beginning, where all else says that it is one.
  if (start.includes('%PDF-') && (PDF_TYPES.has(type) || (UNKNOWN.has(type) && /\.pdf$/i.test(path))))
    return 'pdf';
  if (!HTML.test(start) && documentFormat(type, body, path)) return 'document';
  if (FILE_SIGNATURES.some((signature) => start.startsWith(signature))) return 'binary';
  if (HTML_TYPES.has(type) || HTML.test(start)) return XML_LIST.test(start) ? 'text' : 'html';
  if (JSON_TYPE.test(type)) return 'json';
  if (PDF_TYPES.has(type)) return 'pdf';
  if (TEXT_TYPE.test(type) || UNKNOWN.has(type)) {
    if (BINARY.test(start) && !/charset\s*=\s*"?utf-16/i.test(contentType)) return 'binary';
    if (UNKNOWN.has(type) && HTML_FRAGMENT.test(start)) return 'html';
    return (UNKNOWN.has(type) || type === 'text/plain') && isJson(body) ? 'json' : 'text';
  }
  return 'binary';
}
