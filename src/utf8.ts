import { transcode } from 'node:buffer';
import { codeOf } from './errors.ts';

/**
 * Encodes a long text in UTF-8, which takes half the time or less of `Buffer.from(text)`. Both replace surrogates without a
 * partner by U+FFFD.
 */
export function encodeUtf8(text: string): Buffer {
  try {
    return transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'U_INVALID_CHAR_FOUND') throw error;
    return Buffer.from(text);
  }
}
