import { detect } from 'chardet';
import { getEncoding } from 'encoding-sniffer';

/** Label that no real page declares, returned by the sniffer when it finds no declaration. */
const UNDECLARED = 'x-user-defined';
/**
 * Bytes searched for a declaration. The standard's 1024 bytes are a minimum, and some pages put scripts before `<meta
 * charset>`.
 */
const SNIFFED_BYTES = 4 * 1024;
/** Bytes used for detection, which takes 0.1 ms per kilobyte and does not improve with more. */
const DETECTION_BYTES = 64 * 1024;

function parseCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function createDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // A page may declare any label; only the constructor knows which are supported.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decodeUndeclared(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (!(error instanceof TypeError)) throw error;
  }
  const guess = detect(bytes.subarray(0, DETECTION_BYTES));
  const decoder = (guess && createDecoder(guess)) || new TextDecoder('windows-1252');
  return decoder.decode(bytes);
}

/** The declared encoding, or `x-user-defined`. @param label the encoding that the header declares, or an empty string */
function findDeclared(bytes: Uint8Array, label: string): string {
  // Nearly all servers declare UTF-8, so that only a byte order mark could say otherwise, and the sniffer is slow.
  if (/^utf-?8$/i.test(label) && !hasUtf16Mark(bytes)) return 'utf-8';
  return getEncoding(bytes.subarray(0, SNIFFED_BYTES), {
    maxBytes: SNIFFED_BYTES,
    transportLayerEncodingLabel: label,
    defaultEncoding: UNDECLARED,
  });
}

const hasUtf16Mark = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/**
 * Decodes a page or text file. The encoding is that of the byte order mark, else of the header, else of `<meta>` or the
 * XML declaration, as in browsers. Text without a declaration is UTF-8 where it is valid, else the encoding is detected.
 * @param contentType the `Content-Type` header, or an empty string
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const declared = findDeclared(bytes, parseCharset(contentType) ?? '');
  const decoder = declared === UNDECLARED ? undefined : createDecoder(declared);
  return decoder ? decoder.decode(bytes) : decodeUndeclared(bytes);
}
