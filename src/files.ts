import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from './errors.ts';

/** Where stored files are served, below the base of the addresses in answers. */
export const FILES_PATH = '/v2/files';

const HOUR_MS = 3_600_000;
/** Sound and moving pictures are large, and seldom wanted twice. */
const lifetimeOf = (mediaType: string) => (/^(?:audio|video)\//.test(mediaType) ? HOUR_MS : 24 * HOUR_MS);

const claim = z.tuple([z.string(), z.number(), z.string(), z.number()]);
const blobReference = /^blob:([0-9a-f]{64});(\d+);(.+)$/;
/** A file that a document refers to, as the scrape left it. */
const REFERENCES = /"(blob:[0-9a-f]{64};[^"\\]+)"/g;

/** A stored file. */
export interface StoredFile {
  /** Of its blob. */
  key: string;
  /** Bytes. */
  size: number;
  mediaType: string;
}

/** How documents keep what they refer to. */
export const referenceTo = ({ key, size, mediaType }: StoredFile) => `blob:${key};${size};${mediaType}`;

/** The file that a reference is to; `undefined` for anything else. */
export function referredTo(reference: string): StoredFile | undefined {
  const [, key, size, mediaType] = blobReference.exec(reference) ?? [];
  return key && mediaType ? { key, size: Number(size), mediaType } : undefined;
}

const sign = (payload: string, secretKey: string) =>
  createHmac('sha256', secretKey).update(payload).digest('base64url');

/**
 * The URL of a stored file, readable without a key for 24 hours at least, of sound and moving pictures for one. Its
 * expiry is rounded up to the next multiple of that time: a file that is handed out again, as a cached screenshot is,
 * keeps its URL instead of getting a new one each time, by which clients tell whether the picture is the same.
 * @param reference as {@link referenceTo} makes it; anything else is given back as it is
 */
export function fileUrl(reference: string, baseUrl: string, secretKey: string): string {
  const file = referredTo(reference);
  if (!file) return reference;
  const { key, size, mediaType } = file;
  const lifetimeMs = lifetimeOf(mediaType);
  const expiresAt = Math.ceil(Date.now() / lifetimeMs + 1) * lifetimeMs;
  const payload = Buffer.from(JSON.stringify([key, size, mediaType, expiresAt])).toString('base64url');
  return `${baseUrl}${FILES_PATH}/${payload}.${sign(payload, secretKey)}`;
}

/** A document, as JSON, with the addresses of its files in place of what it keeps of them. */
export function withFileUrls(json: string, baseUrl: string, secretKey: string): string {
  return json.replace(REFERENCES, (_, reference: string) =>
    JSON.stringify(fileUrl(reference, baseUrl, secretKey)),
  );
}

/**
 * What the last part of a file's address says.
 * @throws ServiceError `NOT_FOUND` when it was not made here, or has expired
 */
export function openFileToken(token: string, secretKey: string): StoredFile {
  const [payload = '', signature = ''] = token.split('.');
  const expected = Buffer.from(sign(payload, secretKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError(
      'NOT_FOUND',
      'This address leads to no file. Use the one from the answer, unchanged.',
    );
  }
  const [key, size, mediaType, expiresAt] = claim.parse(
    JSON.parse(Buffer.from(payload, 'base64url').toString()),
  );
  if (expiresAt < Date.now()) {
    throw new ServiceError(
      'NOT_FOUND',
      `This address has expired: such files can be read for ${lifetimeOf(mediaType) / HOUR_MS} hours at least. Read the result again for a new address, or scrape the page again.`,
    );
  }
  return { key, size, mediaType };
}
