import { detect } from 'chardet';
import { getEncoding } from 'encoding-sniffer';

/** A label that no page declares in earnest: what the sniffer answers when it found nothing. */
const UNDECLARED = 'x-user-defined';
/** Pages put their `<meta charset>` behind scripts and comments; the standard's 1024 bytes are a minimum. */
const SNIFFED_BYTES = 4 * 1024;
/** Guessing costs 0.1 ms a kilobyte and gets no better after this. */
const GUESSED_BYTES = 64 * 1024;

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // Labels from outside may name anything; only the decoder knows which it has.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decodeUndeclared(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // A TypeError is how it says that this is no UTF-8.
    if (!(error instanceof TypeError)) throw error;
  }
  const guess = detect(bytes.subarray(0, GUESSED_BYTES));
  const decoder = (guess && decoderOf(guess)) || new TextDecoder('windows-1252');
  return decoder.decode(bytes);
}

/**
 * Decodes a page or text file: byte order mark, then header, then `<meta>` or XML declaration decide, as in browsers;
 * undeclared text is UTF-8 if it can be, and a guess otherwise.
 * @param contentType the `Content-Type` header, or an empty string
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const declared = getEncoding(bytes.subarray(0, SNIFFED_BYTES), {
    maxBytes: SNIFFED_BYTES,
    transportLayerEncodingLabel: charsetOf(contentType) ?? '',
    defaultEncoding: UNDECLARED,
  });
  const decoder = declared === UNDECLARED ? undefined : decoderOf(declared);
  return decoder ? decoder.decode(bytes) : decodeUndeclared(bytes);
}
