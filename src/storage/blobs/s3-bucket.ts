import type { S3Client } from '@aws-sdk/client-s3';
import { codeOf } from '../../errors.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** A bucket of S3 or a compatible service, and the client that reaches it. */
export interface S3Bucket {
  sdk: Sdk;
  client: S3Client;
  name: string;
  /** What the location names within the bucket, without a slash at its beginning. */
  path: string;
  /** URL of a compatible service; `undefined` for AWS. */
  endpoint: string | undefined;
}

/** Milliseconds for a connection to the bucket. */
const CONNECT_MS = 5_000;

/** Names of errors that do not last, whatever their status. */
const TEMPORARY = new Set([
  'TimeoutError',
  'SlowDown',
  'RequestTimeout',
  'TooManyRequests',
  'ThrottlingException',
]);

/**
 * Opens a client for a bucket. The client tries each request three times.
 * @param location `s3://bucket/path?endpoint=…&region=…`
 * @param silentMs milliseconds without a byte in either direction after which a request, or the body of its
 * response, fails
 */
export async function openBucket(location: URL, silentMs: number): Promise<S3Bucket> {
  // Loaded on demand, because it is the largest dependency.
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = location.searchParams.get('endpoint') ?? undefined;
  const client = new sdk.S3Client({
    region: location.searchParams.get('region') ?? 'us-east-1',
    ...(endpoint && { endpoint, forcePathStyle: true }),
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silentMs },
    // Some compatible services do not support trailing checksums and store them as part of the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  return { sdk, client, name: location.hostname, path: location.pathname.replace(/^\/+/, ''), endpoint };
}

/** The HTTP status of what the client has thrown; 0 if there was no response. */
export const statusOf = ({ sdk }: S3Bucket, error: unknown): number =>
  error instanceof sdk.S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;

/** Whether the client has thrown an error because the bucket does not respond, or cannot serve the request now. */
export function isUnavailable(bucket: S3Bucket, error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The errors of sockets and streams have a code.
  return statusOf(bucket, error) >= 500 || TEMPORARY.has(error.name) || codeOf(error) !== undefined;
}

/** An object of a bucket. */
export interface S3Object {
  key: string;
  storedAt: Date;
  /** Size in bytes. */
  bytes: number;
}

/**
 * Lists the objects whose keys begin with a prefix.
 * @param delimiter objects that have it behind the prefix are left out
 */
export async function* listObjects(
  { sdk, client, name }: S3Bucket,
  prefix: string,
  delimiter?: string,
): AsyncGenerator<S3Object> {
  for (let ContinuationToken: string | undefined, more = true; more; ) {
    const page = await client.send(
      new sdk.ListObjectsV2Command({
        Bucket: name,
        Prefix: prefix,
        ...(delimiter && { Delimiter: delimiter }),
        ...(ContinuationToken && { ContinuationToken }),
      }),
    );
    for (const { Key, LastModified, Size = 0 } of page.Contents ?? [])
      if (Key && LastModified) yield { key: Key, storedAt: LastModified, bytes: Size };
    ContinuationToken = page.NextContinuationToken;
    more = ContinuationToken !== undefined;
  }
}
