import { inspect } from 'node:util';

/** Maximum length of the result of a call, in characters. */
export const MAX_RESULT_CHARS = 1_000_000;

/** The first bytes of the types that pages are captured as. */
const SIGNATURES: readonly [signature: string, offset: number, mediaType: string][] = [
  ['\x89PNG\r\n\x1a\n', 0, 'image/png'],
  ['\xff\xd8\xff', 0, 'image/jpeg'],
  ['WEBP', 8, 'image/webp'],
  ['%PDF-', 0, 'application/pdf'],
];

/**
 * The text of a result: strings as they are, nothing for `undefined`, bytes as a `data:` URL (RFC 2397), JSON
 * for what has it.
 */
export function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return dataUrlOf(value);
  if (typeof value !== 'object' || value instanceof Error) return inspectedOrText(value);
  const isContainer = value instanceof Map || value instanceof Set || value instanceof RegExp;
  try {
    return (isContainer ? undefined : JSON.stringify(value)) ?? inspect(value);
  } catch {
    // It refers to itself, or contains a BigInt.
    return inspect(value);
  }
}

const inspectedOrText = (value: unknown) => (value instanceof Error ? inspect(value) : String(value));

/** @throws Error if the bytes are too many for a result, because nobody can read a part of an image */
function dataUrlOf(value: Uint8Array): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const found = SIGNATURES.find(([signature, offset]) =>
    bytes.subarray(offset, offset + signature.length).equals(Buffer.from(signature, 'latin1')),
  );
  const url = `data:${found?.[2] ?? 'application/octet-stream'};base64,${bytes.toString('base64')}`;
  if (url.length <= MAX_RESULT_CHARS) return url;
  throw new Error(
    `The result has ${bytes.length} bytes, which are too many for a response. Write it to a file in /downloads, such as by page.screenshot({ path: '/downloads/page.png' }).`,
  );
}
