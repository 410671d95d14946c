import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, deriveKey, encrypt, startEncryption } from './cipher.ts';

const keyFor = (uploadId: string, secretKey: string) => deriveKey(secretKey, `upload ${uploadId}`);

/** Starts a hash of a file, with a key so that it tells nobody else which file it is. */
export const startDigest = (secretKey: string) => createHmac('sha256', deriveKey(secretKey, 'upload digest'));

/**
 * Encrypts an uploaded file with a random key of its own, while the file arrives.
 * @returns the encryption; `wrappedKey` is that key, encrypted with a key derived from the service's secret,
 * as the row of
 *   the upload stores it
 */
export function encryptUpload(uploadId: string, secretKey: string) {
  const key = randomBytes(32);
  return { ...startEncryption(key), wrappedKey: encrypt(keyFor(uploadId, secretKey), key) };
}

/**
 * Decrypts a file that {@link encryptUpload} encrypted.
 * @throws Error if the bytes or the key were modified
 */
export function decryptUpload(
  upload: { id: string; wrappedKey: Buffer; ciphertext: Buffer },
  secretKey: string,
): Buffer {
  const { id, wrappedKey, ciphertext } = upload;
  return decrypt(decrypt(keyFor(id, secretKey), wrappedKey), ciphertext);
}
