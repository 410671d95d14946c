import { type Duplex, pipeline, Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { ServiceError } from '../errors.ts';

/** How a body is read. */
export interface BodyOptions {
  /** Where it comes from, for messages. */
  url: string;
  /** `Content-Encoding` as it was sent: the codings in the order they were applied. */
  contentEncoding: string;
  /** Counted after decoding. */
  maxBodyBytes: number;
}

/** More codings than any server has a reason for; each costs a decoder. */
const MAX_CODINGS = 5;
/** A stream cut short in its last bytes is still worth showing, as browsers do. */
const TOLERANT = { finishFlush: constants.Z_SYNC_FLUSH };

/** The stream behind a decoder; a failure on either side ends both. */
function through(source: Readable, decoder: Duplex): Readable {
  pipeline(source, decoder, (error) => error && decoder.destroy(error));
  return decoder;
}

/** `deflate` means zlib's wrapper (RFC 9110 8.4.1.2), but servers send it bare too: the first byte tells. */
async function* inflate(source: Readable): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const wrapped = ((first.value[0] ?? 0) & 0x0f) === 8;
  async function* input() {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* through(Readable.from(input()), wrapped ? createInflate(TOLERANT) : createInflateRaw(TOLERANT));
}

function decode(source: Readable, coding: string): Readable {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return through(source, createGunzip(TOLERANT));
    case 'deflate':
      return Readable.from(inflate(source));
    case 'br':
      return through(source, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }));
    case 'zstd':
      return through(source, createZstdDecompress());
    default:
      // `identity`, and what nobody knows (`utf-8` is a favourite): the bytes as they are.
      return source;
  }
}

/**
 * Reads a body to its end, decoded; the stream is closed in any case.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE`; and what zlib or the stream throws
 */
export async function readBody(stream: Readable, options: BodyOptions): Promise<Buffer> {
  const { url, contentEncoding, maxBodyBytes } = options;
  const codings = contentEncoding.toLowerCase().split(',');
  let decoded = stream;
  if (codings.length > MAX_CODINGS) {
    const times = codings.length;
    stream.destroy(
      new ServiceError('SCRAPE_SITE_ERROR', `${url} sent a body that is encoded ${times} times over.`),
    );
  } else {
    for (const coding of codings.reverse()) decoded = decode(decoded, coding.trim());
  }
  const chunks: Buffer[] = [];
  let total = 0;
  // Leaving the loop early destroys the stream, and all that feed it.
  for await (const chunk of decoded) {
    total += chunk.length;
    if (total > maxBodyBytes) throw tooLarge(url, maxBodyBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}

function tooLarge(url: string, maxBodyBytes: number): ServiceError {
  const limit = `${maxBodyBytes / 1024 / 1024} MiB`;
  return new ServiceError(
    'SCRAPE_CONTENT_TOO_LARGE',
    `${url} is larger than ${limit}, the most that is read. The operator of this service can raise WINNOW_MAX_BODY_MB.`,
  );
}
