import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { ServiceError } from '../../errors.ts';
import type { BlobStore, ByteRange, DeletedFiles, StoredBlob } from './blob-store.ts';
import { isUnavailable, listObjects, openBucket, type S3Bucket } from './s3-bucket.ts';

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
  return new S3Store(await openBucket(location, silentMs), space);
}

class S3Store implements BlobStore {
  readonly #bucket: S3Bucket;
  readonly #sdk: S3Bucket['sdk'];
  readonly #client: S3Client;
  /** Begins the key of every object. */
  readonly #prefix: string;

  constructor(bucket: S3Bucket, space: string) {
    this.#bucket = bucket;
    this.#sdk = bucket.sdk;
    this.#client = bucket.client;
    this.#prefix = `${bucket.path}/${space}/`.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  }

  #object(key: string) {
    return { Bucket: this.#bucket.name, Key: this.#prefix + key };
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
    if (!isUnavailable(this.#bucket, error)) return error;
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
    try {
      for await (const { key, ...file } of listObjects(this.#bucket, this.#prefix + keyPrefix))
        yield { key: key.slice(this.#prefix.length), ...file };
    } catch (error) {
      throw this.#translate(error);
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
    await this.#responded(this.#client.send(new this.#sdk.HeadBucketCommand({ Bucket: this.#bucket.name })));
  }
}
