import { pipeline } from 'node:stream/promises';
import type { Express } from 'express';
import type { Blobs } from '../blobs.ts';
import { FILES_PATH, openFileToken } from '../files.ts';

/** Serves files by their signed addresses. */
export function mountFiles(app: Express, blobs: Blobs, secretKey: string): void {
  app.get(`${FILES_PATH}/:token`, async (request, response) => {
    const { key, mediaType } = openFileToken(request.params.token, secretKey);
    const bytes = await blobs.stream(key);
    // Never let a file of a foreign page run as a page of ours.
    response.set({
      'Content-Type': mediaType,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    });
    // Whoever stops reading has what was wanted; what fails half way, the connection tells.
    await pipeline(bytes, response).catch(() => response.destroy());
  });
}
