import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, decryptParts, deriveKey, encrypt, startEncryption } from './cipher.ts';

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

/** A file that {@link encryptUpload} encrypted. */
interface EncryptedUpload {
  id: string;
  wrappedKey: Buffer;
  ciphertext: Buffer;
}

/** Bytes of a file that are decrypted at once. */
const PART_BYTES = 64 * 1024;

/** Decrypts a file like {@link decryptUpload}, part by part, as `decryptParts` does. */
export const decryptUploadParts = (
  { id, wrappedKey, ciphertext }: EncryptedUpload,
  secretKey: string,
): Generator<Buffer> => decryptParts(decrypt(keyFor(id, secretKey), wrappedKey), ciphertext, PART_BYTES);

/**
 * Decrypts a file that {@link encryptUpload} encrypted.
 * @throws Error if the bytes or the key were modified
 */
export function decryptUpload(upload: EncryptedUpload, secretKey: string): Buffer {
  const { id, wrappedKey, ciphertext } = upload;
  return decrypt(decrypt(keyFor(id, secretKey), wrappedKey), ciphertext);
}
