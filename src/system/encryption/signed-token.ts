import { createHmac, timingSafeEqual } from 'node:crypto';

const sign = (payload: string, key: string | Buffer) =>
  createHmac('sha256', key).update(payload).digest('base64url');

/**
 * Puts plain data into a token of URL-safe characters, which everybody can read but only the owner of the key
 * can create.
 */
export function signToken(value: unknown, key: string | Buffer): string {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${payload}.${sign(payload, key)}`;
}

/** Returns the data of a token that `signToken` created with the same key; `undefined` for any other text. */
export function readSignedToken(token: string, key: string | Buffer): unknown {
  const [payload = '', signature = ''] = token.split('.');
  const expected = Buffer.from(sign(payload, key));
  const received = Buffer.from(signature);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}
