import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline as connectStreams, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import type { BlobStore, DeletedFiles, StoredBlob } from './blob-store.ts';
import { compress, compressEach, decompress, FAST } from './compression.ts';
import { openDirectoryStore } from './directory-store.ts';
import { openS3Store } from './s3-store.ts';

/** Content-addressed storage: equal bytes are stored once, and a key always means the same bytes. */
export interface Blobs {
  /** Stores bytes durably. @returns the key, which is the SHA-256 hash in hex */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * Stores bytes like `put`, without looking whether the same ones are stored, which is a request to a
   * bucket.
   */
  putNew(bytes: Uint8Array): Promise<string>;
  /**
   * Stores several items in one file, which costs one write: durably, or, in the space `cache`, without
   * waiting for the disk.
   * @returns the key of each, in order
   */
  putAll(items: Uint8Array[]): Promise<string[]>;
  /**
   * Stores a file of any size like `put`. The directory of the file must have space for a compressed copy.
   */
  putFile(file: string): Promise<string>;
  /**
   * Reads the bytes of a key.
   * @throws ServiceError `NOT_FOUND` for a key that is not stored and, in the space `cache`, for bytes that a
   * power failure has
   *   damaged
   */
  get(key: string): Promise<Buffer>;
  /**
   * Opens the bytes of a key as a stream, which the caller reads or destroys.
   * @throws ServiceError `NOT_FOUND`
   */
  stream(key: string): Promise<Readable>;
  /** Deletes a file, even if it was stored several times. Does nothing if the file does not exist. */
  remove(key: string): Promise<void>;
  /**
   * Lists the files whose keys begin with two hex digits, such as `0f`, with the time when they were last
   * stored.
   */
  list(prefix: string): Promise<StoredBlob[]>;
  /** Deletes the files that were last stored before a time. */
  sweep(before: Date): Promise<DeletedFiles>;
  /** Resolves when the store is available. */
  ready(): Promise<void>;
}

/** A part of the store. Each has its own retention time. */
export const BLOB_SPACES = ['results', 'cache', 'versions', 'uploads', 'monitors'] as const;
export type BlobSpace = (typeof BLOB_SPACES)[number];

/** A key: the hash of a file, followed by offset and length if the item is one of several in the file. */
const KEY = /^([0-9a-f]{64})(?:\+(\d+)\+(\d+))?$/;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Opens the files of a space as they are stored, see {@link openBlobs}. */
export const openBlobStore = async (location: string, space: BlobSpace): Promise<BlobStore> =>
  location.startsWith('s3://')
    ? openS3Store(new URL(location), space)
    : openDirectoryStore(path.join(location, space));

/**
 * Opens a space of the blob store.
 * @param location a directory, or `s3://bucket/prefix?endpoint=…&region=…` with credentials from the
 *   environment's usual AWS variables
 * @example
 * const blobs = await openBlobs('/var/lib/winnow/blobs', 'cache');
 * const key = await blobs.put(Buffer.from('a page'));
 * const bytes = await blobs.get(key);
 */
export async function openBlobs(location: string, space: BlobSpace): Promise<Blobs> {
  const store = await openBlobStore(location, space);
  // A copy that the cache has lost is fetched again, so nobody has to wait until copies are on the disk.
  const mayLosePacks = space === 'cache';
  const write = async (key: string, bytes: Uint8Array) => store.write(key, await compress(bytes));
  return {
    async put(bytes) {
      const key = hashOf(bytes);
      if (!(await store.touch(key))) await write(key, bytes);
      return key;
    },
    async putNew(bytes) {
      const key = hashOf(bytes);
      await write(key, bytes);
      return key;
    },
    async putAll(items) {
      const parts = await compressEach(items);
      const pack = Buffer.concat(parts);
      const key = hashOf(pack);
      await (mayLosePacks ? store.writeSoon(key, pack) : store.write(key, pack));
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
        if (await store.touch(key)) return key;
        await store.writeStream(key, createReadStream(compressed), (await stat(compressed)).size);
        return key;
      } finally {
        await rm(compressed, { force: true });
      }
    },
    async get(key) {
      const [, hash, offset, length] = KEY.exec(key) ?? [];
      const range = offset === undefined ? undefined : { offset: Number(offset), length: Number(length) };
      const bytes = hash === undefined ? undefined : await store.read(hash, range);
      if (!bytes) throw blobNotFound(key);
      return decompress(bytes).catch((error) => {
        throw mayLosePacks ? blobNotFound(key) : error;
      });
    },
    async stream(key) {
      const bytes = WHOLE_FILE_KEY.test(key) ? await store.stream(key) : undefined;
      if (!bytes) throw blobNotFound(key);
      const decompressed = createZstdDecompress();
      // An error reaches the reader, and destroying the result destroys the source.
      connectStreams(bytes, decompressed, (error) => error && decompressed.destroy(error));
      return decompressed;
    },
    remove: (key) => store.remove(key),
    list: (prefix) => store.list(prefix),
    sweep: (before) => store.sweep(before),
    ready: () => store.ready(),
  };
}

/**
 * Locates a blob: the key of its file, and the offset of its end in that file; 0 if the blob is the whole
 * file.
 */
export function locateBlob(key: string): { file: string; end: number } {
  const [, file = '', offset = 0, length = 0] = KEY.exec(key) ?? [];
  return { file, end: Number(offset) + Number(length) };
}

/** Bytes on the disk of a blob that is one of several in a file; 0 if it is the whole file. */
export const sizeOfPart = (key: string): number => Number(KEY.exec(key)?.[3] ?? 0);

const WHOLE_FILE_KEY = /^[0-9a-f]{64}$/;

/** The error for a key that is not stored. */
export const blobNotFound = (key: string) =>
  new ServiceError(
    'NOT_FOUND',
    `The data with the key ${key} does not exist or has been deleted. Run the job again.`,
  );

/** Compresses a file as a stream. @returns the hash of the uncompressed file */
async function compressFile(file: string, compressed: string): Promise<string> {
  const hash = createHash('sha256');
  const hasher = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const target = createWriteStream(compressed, { flags: 'wx', mode: 0o600 });
  await pipeline(createReadStream(file), hasher, createZstdCompress(FAST), target);
  return hash.digest('hex');
}
