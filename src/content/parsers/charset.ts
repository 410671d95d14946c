import { isAscii, isUtf8 } from 'node:buffer';
import { detect } from 'chardet';
import { getEncoding } from 'encoding-sniffer';
import { type SourceText, wholeText } from '../source-text.ts';
import { encodingOfMark } from './byte-order-mark.ts';

/** Label that no real page declares, returned by the sniffer when it finds no declaration. */
const UNDECLARED = 'x-user-defined';
/**
 * Bytes searched for a declaration. The standard's 1024 bytes are a minimum, and some pages put scripts
 * before `<meta charset>`.
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

function decodeDetected(bytes: Uint8Array): string {
  const guess = detect(bytes.subarray(0, DETECTION_BYTES));
  const decoder = (guess && createDecoder(guess)) || new TextDecoder('windows-1252');
  return decoder.decode(bytes);
}

/** Takes the byte order mark off bytes in UTF-8. */
const withoutMark = (bytes: Uint8Array) => (encodingOfMark(bytes) === 'utf-8' ? bytes.subarray(3) : bytes);

/**
 * The declared encoding, or `x-user-defined`.
 * @param label the encoding that the header declares, or an empty string
 */
function findDeclared(bytes: Uint8Array, label: string): string {
  // Nearly all servers declare UTF-8. Then only a byte order mark can say otherwise, which is found without
  // the slow sniffer.
  if (/^utf-?8$/i.test(label) && (encodingOfMark(bytes) ?? 'utf-8') === 'utf-8') return 'utf-8';
  return getEncoding(bytes.subarray(0, SNIFFED_BYTES), {
    maxBytes: SNIFFED_BYTES,
    transportLayerEncodingLabel: label,
    defaultEncoding: UNDECLARED,
  });
}

/**
 * Decodes a page or text file. The encoding is that of the byte order mark, else of the header, else of
 * `<meta>` or the XML declaration, as in browsers. Text without a declaration is UTF-8 where it is valid,
 * else the encoding is detected. Characters beyond ASCII that are valid UTF-8 are UTF-8 whatever is declared,
 * because text in another encoding is hardly ever valid by chance, and declarations are often wrong.
 * @param contentType the `Content-Type` header, or an empty string
 * @returns a string; if the bytes are UTF-8, these bytes without their byte order mark
 */
export function decodePage(bytes: Uint8Array, contentType: string): SourceText {
  const declared = findDeclared(bytes, parseCharset(contentType) ?? '');
  const decoder = declared === UNDECLARED ? undefined : createDecoder(declared);
  if (isUtf8(bytes)) {
    const isUtf16 = decoder?.encoding.startsWith('utf-16');
    const mayBeUtf8 = !decoder || decoder.encoding === 'utf-8' || !(isUtf16 || isAscii(bytes));
    if (mayBeUtf8) return withoutMark(bytes);
  }
  return decoder ? decoder.decode(bytes) : decodeDetected(bytes);
}

/** Decodes a page or text file like {@link decodePage}. @returns a string */
export const decodeText = (bytes: Uint8Array, contentType: string): string =>
  wholeText(decodePage(bytes, contentType));
