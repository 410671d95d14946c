import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request } from 'express';
import { ServiceError } from '../errors.ts';
import { FILES_PATH, verifyFileToken } from '../storage/blobs/file-urls.ts';
import type { Blobs } from '../storage/blobs/index.ts';
import { FOREIGN_FILE_POLICY } from './http/browser-protection.ts';
import { matchesIfNoneMatch } from './http/if-none-match.ts';

/** A byte range of a file. Both positions are zero-based and inclusive. */
interface ByteRange {
  start: number;
  end: number;
}

/**
 * Serves stored files under their signed URLs. Byte ranges are supported, because media players request them
 * (RFC 9110, 14). A request whose `If-None-Match` contains the ETag gets 304 without a body: the file of a
 * key never changes.
 */
export function mountFiles(
  app: Express,
  { results, monitorBlobs }: { results: Blobs; monitorBlobs: Blobs },
  secretKey: string,
): void {
  app.get(`${FILES_PATH}/:token`, async (request, response) => {
    const { key, size, mediaType, space } = verifyFileToken(request.params.token, secretKey);
    const etag = `"${key}"`;
    // If-None-Match is evaluated before Range (RFC 9110, 13.2.2).
    if (matchesIfNoneMatch(request, etag)) return void response.status(304).set('ETag', etag).end();
    const range = parseRange(request, size, etag);
    const { start, end } = range ?? { start: 0, end: size - 1 };
    if (range && start > end) {
      response.set('Content-Range', `bytes */${size}`);
      const message = `The file has ${size} bytes, none of which is in the requested range ${request.get('range')}.`;
      throw new ServiceError('RANGE_NOT_SATISFIABLE', message);
    }
    const bytes = await (space === 'monitors' ? monitorBlobs : results).stream(key);
    if (range) response.status(206).set('Content-Range', `bytes ${start}-${end}/${size}`);
    response.set({
      'Content-Type': mediaType,
      'Content-Length': String(end - start + 1),
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Content-Security-Policy': FOREIGN_FILE_POLICY,
    });
    // The client may stop reading at any time. A read error can only be signalled by closing the connection.
    await pipeline(bytes, (stream) => sliceStream(stream, { start, end }), response).catch(() =>
      response.destroy(),
    );
  });
}

/**
 * Parses the requested byte range. A range that begins after the end of the file has its end before its
 * start.
 * @returns `undefined` if the whole file has to be sent: the request has no range, an invalid one or several,
 *   or its `If-Range` names another file
 */
function parseRange(request: Request, size: number, etag: string): ByteRange | undefined {
  const range = request.get('range') ?? '';
  const ifRange = request.get('if-range');
  if (ifRange && ifRange !== etag) return undefined;
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range) ?? [];
  if (first + last === '' || (first && last && Number(first) > Number(last))) return undefined;
  // A range without a first position is a number of bytes at the end, which may exceed the size of the file.
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  return { start, end: first && last ? Math.min(Number(last), size - 1) : size - 1 };
}

async function* sliceStream(stream: Readable, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const wanted = chunk.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position));
    if (wanted.length) yield wanted;
    position += chunk.length;
    if (position > end) return;
  }
}
