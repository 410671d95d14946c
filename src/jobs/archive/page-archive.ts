import type { Exchange } from '../../fetch/net/exchange.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import { contentDigest } from './content-digest.ts';

/** Where a body is: a part of the archive of another page of the job, or of this one. */
export interface BodyPlace {
  /** Key of the blob of the other archive; absent for this one. */
  blob?: string;
  /** In bytes, among the bodies of the archive. */
  offset: number;
  size: number;
}

/** A request and its response as it is stored, with the body elsewhere. */
export interface ArchivedExchange extends Omit<Exchange, 'body'>, BodyPlace {
  /** SHA-1 of the body, as web archives write it. */
  digest: string;
}

/** The archive of a page as it is stored, and the bodies that it has. */
interface WrittenArchive {
  bytes: Buffer;
  /** Where in this archive the bodies are that no earlier one has, by their digests. */
  added: Map<string, BodyPlace>;
}

/**
 * Writes the requests and responses of a page as one blob: a line of JSON, then the bodies. The same body is stored
 * once for as many pages of a job as this process remembers.
 * @param known where bodies are that earlier archives of the job have, by their digests
 */
export function writePageArchive(
  exchanges: readonly Exchange[],
  known: ReadonlyMap<string, BodyPlace>,
): WrittenArchive {
  const added = new Map<string, BodyPlace>();
  const bodies: Uint8Array[] = [];
  let offset = 0;
  const head = exchanges.map(({ body, ...exchange }): ArchivedExchange => {
    const digest = contentDigest(body);
    const place = known.get(digest) ?? added.get(digest) ?? { offset, size: body.length };
    if (!known.has(digest) && !added.has(digest)) {
      added.set(digest, place);
      bodies.push(body);
      offset += body.length;
    }
    return { ...exchange, digest, ...place };
  });
  return { bytes: Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...bodies]), added };
}

/** The archive of a page, whose bodies are read when they are asked for. */
export interface PageArchive {
  exchanges: ArchivedExchange[];
  readBody(exchange: ArchivedExchange): Promise<Buffer>;
}

/**
 * Reads the archive of a page.
 * @throws ServiceError `NOT_FOUND` if it has expired
 */
export async function readPageArchive(
  { blobs, cipher }: { blobs: Pick<Blobs, 'get'>; cipher: JobCipher },
  key: string,
): Promise<PageArchive> {
  const read = async (blob: string) => cipher.decryptBytes(await blobs.get(blob));
  const bytes = await read(key);
  const end = bytes.indexOf('\n');
  // The bytes were written by `writePageArchive`.
  const exchanges = JSON.parse(bytes.toString('utf8', 0, end)) as ArchivedExchange[];
  return {
    exchanges,
    async readBody({ blob, offset, size }) {
      const from = blob === undefined ? bytes : await read(blob);
      const start = (blob === undefined ? end : from.indexOf('\n')) + 1 + offset;
      return from.subarray(start, start + size);
    },
  };
}
