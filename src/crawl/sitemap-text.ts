import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { ServiceError } from '../errors.ts';

/** Where a byte order mark or an XML declaration would stand. */
const HEAD_BYTES = 256;
/** A file inside a file inside a file: nobody means more. */
const MAX_LAYERS = 3;
/** Five times what the protocol allows, unpacked: beyond is no list of pages. */
const MAX_BYTES = 250 * 1024 * 1024;
const SLICE_BYTES = 64 * 1024;

type Bytes = AsyncIterable<Uint8Array>;

/** Reads the first bytes of a stream; `rest` begins with them again. */
async function peek(chunks: Bytes): Promise<{ head: Buffer; rest: Bytes }> {
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
  // What is there of a file that was cut is still of use.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  pipeline(Readable.from(chunks), gunzip, (error) => error && gunzip.destroy(error));
  return gunzip;
}

function decoderFor(head: Buffer): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(head.toString('latin1'))?.[1];
  // A declaration that could be read as bytes is not of these, whatever it says.
  const label = declared && !/^(?:utf-?16|ucs)/i.test(declared) ? declared : 'utf-8';
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}

/**
 * Makes the bytes of a sitemap text, piece by piece: unpacked if it begins as gzip does, however it was announced,
 * and decoded as its byte order mark or XML declaration says, else as UTF-8. The mark itself is gone.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` beyond 250 MiB unpacked; and what zlib or the chunks throw
 */
export async function* textOf(chunks: Bytes, url: string): AsyncGenerator<string> {
  let { head, rest } = await peek(chunks);
  for (let layers = 0; layers < MAX_LAYERS && head[0] === 0x1f && head[1] === 0x8b; layers++) {
    ({ head, rest } = await peek(unpack(rest)));
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
