import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { BlobStore, StoredBlob } from './blob-store.ts';

/** Age in milliseconds after which an object is written again to renew its time of storage. */
const TOUCH_AFTER_MS = 3_600_000;

/**
 * Opens a store in a bucket of S3 or a compatible service.
 * @param location see `openBlobs`
 * @param space part of the prefix of every key
 */
export async function openS3Store(location: URL, space: string): Promise<BlobStore> {
  // Loaded on demand, because it is the largest dependency.
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
    // Some compatible services do not support trailing checksums and store them as part of the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const Bucket = location.hostname;
  const prefix = `${location.pathname}/${space}/`.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  const object = (key: string) => ({ Bucket, Key: prefix + key });

  /** Lists all objects whose keys begin with a prefix. */
  async function* listFiles(keyPrefix: string): AsyncGenerator<StoredBlob> {
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: prefix + keyPrefix,
          ...(ContinuationToken && { ContinuationToken }),
        }),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key.slice(prefix.length), storedAt: LastModified };
      }
      ContinuationToken = page.NextContinuationToken;
      more = ContinuationToken !== undefined;
    }
  }

  return {
    touch: (key) =>
      client.send(new HeadObjectCommand(object(key))).then(
        ({ LastModified }) => Date.now() - (LastModified?.getTime() ?? 0) < TOUCH_AFTER_MS,
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
        // The SDK's type covers browsers too; in Node the body is a Node stream.
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
    async list(prefix) {
      const files: StoredBlob[] = [];
      for await (const file of listFiles(prefix)) files.push(file);
      return files;
    },
    async sweep(before) {
      let swept = 0;
      for await (const { key, storedAt } of listFiles('')) {
        if (storedAt >= before) continue;
        await client.send(new DeleteObjectCommand(object(key)));
        swept++;
      }
      return swept;
    },
    async ready() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },
  };
}
