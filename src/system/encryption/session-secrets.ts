import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from './cipher.ts';

/** The rights of a secret's bearer: drive the browser, watch it, or watch it and send input. */
export type SessionAccess = 'cdp' | 'view' | 'control';

const SALT_BYTES = 16;

/** Returns the salt of a new session. */
export const createSessionSalt = () => randomBytes(SALT_BYTES);

/**
 * Derives a secret of a session from the service's key (HMAC-SHA-256). It is stored nowhere and can be
 * derived again.
 * @returns 256 bits as URL-safe characters
 */
export function sessionSecret(
  secretKey: string,
  { id, salt, access }: { id: string; salt: Buffer; access: SessionAccess },
): string {
  return createHmac('sha256', deriveKey(secretKey, 'session'))
    .update(`${id} ${access} `)
    .update(salt)
    .digest('base64url');
}

/** Compares two secrets in a time that does not depend on their content. */
export function equalSecrets(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
