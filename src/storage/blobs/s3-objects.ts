import { setTimeout as pause } from 'node:timers/promises';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { ServiceError } from '../../errors.ts';
import { explainBucketError } from './bucket-errors.ts';
import { isUnavailable, listObjects, openBucket, type S3Bucket, statusOf } from './s3-bucket.ts';

/** Size in bytes of what is sent at once, and kept in memory for it. A bucket takes parts of one size only. */
const PART_BYTES = 64 * 1024 * 1024;
/** The most parts that an object may have: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS = 10_000;
/** Size in bytes of what is read at once. */
const RANGE_BYTES = 8 * 1024 * 1024;
const READ_ATTEMPTS = 3;
/**
 * Milliseconds without a byte after which a request fails. Nobody waits for a response, and some services take long to
 * join the parts of an object.
 */
const SILENT_MS = 60_000;

const NOT_IMPLEMENTED = 501;

/** A version of an object, which is replaced as a whole. */
export interface ObjectVersion {
  /** Size in bytes. */
  bytes: number;
  etag: string | undefined;
}

/** An object by its name below the prefix. */
export interface NamedObject {
  name: string;
  storedAt: Date;
}

/**
 * Objects of any size below a prefix of a bucket, which are written and read in constant memory. All errors of the
 * bucket are a `ServiceError` that says what to do.
 */
export class S3Objects {
  readonly #bucket: S3Bucket;
  /** Begins the key of every object. */
  readonly #prefix: string;

  constructor(bucket: S3Bucket, prefix: string) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  /**
   * Stores a stream as an object, which appears when it is complete and replaces one with the same key. Nothing stays
   * of one whose stream or upload fails, unless the bucket does not respond any more.
   */
  async write(name: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const { sdk } = this.#bucket;
    const object = this.#object(name);
    const { UploadId } = await this.#send(name, (client) =>
      client.send(new sdk.CreateMultipartUploadCommand({ ...object, ContentType: 'application/x-tar' })),
    );
    try {
      const { parts, bytes } = await this.#sendParts(name, UploadId, source);
      await this.#complete(name, { UploadId, MultipartUpload: { Parts: parts } }, bytes);
    } catch (error) {
      // The first error is the cause. An upload that stays is ended by `endLostUploads`.
      await this.#endUpload(object.Key, UploadId).catch(() => undefined);
      throw error;
    }
  }

  async #complete(
    name: string,
    upload: { UploadId: string | undefined; MultipartUpload: { Parts: CompletedPart[] } },
    bytes: number,
  ): Promise<void> {
    const { sdk } = this.#bucket;
    try {
      await this.#send(name, (client) =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...this.#object(name), ...upload })),
      );
    } catch (error) {
      // The response to the first attempt was lost, and the second one finds no upload any more.
      const isRepeated = causeOf(error) instanceof sdk.NoSuchUpload;
      if (!isRepeated || (await this.findVersion(name)).bytes !== bytes) throw error;
    }
  }

  async #sendParts(
    name: string,
    UploadId: string | undefined,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ parts: CompletedPart[]; bytes: number }> {
    // The system gives it memory as it is filled.
    const part = Buffer.allocUnsafeSlow(PART_BYTES);
    const parts: CompletedPart[] = [];
    let [filled, sent] = [0, 0];
    const send = async () => {
      const PartNumber = parts.length + 1;
      if (PartNumber > MAX_PARTS) throw tooLarge(this.#object(name).Key);
      const Body = part.subarray(0, filled);
      const { ETag } = await this.#send(name, (client) =>
        client.send(
          new this.#bucket.sdk.UploadPartCommand({ ...this.#object(name), UploadId, PartNumber, Body }),
        ),
      );
      parts.push({ ETag, PartNumber });
      sent += filled;
      filled = 0;
    };
    for await (const bytes of source) {
      for (let read = 0; read < bytes.length; ) {
        const taken = bytes.subarray(read, read + PART_BYTES - filled);
        part.set(taken, filled);
        filled += taken.length;
        read += taken.length;
        if (filled === PART_BYTES) await send();
      }
    }
    if (filled > 0 || !parts.length) await send();
    return { parts, bytes: sent };
  }

  async #endUpload(Key: string | undefined, UploadId: string | undefined): Promise<void> {
    const { sdk, client, name } = this.#bucket;
    await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }));
  }

  /** Reads a version of an object from its beginning to its end, even if that takes hours. */
  async *read(name: string, { bytes, etag }: ObjectVersion): AsyncGenerator<Uint8Array> {
    const ranges = Array.from({ length: Math.ceil(bytes / RANGE_BYTES) }, (_, index) => index * RANGE_BYTES);
    const read = (offset: number) => {
      const range = this.#readRange(name, offset, etag);
      // Its error is thrown when it is its turn.
      range.catch(() => undefined);
      return range;
    };
    let next = ranges.length ? read(0) : undefined;
    for (const offset of ranges) {
      const range = await next;
      next = offset + RANGE_BYTES < bytes ? read(offset + RANGE_BYTES) : undefined;
      if (range) yield range;
    }
  }

  async #readRange(name: string, offset: number, etag: string | undefined): Promise<Uint8Array> {
    const { sdk } = this.#bucket;
    const Range = `bytes=${offset}-${offset + RANGE_BYTES - 1}`;
    const request = { ...this.#object(name), Range, ...(etag && { IfMatch: etag }) };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(name, async (client) => {
          const { Body } = await client.send(new sdk.GetObjectCommand(request));
          return (await Body?.transformToByteArray()) ?? new Uint8Array();
        });
      } catch (error) {
        // The client repeats requests, but not the body of a response that breaks off.
        if (attempt >= READ_ATTEMPTS || !isUnavailable(this.#bucket, causeOf(error))) throw error;
        await pause(attempt * 1_000);
      }
    }
  }

  /** The version that an object has now. */
  async findVersion(name: string): Promise<ObjectVersion> {
    const { sdk } = this.#bucket;
    const head = await this.#send(name, (client) =>
      client.send(new sdk.HeadObjectCommand(this.#object(name))),
    );
    return { bytes: head.ContentLength ?? 0, etag: head.ETag };
  }

  /** Lists the objects directly below the prefix by their names. */
  async list(): Promise<NamedObject[]> {
    return this.#send('', async () => {
      const objects: NamedObject[] = [];
      for await (const { key, storedAt } of listObjects(this.#bucket, this.#prefix, '/'))
        objects.push({ name: key.slice(this.#prefix.length), storedAt });
      return objects;
    });
  }

  async remove(name: string): Promise<void> {
    const { sdk } = this.#bucket;
    await this.#send(name, (client) => client.send(new sdk.DeleteObjectCommand(this.#object(name))));
  }

  /** Stores a small object. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    const { sdk } = this.#bucket;
    await this.#send(name, (client) =>
      client.send(new sdk.PutObjectCommand({ ...this.#object(name), Body: bytes })),
    );
  }

  /**
   * Ends uploads that processes have left which were killed; their parts take room, and no list shows them.
   * @param isOwn tells from the name of an object whether its upload may be ended
   * @param before when such an upload has begun at the latest
   */
  async endLostUploads(isOwn: (name: string) => boolean, before: Date): Promise<void> {
    const { sdk, client, name: Bucket } = this.#bucket;
    try {
      const { Uploads = [] } = await client.send(
        new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: this.#prefix }),
      );
      for (const { Key = '', UploadId, Initiated } of Uploads)
        if (Initiated && Initiated < before && isOwn(Key.slice(this.#prefix.length)))
          await this.#endUpload(Key, UploadId);
    } catch (error) {
      // A simple service may have no list of uploads.
      if (statusOf(this.#bucket, error) !== NOT_IMPLEMENTED)
        throw explainBucketError(this.#bucket, this.#prefix, error);
    }
  }

  #object(name: string) {
    return { Bucket: this.#bucket.name, Key: this.#prefix + name };
  }

  async #send<Result>(
    name: string,
    request: (client: S3Bucket['client']) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await request(this.#bucket.client);
    } catch (error) {
      throw explainBucketError(this.#bucket, this.#object(name).Key, error);
    }
  }
}

const causeOf = (error: unknown): unknown => (error instanceof ServiceError ? error.cause : error);

const tooLarge = (key: string) =>
  new ServiceError(
    'INSUFFICIENT_STORAGE',
    `${key} would be larger than ${(MAX_PARTS * PART_BYTES) / 1024 ** 3} GiB, the most that is written to a bucket. Write it to a directory.`,
  );

/**
 * Opens the objects of a bucket whose keys begin with a prefix.
 * @param location the path of `s3://bucket/path?endpoint=…&region=…` is not looked at
 */
export const openS3Objects = async (location: URL, prefix: string): Promise<S3Objects> =>
  new S3Objects(await openBucket(location, SILENT_MS), prefix);
