import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, deriveKey, encrypt } from './cipher.ts';
import { isErrorCode, ServiceError } from './errors.ts';

/**
 * How a job's data are written down. Of a job with zero data retention everything is encrypted with a key of its own
 * (AES-256-GCM), which is gone when the job's data are; of any other job everything stays as it is.
 */
export interface Seal {
  /** Whether it encrypts at all. */
  readonly isSealed: boolean;
  /** Its key, encrypted by the service's, as the job's row keeps it; `null` for a job that encrypts nothing. */
  readonly wrapped: Buffer | null;
  /** A text, encrypted. */
  close(text: string): string;
  /** The text that was closed; one that never was is given back as it is. */
  open(text: string): string;
  closeBytes(bytes: Buffer): Buffer;
  openBytes(bytes: Buffer): Buffer;
  /** A value as JSON for a column: encrypted it is one string. */
  closeJson(value: unknown): string;
  /** The value of such a column, parsed already. */
  openJson(value: unknown): unknown;
  /** What stands for a text without telling it: the same for the same text of the same job. */
  hash(text: string): string;
}

/** Marks texts that are encrypted among those that were never meant to be. */
const MARK = 'sealed:';

/** A text for people, where each encrypted part, which tells them nothing, gives way to a word. */
export const withoutClosed = (text: string) => text.replace(/\bsealed:[\w+/=]+/g, '(encrypted)');

/** Of jobs that may be kept as they are. */
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

/** Makes the key of a new job. */
export function makeSeal(jobId: string, secretKey: string): Seal {
  const key = randomBytes(32);
  return sealWith(key, encrypt(deriveKey(secretKey, `job ${jobId}`), key));
}

/**
 * The seal of a job that is written down.
 * @param wrapped as its row keeps it: `null` for a job that encrypts nothing
 * @throws ServiceError `NOT_FOUND` where the key is gone, and the job's data with it
 */
export function sealOf(job: { id: string; wrapped: Buffer | null }, secretKey: string): Seal {
  const { id, wrapped } = job;
  if (wrapped === null) return UNSEALED;
  if (wrapped.length === 0) {
    throw new ServiceError('NOT_FOUND', `Nothing is kept of job ${id}: it had zero data retention.`);
  }
  return sealWith(decrypt(deriveKey(secretKey, `job ${id}`), wrapped), wrapped);
}

/** An error as it is written down: only its code can be read of one that is encrypted. */
export function closeError<Kept extends { code: string; message: string; details?: unknown }>(
  error: Kept,
  seal: Seal,
): Pick<Kept, 'code' | 'message' | 'details'> {
  const { code, message, details } = error;
  if (!seal.isSealed) return { code, message, details };
  return { code, message: seal.close(JSON.stringify({ message, details })) };
}

/** The error that was closed; one that never was is given back as it is. */
export function openError(error: { code: string; message: string; details?: unknown }, seal: Seal) {
  const code = isErrorCode(error.code) ? error.code : 'UNKNOWN_ERROR';
  const text = seal.open(error.message);
  if (text === error.message) return new ServiceError(code, text, { details: error.details });
  // Written by `closeError`.
  const { message, details } = JSON.parse(text) as { message: string; details?: unknown };
  return new ServiceError(code, message, { details });
}

/** What tells whether a request is the same as an earlier one, and nothing else of it. */
export const fingerprint = (request: unknown, secretKey: string) =>
  createHmac('sha256', deriveKey(secretKey, 'fingerprint')).update(JSON.stringify(request)).digest('hex');
