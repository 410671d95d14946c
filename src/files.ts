import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from './errors.ts';

/** Where stored files are served, below the base of the addresses in answers. */
export const FILES_PATH = '/v2/files';

const LIFETIME_MS = 24 * 3_600_000;

const claim = z.tuple([z.string(), z.string(), z.number()]);
const blobReference = /^blob:([0-9a-f]{64});(.+)$/;
/** A file that a document refers to, as the scrape left it. */
const REFERENCES = /"(blob:[0-9a-f]{64};[^"\\]+)"/g;

const sign = (payload: string, secretKey: string) =>
  createHmac('sha256', secretKey).update(payload).digest('base64url');

/**
 * The address of a stored file, readable without a key for 24 hours.
 * @param reference `blob:<key>;<media type>` as documents keep it; anything else is given back as it is
 */
export function fileUrl(reference: string, baseUrl: string, secretKey: string): string {
  const parts = blobReference.exec(reference);
  if (!parts) return reference;
  const expiresAt = Date.now() + LIFETIME_MS;
  const payload = Buffer.from(JSON.stringify([parts[1], parts[2], expiresAt])).toString('base64url');
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
export function openFileToken(token: string, secretKey: string): { key: string; mediaType: string } {
  const [payload = '', signature = ''] = token.split('.');
  const expected = Buffer.from(sign(payload, secretKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError(
      'NOT_FOUND',
      'This address leads to no file. Use the one from the answer, unchanged.',
    );
  }
  const [key, mediaType, expiresAt] = claim.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  if (expiresAt < Date.now()) {
    throw new ServiceError(
      'NOT_FOUND',
      'This address has expired: files can be read for 24 hours. Scrape the page again.',
    );
  }
  return { key, mediaType };
}
