import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
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
import { codeOf, ServiceError } from './errors.ts';

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
  /** Deletes what nobody else can have put, alone in its file; nothing where it is gone. */
  remove(key: string): Promise<void>;
  /** Deletes what was put last before a time. @returns how many files went */
  sweep(before: Date): Promise<number>;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
}

/** What bytes are kept for decides how long: each space is swept by itself. */
export type BlobSpace = 'results' | 'cache' | 'versions';

/** A part of a file. */
interface Range {
  offset: number;
  length: number;
}

/** Where compressed bytes lie; writing is atomic. */
interface Store {
  /** Whether it is there; if so it counts as put now. */
  renew(key: string): Promise<boolean>;
  write(key: string, bytes: Buffer): Promise<void>;
  writeFile(key: string, file: string): Promise<void>;
  /** `undefined` when there is nothing. */
  read(key: string, range: Range | undefined): Promise<Buffer | undefined>;
  /** `undefined` when there is nothing. */
  stream(key: string): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
  sweep(before: Date): Promise<number>;
  ready(): Promise<void>;
}

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
        await orAbsent(unlink(compressed), undefined);
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
    sweep: (before) => store.sweep(before),
    ready: () => store.ready(),
  };
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

const isAbsent = (error: unknown) => codeOf(error) === 'ENOENT';

/** The value, or what stands for a file that is not there. */
const orAbsent = <Value, Absent>(promise: Promise<Value>, absent: Absent): Promise<Value | Absent> =>
  promise.catch((error) => {
    if (isAbsent(error)) return absent;
    throw error;
  });

function openDirectory(root: string): Store {
  const fileOf = (key: string) => path.join(root, key.slice(0, 2), key.slice(2));

  async function write(key: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
    const file = fileOf(key);
    const draft = `${file}.${randomUUID()}`;
    const handle = await open(draft, 'wx', 0o600).catch(async (error) => {
      if (!isAbsent(error)) throw error;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      return open(draft, 'wx', 0o600);
    });
    try {
      await fill(handle);
      // The row that names this blob must not outlive its bytes in a power cut.
      await handle.datasync();
      await handle.close();
      await rename(draft, file);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  }

  return {
    renew(key) {
      const now = new Date();
      return orAbsent(
        utimes(fileOf(key), now, now).then(() => true),
        false,
      );
    },
    write: (key, bytes) => write(key, (handle) => handle.writeFile(bytes)),
    writeFile: (key, source) => write(key, (handle) => handle.writeFile(createReadStream(source))),
    stream: (key) =>
      orAbsent(
        open(fileOf(key)).then((handle) => handle.createReadStream()),
        undefined,
      ),
    read: (key, range) => orAbsent(range ? readPart(fileOf(key), range) : readFile(fileOf(key)), undefined),
    remove: (key) => orAbsent(unlink(fileOf(key)), undefined),
    async sweep(before) {
      let swept = 0;
      for (const shelf of await orAbsent(readdir(root), [])) {
        for (const name of await readdir(path.join(root, shelf))) {
          const file = path.join(root, shelf, name);
          // Whoever sweeps beside us may be quicker.
          const found = await orAbsent(stat(file), undefined);
          if (!found || found.mtime >= before) continue;
          await orAbsent(unlink(file), undefined);
          swept++;
        }
      }
      return swept;
    },
    async ready() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await stat(root);
    },
  };
}

async function readPart(file: string, { offset, length }: Range): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    if (bytesRead < length) throw new Error(`${file} ends before ${offset + length}`);
    return buffer;
  } finally {
    await handle.close();
  }
}

/** An object put this long ago is put anew, so that it counts as put now. */
const RENEWED_AFTER_MS = 3_600_000;

async function openBucket(location: URL, space: BlobSpace): Promise<Store> {
  // Loaded only where it is used: it is the largest library of the house.
  const {
    S3Client,
    DeleteObjectCommand,
    GetObjectCommand,
    HeadBucketCommand,
    HeadObjectCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    NoSuchKey,
    NotFound,
  } = await import('@aws-sdk/client-s3');
  const endpoint = location.searchParams.get('endpoint');
  const client = new S3Client({
    region: location.searchParams.get('region') ?? 'us-east-1',
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Checksums behind streams are news to other stores than Amazon's, which take them for part of the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const Bucket = location.hostname;
  const prefix = `${location.pathname}/${space}/`.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  const object = (key: string) => ({ Bucket, Key: prefix + key });
  return {
    renew: (key) =>
      client.send(new HeadObjectCommand(object(key))).then(
        ({ LastModified }) => Date.now() - (LastModified?.getTime() ?? 0) < RENEWED_AFTER_MS,
        (error) => {
          if (error instanceof NotFound) return false;
          throw error;
        },
      ),
    async write(key, bytes) {
      await client.send(new PutObjectCommand({ ...object(key), Body: bytes }));
    },
    async writeFile(key, file) {
      const { size: ContentLength } = await stat(file);
      await client.send(
        new PutObjectCommand({ ...object(key), Body: createReadStream(file), ContentLength }),
      );
    },
    async stream(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(object(key)));
        // In Node it is a stream of Node's.
        return Body as Readable | undefined;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async read(key, range) {
      const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...object(key), ...(Range && { Range }) }));
        return Body && Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(object(key)));
    },
    async sweep(before) {
      let swept = 0;
      for (let ContinuationToken: string | undefined, more = true; more; ) {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix: prefix,
            ...(ContinuationToken && { ContinuationToken }),
          }),
        );
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (!Key || !LastModified || LastModified >= before) continue;
          await client.send(new DeleteObjectCommand({ Bucket, Key }));
          swept++;
        }
        ContinuationToken = page.NextContinuationToken;
        more = ContinuationToken !== undefined;
      }
      return swept;
    },
    async ready() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },
  };
}
