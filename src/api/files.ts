import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Express } from 'express';
import { z } from 'zod';
import type { Blobs } from '../blobs.ts';
import { ServiceError } from '../errors.ts';

const LIFETIME_MS = 24 * 3_600_000;
const PATH = '/v2/files';

const claim = z.tuple([z.string(), z.string(), z.number()]);
const blobReference = /^blob:([0-9a-f]{64});(.+)$/;

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
  return `${baseUrl}${PATH}/${payload}.${sign(payload, secretKey)}`;
}

function openToken(token: string, secretKey: string): z.output<typeof claim> {
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
  return [key, mediaType, expiresAt];
}

/** Serves files by their signed addresses. */
export function mountFiles(app: Express, blobs: Blobs, secretKey: string): void {
  app.get(`${PATH}/:token`, async (request, response) => {
    const [key, mediaType] = openToken(request.params.token, secretKey);
    const bytes = await blobs.get(key);
    // Never let a file of a foreign page run as a page of ours.
    response.set({
      'Content-Type': mediaType,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    });
    response.send(bytes);
  });
}
