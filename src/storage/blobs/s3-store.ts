import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { codeOf, ServiceError } from '../../errors.ts';
import type { BlobStore, ByteRange, DeletedFiles, StoredBlob } from './blob-store.ts';

/** Names of errors that do not last, whatever their status. */
const TEMPORARY = new Set([
  'TimeoutError',
  'SlowDown',
  'RequestTimeout',
  'TooManyRequests',
  'ThrottlingException',
]);

type Sdk = typeof import('@aws-sdk/client-s3');

/** Milliseconds for a connection to the bucket. */
const CONNECT_MS = 5_000;
/**
 * Milliseconds without a byte in either direction after which a request, or the body of its response, fails.
 * The client tries a request three times, so clients of the service wait for half a minute at most. Large files may
 * take longer as a whole.
 */
const SILENT_MS = 10_000;

/** Age in milliseconds after which an object is written again to renew its time of storage. */
const TOUCH_AFTER_MS = 3_600_000;

/**
 * Opens a store in a bucket of S3 or a compatible service.
 * @param location see `openBlobs`
 * @param space part of the prefix of every key
 * @param silentMs milliseconds without a byte after which a request fails
 */
export async function openS3Store(location: URL, space: string, silentMs = SILENT_MS): Promise<BlobStore> {
  // Loaded on demand, because it is the largest dependency.
  return new S3Store(await import('@aws-sdk/client-s3'), { location, space, silentMs });
}

class S3Store implements BlobStore {
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #bucket: string;
  /** Begins the key of every object. */
  readonly #prefix: string;

  constructor(sdk: Sdk, { location, space, silentMs }: { location: URL; space: string; silentMs: number }) {
    const endpoint = location.searchParams.get('endpoint');
    this.#sdk = sdk;
    this.#client = new sdk.S3Client({
      region: location.searchParams.get('region') ?? 'us-east-1',
      ...(endpoint && { endpoint, forcePathStyle: true }),
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silentMs },
      // Some compatible services do not support trailing checksums and store them as part of the file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    this.#bucket = location.hostname;
    this.#prefix = `${location.pathname}/${space}/`.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  }

  #object(key: string) {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  async touch(key: string): Promise<boolean> {
    const storedAt = await this.#storedAt(key);
    return storedAt !== undefined && Date.now() - storedAt.getTime() < TOUCH_AFTER_MS;
  }

  /** When an object was written; `undefined` if it does not exist. */
  async #storedAt(key: string): Promise<Date | undefined> {
    try {
      const { LastModified } = await this.#client.send(new this.#sdk.HeadObjectCommand(this.#object(key)));
      return LastModified ?? new Date(0);
    } catch (error) {
      if (error instanceof this.#sdk.NotFound) return undefined;
      throw this.#translate(error);
    }
  }

  /**
   * Turns what the client throws where the bucket does not respond, or cannot serve a request at the moment, into
   * `SERVICE_UNAVAILABLE`. Any other error, of wrong credentials for example, is returned unchanged.
   */
  #translate(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const { S3ServiceException } = this.#sdk;
    const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;
    // The errors of sockets and streams have a code.
    const isUnavailable = status >= 500 || TEMPORARY.has(error.name) || codeOf(error) !== undefined;
    if (!isUnavailable) return error;
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The blob store does not respond. Try again in a few seconds.',
      { retryAfterSeconds: 5, cause: error },
    );
  }

  /** Awaits a request to the bucket. @throws ServiceError `SERVICE_UNAVAILABLE`, see {@link S3Store.#translate} */
  async #responded<Result>(request: Promise<Result>): Promise<Result> {
    try {
      return await request;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async write(key: string, bytes: Buffer): Promise<void> {
    await this.#responded(
      this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#object(key), Body: bytes })),
    );
  }

  /** A bucket answers when the object is durable. */
  writeSoon(key: string, bytes: Buffer): Promise<void> {
    return this.write(key, bytes);
  }

  async writeStream(key: string, source: Readable, bytes: number): Promise<void> {
    const object = { ...this.#object(key), Body: source, ContentLength: bytes };
    await this.#responded(this.#client.send(new this.#sdk.PutObjectCommand(object)));
  }

  async has(key: string): Promise<boolean> {
    return (await this.#storedAt(key)) !== undefined;
  }

  async dateBack(): Promise<void> {
    // The time of an object is that of its last write.
  }

  async stream(key: string): Promise<Readable | undefined> {
    // The SDK's type covers browsers too; in Node the body is a Node stream.
    return (await this.#get(key, undefined)) as Readable | undefined;
  }

  async read(key: string, range: ByteRange | undefined): Promise<Buffer | undefined> {
    const body = await this.#get(key, range);
    return body && Buffer.from(await this.#responded(body.transformToByteArray()));
  }

  async #get(key: string, range: ByteRange | undefined) {
    const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
    try {
      const object = { ...this.#object(key), ...(Range && { Range }) };
      return (await this.#client.send(new this.#sdk.GetObjectCommand(object))).Body;
    } catch (error) {
      if (error instanceof this.#sdk.NoSuchKey) return undefined;
      throw this.#translate(error);
    }
  }

  async remove(key: string): Promise<void> {
    await this.#responded(this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(key))));
  }

  async list(keyPrefix: string): Promise<StoredBlob[]> {
    const files: StoredBlob[] = [];
    for await (const file of this.#listFiles(keyPrefix)) files.push(file);
    return files;
  }

  /** Lists all objects whose keys begin with a prefix. */
  async *#listFiles(keyPrefix: string): AsyncGenerator<StoredBlob> {
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page = await this.#responded(
        this.#client.send(
          new this.#sdk.ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix + keyPrefix,
            ...(ContinuationToken && { ContinuationToken }),
          }),
        ),
      );
      for (const { Key, LastModified, Size = 0 } of page.Contents ?? []) {
        if (Key && LastModified)
          yield { key: Key.slice(this.#prefix.length), storedAt: LastModified, bytes: Size };
      }
      ContinuationToken = page.NextContinuationToken;
      more = ContinuationToken !== undefined;
    }
  }

  async sweep(before: Date): Promise<DeletedFiles> {
    const deleted = { files: 0, bytes: 0 };
    for await (const { key, storedAt, bytes } of this.#listFiles('')) {
      if (storedAt >= before) continue;
      await this.remove(key);
      deleted.files++;
      deleted.bytes += bytes;
    }
    return deleted;
  }

  async ready(): Promise<void> {
    await this.#responded(this.#client.send(new this.#sdk.HeadBucketCommand({ Bucket: this.#bucket })));
  }
}
