import { toBuffer } from '../source-text.ts';
import { defineParser } from './parser.ts';

const MEDIA_TYPE = /^(?:application|text)\/json$|\+json$/;

function isJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  // Only objects and arrays count: a single number or word is text.
  if (first !== 0x7b && first !== 0x5b) return false;
  try {
    JSON.parse(toBuffer(body).toString('utf8'));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** JSON documents. */
export const json = defineParser({
  type: 'json',
  detect({ mediaType, isUndeclared, isTextual, hasBinarySignature, body }) {
    if (MEDIA_TYPE.test(mediaType)) return hasBinarySignature ? undefined : 'type';
    // Many servers declare JSON as plain text.
    if (mediaType === 'text/plain') return isTextual && isJson(body) ? 'type' : undefined;
    return isUndeclared && isTextual && isJson(body) ? 'content' : undefined;
  },
  parse: (file) => ({ kind: 'json', text: file.decode() }),
});
