import { isAscii, isUtf8 } from 'node:buffer';
import { getEncoding } from 'encoding-sniffer';
import { type SourceText, wholeText } from '../../source-text.ts';
import { encodingOfMark } from '../byte-order-mark.ts';
import { createDecoder, decodeBytes } from './code-pages.ts';
import { detectEncoding, utf16WithoutMark } from './detect-encoding.ts';

/** Label that no real page declares, returned by the sniffer when it finds no declaration. */
const UNDECLARED = 'x-user-defined';
/**
 * Bytes searched for a declaration. The standard's 1024 bytes are a minimum, and some pages put scripts
 * before `<meta charset>`.
 */
const SNIFFED_BYTES = 4 * 1024;

function parseCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
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
  const decoder = declaredDecoder(bytes, contentType);
  if (isUtf8(bytes) && (decoder || !utf16WithoutMark(bytes))) {
    const isUtf16 = decoder?.encoding.startsWith('utf-16');
    const mayBeUtf8 = !decoder || decoder.encoding === 'utf-8' || !(isUtf16 || isAscii(bytes));
    if (mayBeUtf8) return withoutMark(bytes);
  }
  return decoder ? decoder.decode(bytes) : decodeBytes(bytes, detectEncoding(bytes).encoding);
}

function declaredDecoder(bytes: Uint8Array, contentType: string): TextDecoder | undefined {
  const declared = findDeclared(bytes, parseCharset(contentType) ?? '');
  return declared === UNDECLARED ? undefined : createDecoder(declared);
}

/**
 * The encoding by which {@link decodePage} reads a text, if that is a guess: nothing declares one, and others
 * are nearly as likely.
 */
export function guessedEncoding(bytes: Uint8Array, contentType: string): string | undefined {
  if (isUtf8(bytes) || declaredDecoder(bytes, contentType)) return undefined;
  const { encoding, isCertain } = detectEncoding(bytes);
  return isCertain ? undefined : encoding;
}

/** Decodes a page or text file like {@link decodePage}. @returns a string */
export const decodeText = (bytes: Uint8Array, contentType: string): string =>
  wholeText(decodePage(bytes, contentType));
