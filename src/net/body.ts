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
  /** The setting that says so, `WINNOW_MAX_BODY_MB` unless it is another one. */
  limit?: string | undefined;
  /** Says in our words what zlib or the stream threw. */
  translate(error: unknown): unknown;
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

/** All codings of a body undone; what is coded too often fails as it is read. */
function decodeAll(source: Readable, { url, contentEncoding }: BodyOptions): Readable {
  const codings = contentEncoding.toLowerCase().split(',');
  if (codings.length > MAX_CODINGS) {
    const message = `${url} sent a body that is encoded ${codings.length} times over.`;
    return source.destroy(new ServiceError('SCRAPE_SITE_ERROR', message));
  }
  return codings.reverse().reduce((decoded, coding) => decode(decoded, coding.trim()), source);
}

/**
 * Makes a body readable as it comes, decoded. Reading fails with ServiceError `SCRAPE_CONTENT_TOO_LARGE` where it gets
 * too long, and with what `translate` makes of anything else.
 * @param source closed with the body, read or not
 */
export function openBody(source: Readable, options: BodyOptions): Readable {
  // Nobody may be reading yet when the connection fails; who reads is told then.
  source.on('error', () => undefined);
  const decoded = decodeAll(source, options);
  async function* read(): AsyncGenerator<Buffer> {
    let total = 0;
    try {
      // Leaving the loop early destroys the stream, and all that feed it.
      for await (const chunk of decoded) {
        total += chunk.length;
        if (total > options.maxBodyBytes) throw tooLarge(options);
        yield chunk;
      }
    } catch (error) {
      throw options.translate(error);
    }
  }
  const chunks = read();
  return new Readable({
    read() {
      chunks.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    // The source itself, at once: `chunks` may never have begun, or wait for what does not come.
    destroy(error, done) {
      source.destroy();
      done(error);
    },
  });
}

/** What is larger than may be read. */
export function tooLarge({
  url,
  maxBodyBytes,
  limit = 'WINNOW_MAX_BODY_MB',
}: Pick<BodyOptions, 'url' | 'maxBodyBytes' | 'limit'>): ServiceError {
  const most = `${maxBodyBytes / 1024 / 1024} MiB`;
  return new ServiceError(
    'SCRAPE_CONTENT_TOO_LARGE',
    `${url} is larger than ${most}, the most that is read. The operator of this service can raise ${limit}.`,
  );
}
