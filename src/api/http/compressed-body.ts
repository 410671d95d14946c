import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

/** A body that is sent many times, with its compressed form. */
export interface CompressedBody {
  plain: Buffer;
  gzip: Buffer;
}

/** Compresses a body once, for {@link sendCompressed}. */
export async function compressBody(content: string | Buffer): Promise<CompressedBody> {
  const plain = Buffer.from(content);
  return { plain, gzip: await compress(plain) };
}

/** Sends a body in the form that the client takes (RFC 9110, 12.5.3). */
export function sendCompressed(request: Request, response: Response, body: CompressedBody): void {
  response.vary('Accept-Encoding');
  if (request.acceptsEncodings('gzip') !== 'gzip') {
    response.send(body.plain);
    return;
  }
  response.set('Content-Encoding', 'gzip').send(body.gzip);
}
