import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives a key of 32 bytes from a secret (HKDF, RFC 5869).
 * @param purpose what the key is used for, including its owner; each purpose has a different key
 */
export const deriveKey = (secret: string | Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `winnow ${purpose}`, 32));

/** Encrypts bytes with AES-256-GCM. The result is the nonce, the ciphertext and the authentication tag. */
export function encrypt(key: Buffer, plain: Uint8Array): Buffer {
  const encryption = startEncryption(key);
  encryption.add(plain);
  return encryption.end();
}

/** Encrypts bytes that arrive in parts, like {@link encrypt}. Only ciphertext is kept. */
export function startEncryption(key: Buffer): { add(plain: Uint8Array): void; end(): Buffer } {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const parts: Buffer[] = [nonce];
  return {
    add: (plain) => void parts.push(cipher.update(plain)),
    end: () => Buffer.concat([...parts, cipher.final(), cipher.getAuthTag()]),
  };
}

/**
 * Decrypts what `encrypt` returned.
 * @throws Error if the key is a different one, or the bytes were modified
 */
export const decrypt = (key: Buffer, ciphertext: Buffer): Buffer =>
  Buffer.concat([...decryptParts(key, ciphertext, ciphertext.length)]);

/**
 * Decrypts what `encrypt` returned part by part, so that the whole is not in memory twice.
 * @param partBytes the size of each part in bytes, of which the last may have fewer
 * @throws Error with the last part as {@link decrypt}; the parts before must have no effect then
 */
export function* decryptParts(key: Buffer, ciphertext: Buffer, partBytes: number): Generator<Buffer> {
  const decipher = createDecipheriv(CIPHER, key, ciphertext.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
  const encrypted = ciphertext.subarray(NONCE_BYTES, -TAG_BYTES);
  for (let at = 0; at < encrypted.length; at += partBytes)
    yield decipher.update(encrypted.subarray(at, at + partBytes));
  const last = decipher.final();
  if (last.length) yield last;
}
