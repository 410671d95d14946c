import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PlacedFile, Store } from './store.ts';

/** An object put this long ago is put anew, so that it counts as put now. */
const RENEWED_AFTER_MS = 3_600_000;

/**
 * A part of a bucket of S3 or of what speaks its language.
 * @param location see `openBlobs`
 * @param space what stands before every key
 */
export async function openBucket(location: URL, space: string): Promise<Store> {
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

  /** @param begin of the keys */
  async function* listFiles(begin: string): AsyncGenerator<PlacedFile> {
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: prefix + begin,
          ...(ContinuationToken && { ContinuationToken }),
        }),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key.slice(prefix.length), putAt: LastModified };
      }
      ContinuationToken = page.NextContinuationToken;
      more = ContinuationToken !== undefined;
    }
  }

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
    async list(shelf) {
      const files: PlacedFile[] = [];
      for await (const file of listFiles(shelf)) files.push(file);
      return files;
    },
    async sweep(before) {
      let swept = 0;
      for await (const { key, putAt } of listFiles('')) {
        if (putAt >= before) continue;
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
