import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { encodingOfMark } from '../../../content/parsers/byte-order-mark.ts';
import { ServiceError } from '../../../errors.ts';

/** Number of bytes at the beginning that are searched for a byte order mark and an XML declaration. */
const HEAD_BYTES = 256;
/** Maximum layers of gzip compression that are unpacked. */
const MAX_LAYERS = 3;
/** Maximum unpacked size: five times the limit of the sitemap protocol (50 MB). */
const MAX_BYTES = 250 * 1024 * 1024;
const SLICE_BYTES = 64 * 1024;

type Bytes = AsyncIterable<Uint8Array>;

/** Reads the first bytes of a stream. `rest` is the whole stream, including these bytes. */
async function readHead(chunks: Bytes): Promise<{ head: Buffer; rest: Bytes }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let bytes = 0;
  let ended = false;
  while (bytes < HEAD_BYTES && !ended) {
    const { value, done } = await iterator.next();
    if (done) {
      ended = true;
    } else {
      first.push(value);
      bytes += value.length;
    }
  }
  async function* rest() {
    try {
      yield* first;
      if (!ended) yield* { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
    } finally {
      await iterator.return?.();
    }
  }
  return { head: Buffer.concat(first), rest: rest() };
}

function unpack(chunks: Bytes): Bytes {
  // With this option, a truncated file is unpacked as far as it goes instead of failing.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  pipeline(Readable.from(chunks), gunzip, (error) => error && gunzip.destroy(error));
  return gunzip;
}

function decoderFor(head: Buffer): TextDecoder {
  const marked = encodingOfMark(head);
  if (marked && marked !== 'utf-8') return new TextDecoder(marked);
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(head.toString('latin1'))?.[1];
  // The declaration was readable as single bytes, so an encoding with two bytes per character must be wrong.
  const label = declared && !/^(?:utf-?16|ucs)/i.test(declared) ? declared : 'utf-8';
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}

/**
 * Decodes the bytes of a sitemap to text, piece by piece. Content that begins with the gzip signature is
 * unpacked, whatever its headers say. The encoding is taken from the byte order mark or the XML declaration;
 * the default is UTF-8. The byte order mark is removed.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more than 250 MiB of unpacked bytes. Errors of zlib and
 *   of `chunks` are passed on.
 */
export async function* decodeSitemap(chunks: Bytes, url: string): AsyncGenerator<string> {
  let { head, rest } = await readHead(chunks);
  for (let layers = 0; layers < MAX_LAYERS && head[0] === 0x1f && head[1] === 0x8b; layers++) {
    ({ head, rest } = await readHead(unpack(rest)));
  }
  const decoder = decoderFor(head);
  let total = 0;
  for await (const chunk of rest) {
    total += chunk.length;
    if (total > MAX_BYTES)
      throw new ServiceError(
        'SCRAPE_CONTENT_TOO_LARGE',
        `${url} has more than 250 MiB, too much for a sitemap.`,
      );
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      yield decoder.decode(chunk.subarray(at, at + SLICE_BYTES), { stream: true });
    }
  }
  yield decoder.decode();
}
