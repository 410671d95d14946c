import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request } from 'express';
import type { Blobs } from '../blobs.ts';
import { ServiceError } from '../errors.ts';
import { FILES_PATH, verifyFileToken } from '../file-urls.ts';

/** The first and the last byte of a part. */
interface Part {
  start: number;
  end: number;
}

/**
 * Serves files by their signed addresses, in parts too, as players ask for them (RFC 9110, 14). A client that names the
 * file it has in `If-None-Match` gets 304 without a body: a file never changes under its key.
 */
export function mountFiles(app: Express, blobs: Blobs, secretKey: string): void {
  app.get(`${FILES_PATH}/:token`, async (request, response) => {
    const { key, size, mediaType } = verifyFileToken(request.params.token, secretKey);
    const etag = `"${key}"`;
    // This precondition comes before ranges (RFC 9110, 13.2.2).
    if (hasAlready(request, etag)) return void response.status(304).set('ETag', etag).end();
    const part = partOf(request, size, etag);
    const { start, end } = part ?? { start: 0, end: size - 1 };
    if (part && start > end) {
      response.set('Content-Range', `bytes */${size}`);
      const message = `The file has ${size} bytes: Range: ${request.get('range')} names none of them.`;
      throw new ServiceError('RANGE_NOT_SATISFIABLE', message);
    }
    const bytes = await blobs.stream(key);
    if (part) response.status(206).set('Content-Range', `bytes ${start}-${end}/${size}`);
    response.set({
      'Content-Type': mediaType,
      'Content-Length': String(end - start + 1),
      'Accept-Ranges': 'bytes',
      ETag: etag,
      // Never let a file of a foreign page run as a page of ours.
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': 'sandbox',
    });
    // Whoever stops reading has what was wanted; what fails half way, the connection tells.
    await pipeline(bytes, (all) => cut(all, { start, end }), response).catch(() => response.destroy());
  });
}

/**
 * Whether a client names the file among those that it has (RFC 9110, 13.1.2). `request.fresh` of Express would not do:
 * it sends the file again to clients that say `Cache-Control: no-cache`, which `fetch` says with this header.
 */
function hasAlready(request: Request, etag: string): boolean {
  const known = (request.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

/**
 * The part that a request asks for; `undefined` for the whole, which is also the answer to several parts, to what is
 * no range, and to who has begun with another file. Beyond the end of the file it ends before it starts.
 */
function partOf(request: Request, size: number, etag: string): Part | undefined {
  const range = request.get('range') ?? '';
  const ifRange = request.get('if-range');
  if (ifRange && ifRange !== etag) return undefined;
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range) ?? [];
  if (first + last === '' || (first && last && Number(first) > Number(last))) return undefined;
  // Without a first byte it is the last so many, of a shorter file all.
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  return { start, end: first && last ? Math.min(Number(last), size - 1) : size - 1 };
}

async function* cut(all: Readable, { start, end }: Part): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of all as AsyncIterable<Buffer>) {
    const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    if (wanted.length) yield wanted;
    at += chunk.length;
    if (at > end) return;
  }
}
