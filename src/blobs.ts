import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { ServiceError } from './errors.ts';

/** Bytes by the hash of their content: what is put twice is kept once, and a key always means the same bytes. */
export interface Blobs {
  /** Stores bytes durably. @returns their key, the SHA-256 in hex */
  put(bytes: Uint8Array): Promise<string>;
  /** @throws ServiceError `NOT_FOUND` when nothing is kept under the key */
  get(key: string): Promise<Buffer>;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
}

/** Where compressed bytes lie; writing is atomic. */
interface Store {
  has(key: string): Promise<boolean>;
  write(key: string, bytes: Buffer): Promise<void>;
  /** `undefined` when there is nothing. */
  read(key: string): Promise<Buffer | undefined>;
  ready(): Promise<void>;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const KEY = /^[0-9a-f]{64}$/;

/**
 * Opens the blob store.
 * @param location a directory, or `s3://bucket/prefix?endpoint=…&region=…` with credentials from the environment's
 *   usual AWS variables
 */
export async function openBlobs(location: string): Promise<Blobs> {
  const store = location.startsWith('s3://') ? await openBucket(new URL(location)) : openDirectory(location);
  return {
    async put(bytes) {
      const key = createHash('sha256').update(bytes).digest('hex');
      if (await store.has(key)) return key;
      await store.write(key, await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }));
      return key;
    },
    async get(key) {
      const bytes = KEY.test(key) ? await store.read(key) : undefined;
      if (!bytes)
        throw new ServiceError('NOT_FOUND', `Nothing is kept as ${key} (any more). Run the job again.`);
      return decompress(bytes);
    },
    ready: () => store.ready(),
  };
}

const isAbsent = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function openDirectory(root: string): Store {
  const fileOf = (key: string) => path.join(root, key.slice(0, 2), key.slice(2));
  return {
    has: (key) =>
      stat(fileOf(key)).then(
        () => true,
        (error) => {
          if (isAbsent(error)) return false;
          throw error;
        },
      ),
    async write(key, bytes) {
      const file = fileOf(key);
      const draft = `${file}.${randomUUID()}`;
      const handle = await open(draft, 'wx', 0o600).catch(async (error) => {
        if (!isAbsent(error)) throw error;
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        return open(draft, 'wx', 0o600);
      });
      try {
        await handle.writeFile(bytes);
        // The row that names this blob must not outlive its bytes in a power cut.
        await handle.datasync();
        await handle.close();
        await rename(draft, file);
      } catch (error) {
        await handle.close().catch(() => undefined);
        await unlink(draft).catch(() => undefined);
        throw error;
      }
    },
    read: (key) =>
      readFile(fileOf(key)).catch((error) => {
        if (isAbsent(error)) return undefined;
        throw error;
      }),
    async ready() {
      await mkdir(root, { recursive: true, mode: 0o700 });
      await stat(root);
    },
  };
}

async function openBucket(location: URL): Promise<Store> {
  // Loaded only where it is used: it is the largest library of the house.
  const {
    S3Client,
    GetObjectCommand,
    HeadBucketCommand,
    HeadObjectCommand,
    PutObjectCommand,
    NoSuchKey,
    NotFound,
  } = await import('@aws-sdk/client-s3');
  const endpoint = location.searchParams.get('endpoint');
  const client = new S3Client({
    region: location.searchParams.get('region') ?? 'us-east-1',
    ...(endpoint && { endpoint, forcePathStyle: true }),
  });
  const Bucket = location.hostname;
  const prefix = location.pathname.replace(/^\/+|\/+$/g, '');
  const object = (key: string) => ({ Bucket, Key: prefix ? `${prefix}/${key}` : key });
  return {
    has: (key) =>
      client.send(new HeadObjectCommand(object(key))).then(
        () => true,
        (error) => {
          if (error instanceof NotFound) return false;
          throw error;
        },
      ),
    async write(key, bytes) {
      await client.send(new PutObjectCommand({ ...object(key), Body: bytes }));
    },
    async read(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(object(key)));
        return Body && Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async ready() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },
  };
}
