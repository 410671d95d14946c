import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key for one purpose, from the service's own (RFC 5869). */
const derive = (secretKey: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `winnow ${purpose}`, 32));

/**
 * Encrypts bytes (AES-256-GCM).
 * @param purpose what they are and whose: they can be decrypted for the same purpose only
 */
export function encrypt(plain: Uint8Array, secretKey: string, purpose: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derive(secretKey, purpose), nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws where key or purpose are others, or the bytes were changed */
export function decrypt(sealed: Buffer, secretKey: string, purpose: string): Buffer {
  const decipher = createDecipheriv(CIPHER, derive(secretKey, purpose), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
