import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, deriveKey, encrypt } from './cipher.ts';
import { isErrorCode, ServiceError } from './errors.ts';

/**
 * Encrypts and decrypts the stored data of one job. A job with zero data retention has its own key
 * (AES-256-GCM), which is deleted together with the data of the job. The seal of any other job leaves
 * everything unencrypted.
 */
export interface Seal {
  /** Whether this seal encrypts. */
  readonly isSealed: boolean;
  /**
   * The key of the job, encrypted with a key derived from the service's secret, as the row of the job stores
   * it. It is `null` for a job that is not encrypted.
   */
  readonly wrapped: Buffer | null;
  /** Encrypts a text. */
  close(text: string): string;
  /** Decrypts a text that `close` returned. A text that is not encrypted is returned unchanged. */
  open(text: string): string;
  closeBytes(bytes: Buffer): Buffer;
  openBytes(bytes: Buffer): Buffer;
  /** Converts a value to JSON for a database column. The encrypted form is a JSON string. */
  closeJson(value: unknown): string;
  /** Restores a value from a column written by `closeJson`, whose JSON the database client has parsed. */
  openJson(value: unknown): unknown;
  /**
   * Hashes a text with a key of the job, so that equal texts of the job can be found without decryption. An
   * unencrypted text is its own hash.
   */
  hash(text: string): string;
}

/** Prefix that distinguishes encrypted texts from texts that were stored unencrypted. */
const MARK = 'sealed:';

/** Replaces each encrypted part of a text by the word `(encrypted)`, to keep log lines readable. */
export const withoutClosed = (text: string) => text.replace(/\bsealed:[\w+/=]+/g, '(encrypted)');

/** The seal of jobs that are not encrypted. */
export const UNSEALED: Seal = {
  isSealed: false,
  wrapped: null,
  close: (text) => text,
  open: (text) => text,
  closeBytes: (bytes) => bytes,
  openBytes: (bytes) => bytes,
  closeJson: (value) => JSON.stringify(value),
  openJson: (value) => value,
  hash: (text) => text,
};

function sealWith(key: Buffer, wrapped: Buffer): Seal {
  const hashKey = deriveKey(key, 'hash');
  const close = (text: string) => MARK + encrypt(key, Buffer.from(text)).toString('base64');
  const open = (text: string) =>
    text.startsWith(MARK) ? decrypt(key, Buffer.from(text.slice(MARK.length), 'base64')).toString() : text;
  return {
    isSealed: true,
    wrapped,
    close,
    open,
    closeBytes: (bytes) => encrypt(key, bytes),
    openBytes: (bytes) => decrypt(key, bytes),
    closeJson: (value) => JSON.stringify(close(JSON.stringify(value))),
    openJson: (value) => JSON.parse(open(String(value))),
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
  };
}

/** Creates the seal of a new job with zero data retention, with a random key. */
export function makeSeal(jobId: string, secretKey: string): Seal {
  const key = randomBytes(32);
  return sealWith(key, encrypt(deriveKey(secretKey, `job ${jobId}`), key));
}

/**
 * Restores the seal of a stored job.
 * @param job.wrapped the encrypted key from the row of the job: `null` if the job is not encrypted, empty if
 *   its key was deleted
 * @throws ServiceError `NOT_FOUND` if the key was deleted, because the data of the job can no longer be read
 */
export function sealOf(job: { id: string; wrapped: Buffer | null }, secretKey: string): Seal {
  const { id, wrapped } = job;
  if (wrapped === null) return UNSEALED;
  if (wrapped.length === 0) {
    throw new ServiceError('NOT_FOUND', `Nothing is kept of job ${id}: it had zero data retention.`);
  }
  return sealWith(decrypt(deriveKey(secretKey, `job ${id}`), wrapped), wrapped);
}

/** Converts an error to its stored form. Message and details are encrypted; the code stays readable. */
export function closeError<Kept extends { code: string; message: string; details?: unknown }>(
  error: Kept,
  seal: Seal,
): Pick<Kept, 'code' | 'message' | 'details'> {
  const { code, message, details } = error;
  if (!seal.isSealed) return { code, message, details };
  return { code, message: seal.close(JSON.stringify({ message, details })) };
}

/** Restores an error that `closeError` returned. An error that is not encrypted is returned unchanged. */
export function openError(error: { code: string; message: string; details?: unknown }, seal: Seal) {
  const code = isErrorCode(error.code) ? error.code : 'UNKNOWN_ERROR';
  const text = seal.open(error.message);
  if (text === error.message) return new ServiceError(code, text, { details: error.details });
  // `closeError` wrote this JSON.
  const { message, details } = JSON.parse(text) as { message: string; details?: unknown };
  return new ServiceError(code, message, { details });
}

/** Computes a keyed hash of a request, which shows only whether two requests are equal. */
export const fingerprint = (request: unknown, secretKey: string) =>
  createHmac('sha256', deriveKey(secretKey, 'fingerprint')).update(JSON.stringify(request)).digest('hex');
