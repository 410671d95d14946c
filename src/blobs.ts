import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline as joined, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { openBucket } from './blobs/bucket.ts';
import { openDirectory } from './blobs/directory.ts';
import type { PlacedFile } from './blobs/store.ts';
import { ServiceError } from './errors.ts';

/** Bytes by the hash of their content: what is put twice is kept once, and a key always means the same bytes. */
export interface Blobs {
  /** Stores bytes durably. @returns their key, the SHA-256 in hex */
  put(bytes: Uint8Array): Promise<string>;
  /** Stores many in one file: as durable, at the price of one. @returns the key of each, in order */
  putAll(items: Uint8Array[]): Promise<string[]>;
  /** As `put`, for a file of any size; beside it there must be room for a compressed copy. */
  putFile(file: string): Promise<string>;
  /** @throws ServiceError `NOT_FOUND` when nothing is kept under the key */
  get(key: string): Promise<Buffer>;
  /** As `get`, for bytes that are read as they come; to be read, or destroyed. */
  stream(key: string): Promise<Readable>;
  /** Deletes a file, whoever put it; nothing where it is gone. */
  remove(key: string): Promise<void>;
  /** The files whose keys begin with two hex digits, such as `0f`, with when they were put last. */
  list(shelf: string): Promise<PlacedFile[]>;
  /** Deletes what was put last before a time. @returns how many files went */
  sweep(before: Date): Promise<number>;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
}

/** What bytes are kept for decides how long: each space is swept by itself. */
export type BlobSpace = 'results' | 'cache' | 'versions';

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressLarge = promisify(zstdCompress);
const decompressLarge = promisify(zstdDecompress);
/** Up to this size it is done sooner than it is handed to another thread. */
const SMALL_BYTES = 256 * 1024;
const compress = async (bytes: Uint8Array) =>
  bytes.length <= SMALL_BYTES ? zstdCompressSync(bytes, FAST) : compressLarge(bytes, FAST);
const decompress = async (bytes: Uint8Array) =>
  bytes.length <= SMALL_BYTES / 8 ? zstdDecompressSync(bytes) : decompressLarge(bytes);
/** A hash, and for one of many in a file the place in it. */
const KEY = /^([0-9a-f]{64})(?:\+(\d+)\+(\d+))?$/;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Opens a space of the blob store.
 * @param location a directory, or `s3://bucket/prefix?endpoint=…&region=…` with credentials from the environment's
 *   usual AWS variables
 */
export async function openBlobs(location: string, space: BlobSpace): Promise<Blobs> {
  const store = location.startsWith('s3://')
    ? await openBucket(new URL(location), space)
    : openDirectory(path.join(location, space));
  return {
    async put(bytes) {
      const key = hashOf(bytes);
      if (!(await store.renew(key))) await store.write(key, await compress(bytes));
      return key;
    },
    async putAll(items) {
      const parts = await Promise.all(items.map((item) => compress(item)));
      const pack = Buffer.concat(parts);
      const key = hashOf(pack);
      await store.write(key, pack);
      let offset = 0;
      return parts.map(({ length }) => {
        offset += length;
        return `${key}+${offset - length}+${length}`;
      });
    },
    async putFile(file) {
      const compressed = `${file}.${randomUUID()}`;
      try {
        const key = await compressFile(file, compressed);
        if (!(await store.renew(key))) await store.writeFile(key, compressed);
        return key;
      } finally {
        await rm(compressed, { force: true });
      }
    },
    async get(key) {
      const [, hash, offset, length] = KEY.exec(key) ?? [];
      const range = offset === undefined ? undefined : { offset: Number(offset), length: Number(length) };
      const bytes = hash === undefined ? undefined : await store.read(hash, range);
      if (!bytes) throw nothingAs(key);
      return decompress(bytes);
    },
    async stream(key) {
      const bytes = WHOLE.test(key) ? await store.stream(key) : undefined;
      if (!bytes) throw nothingAs(key);
      const plain = createZstdDecompress();
      // Whoever reads is told; a reader that goes away ends both.
      joined(bytes, plain, (error) => error && plain.destroy(error));
      return plain;
    },
    remove: (key) => store.remove(key),
    list: (shelf) => store.list(shelf),
    sweep: (before) => store.sweep(before),
    ready: () => store.ready(),
  };
}

/** In which file a blob is, and how many bytes of that there are up to its end; 0 where it is alone in it. */
export function placeOf(key: string): { file: string; end: number } {
  const [, file = '', offset = 0, length = 0] = KEY.exec(key) ?? [];
  return { file, end: Number(offset) + Number(length) };
}

const WHOLE = /^[0-9a-f]{64}$/;

const nothingAs = (key: string) =>
  new ServiceError('NOT_FOUND', `Nothing is kept as ${key} (any more). Run the job again.`);

/** In pieces, whatever its size. @returns the hash of the file as it was */
async function compressFile(file: string, compressed: string): Promise<string> {
  const hash = createHash('sha256');
  const witness = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const target = createWriteStream(compressed, { flags: 'wx', mode: 0o600 });
  await pipeline(createReadStream(file), witness, createZstdCompress(FAST), target);
  return hash.digest('hex');
}
