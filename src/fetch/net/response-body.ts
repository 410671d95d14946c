import { type Duplex, pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { ServiceError } from '../../errors.ts';

/** How a response body is read. */
export interface ResponseBodyOptions {
  /** URL of the response, for error messages. */
  url: string;
  /** Value of `Content-Encoding`: the codings in the order in which they were applied. */
  contentEncoding: string;
  /** Limit in bytes after decoding. */
  maxBodyBytes: number;
  /** Name of the setting behind the limit, for the error message; default `WINNOW_MAX_BODY_MB`. */
  limitSetting?: string | undefined;
  /** Converts an error of zlib or the stream to the error to throw. */
  translate(error: unknown): unknown;
  /** Gets the bytes before they are decoded, and passes them on; absent if nobody keeps them. */
  recorder?: Transform | undefined;
}

/** Most codings of one body. No server has a reason for more, and each costs a decoder. */
const MAX_CODINGS = 5;
/** Accepts a stream that is cut short at its end, as browsers do. */
const ZLIB_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH };

/** Connects a stream to a decoder. An error on either side ends both. */
function pipeThrough(source: Readable, decoder: Duplex): Readable {
  pipeline(source, decoder, (error) => error && decoder.destroy(error));
  return decoder;
}

/**
 * Decodes `deflate`. It means the zlib format (RFC 9110 8.4.1.2), but some servers send raw deflate; the
 * first byte tells.
 */
async function* inflate(source: Readable): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const wrapped = ((first.value[0] ?? 0) & 0x0f) === 8;
  async function* input() {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* pipeThrough(
    Readable.from(input()),
    wrapped ? createInflate(ZLIB_OPTIONS) : createInflateRaw(ZLIB_OPTIONS),
  );
}

function decode(source: Readable, coding: string): Readable {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return pipeThrough(source, createGunzip(ZLIB_OPTIONS));
    case 'deflate':
      return Readable.from(inflate(source));
    case 'br':
      return pipeThrough(source, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }));
    case 'zstd':
      return pipeThrough(source, createZstdDecompress());
    default:
      // `identity` and unknown codings (often `utf-8`) leave the bytes as they are.
      return source;
  }
}

/** Undoes all codings of a body. Reading a body with too many codings fails. */
function decodeAll(source: Readable, { url, contentEncoding }: ResponseBodyOptions): Readable {
  const codings = contentEncoding.toLowerCase().split(',');
  if (codings.length > MAX_CODINGS) {
    const message = `${url} sent a body with ${codings.length} content codings; at most ${MAX_CODINGS} are decoded.`;
    return source.destroy(new ServiceError('SCRAPE_SITE_ERROR', message));
  }
  return codings.reverse().reduce((decoded, coding) => decode(decoded, coding.trim()), source);
}

/**
 * Opens a response body as a decoded stream. Reading fails with ServiceError `SCRAPE_CONTENT_TOO_LARGE` when
 * the body exceeds the limit, and with the result of `translate` for any other error.
 * @param source is closed together with the body, whether it was read or not
 */
export function openResponseBody(source: Readable, options: ResponseBodyOptions): Readable {
  // Without a listener an error before the first read would be uncaught; the reader gets it later.
  source.on('error', () => undefined);
  const { recorder } = options;
  const decoded = decodeAll(recorder ? pipeThrough(source, recorder) : source, options);
  async function* read(): AsyncGenerator<Buffer> {
    let total = 0;
    try {
      // Leaving the loop early destroys the stream and its sources.
      for await (const chunk of decoded) {
        total += chunk.length;
        if (total > options.maxBodyBytes) throw createTooLargeError(options);
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
    // The source is destroyed directly, because `chunks` may not have started or may be waiting for data.
    destroy(error, done) {
      source.destroy();
      done(error);
    },
  });
}

/** Creates the error for a body that exceeds the limit. */
export function createTooLargeError({
  url,
  maxBodyBytes,
  limitSetting = 'WINNOW_MAX_BODY_MB',
}: Pick<ResponseBodyOptions, 'url' | 'maxBodyBytes' | 'limitSetting'>): ServiceError {
  const most = `${maxBodyBytes / 1024 / 1024} MiB`;
  return new ServiceError(
    'SCRAPE_CONTENT_TOO_LARGE',
    `${url} is larger than ${most}, the limit of this service. Its operator can raise ${limitSetting}.`,
  );
}
