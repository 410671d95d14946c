import { createHmac, randomBytes } from 'node:crypto';
import { isErrorCode, ServiceError } from '../../errors.ts';
import { decrypt, deriveKey, encrypt } from './cipher.ts';

/**
 * Encrypts and decrypts the stored data of one job. A job with zero data retention has its own key
 * (AES-256-GCM), which is deleted together with the data of the job. The cipher of any other job leaves
 * everything unencrypted.
 */
export interface JobCipher {
  /** Whether the job is encrypted; if not, all methods return their argument unencrypted. */
  readonly encrypts: boolean;
  /**
   * The key of the job, encrypted with a key derived from the service's secret, as the row of the job stores
   * it. It is `null` for a job that is not encrypted.
   */
  readonly wrappedKey: Buffer | null;
  /** Encrypts a text. */
  encrypt(text: string): string;
  /** Decrypts a text that `encrypt` returned. A text that is not encrypted is returned unchanged. */
  decrypt(text: string): string;
  encryptBytes(bytes: Buffer): Buffer;
  decryptBytes(bytes: Buffer): Buffer;
  /** Converts a value to JSON for a database column. The encrypted form is a JSON string. */
  encryptJson(value: unknown): string;
  /** Restores a value from a column written by `encryptJson`, whose JSON the database client has parsed. */
  decryptJson(value: unknown): unknown;
  /**
   * Hashes a text with a key of the job, so that equal texts of the job can be found without decryption. An
   * unencrypted text is its own hash.
   */
  hash(text: string): string;
}

/** Prefix that distinguishes encrypted texts from texts that were stored unencrypted. */
const PREFIX = 'sealed:';

/** Replaces each encrypted part of a text by the word `(encrypted)`, to keep log lines readable. */
export const maskEncrypted = (text: string) => text.replace(/\bsealed:[\w+/=]+/g, '(encrypted)');

/** The cipher of jobs that are not encrypted. */
export const NULL_CIPHER: JobCipher = {
  encrypts: false,
  wrappedKey: null,
  encrypt: (text) => text,
  decrypt: (text) => text,
  encryptBytes: (bytes) => bytes,
  decryptBytes: (bytes) => bytes,
  encryptJson: (value) => JSON.stringify(value),
  decryptJson: (value) => value,
  hash: (text) => text,
};

function cipherWith(key: Buffer, wrappedKey: Buffer): JobCipher {
  const hashKey = deriveKey(key, 'hash');
  const encryptText = (text: string) => PREFIX + encrypt(key, Buffer.from(text)).toString('base64');
  const decryptText = (text: string) =>
    text.startsWith(PREFIX)
      ? decrypt(key, Buffer.from(text.slice(PREFIX.length), 'base64')).toString()
      : text;
  return {
    encrypts: true,
    wrappedKey: wrappedKey,
    encrypt: encryptText,
    decrypt: decryptText,
    encryptBytes: (bytes) => encrypt(key, bytes),
    decryptBytes: (bytes) => decrypt(key, bytes),
    encryptJson: (value) => JSON.stringify(encryptText(JSON.stringify(value))),
    decryptJson: (value) => JSON.parse(decryptText(String(value))),
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
  };
}

/** Creates the cipher of a new job with zero data retention, with a random key. */
export function createJobCipher(jobId: string, secretKey: string): JobCipher {
  const key = randomBytes(32);
  return cipherWith(key, encrypt(deriveKey(secretKey, `job ${jobId}`), key));
}

/**
 * Restores the cipher of a stored job.
 * @param job.wrappedKey the encrypted key from the row of the job: `null` if the job is not encrypted, empty
 * if
 *   its key was deleted
 * @throws ServiceError `NOT_FOUND` if the key was deleted, because the data of the job can no longer be read
 */
export function restoreJobCipher(
  job: { id: string; wrappedKey: Buffer | null },
  secretKey: string,
): JobCipher {
  const { id, wrappedKey } = job;
  if (wrappedKey === null) return NULL_CIPHER;
  if (wrappedKey.length === 0) {
    throw new ServiceError('NOT_FOUND', `Nothing is kept of job ${id}: it had zero data retention.`);
  }
  return cipherWith(decrypt(deriveKey(secretKey, `job ${id}`), wrappedKey), wrappedKey);
}

/** Converts an error to its stored form. Message and details are encrypted; the code stays readable. */
export function encryptError<Kept extends { code: string; message: string; details?: unknown }>(
  error: Kept,
  cipher: JobCipher,
): Pick<Kept, 'code' | 'message' | 'details'> {
  const { code, message, details } = error;
  if (!cipher.encrypts) return { code, message, details };
  return { code, message: cipher.encrypt(JSON.stringify({ message, details })) };
}

/** Restores an error that `encryptError` returned. An error that is not encrypted is returned unchanged. */
export function decryptError(error: { code: string; message: string; details?: unknown }, cipher: JobCipher) {
  const code = isErrorCode(error.code) ? error.code : 'UNKNOWN_ERROR';
  const text = cipher.decrypt(error.message);
  if (text === error.message) return new ServiceError(code, text, { details: error.details });
  // `encryptError` wrote this JSON.
  const { message, details } = JSON.parse(text) as { message: string; details?: unknown };
  return new ServiceError(code, message, { details });
}

/** Computes a keyed hash of a request, which shows only whether two requests are equal. */
export const hashRequest = (request: unknown, secretKey: string) =>
  createHmac('sha256', deriveKey(secretKey, 'fingerprint')).update(JSON.stringify(request)).digest('hex');
