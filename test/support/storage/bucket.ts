import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';
import { handleMultipart } from './multipart-uploads.ts';

/** The only key that the server accepts. */
export const BUCKET_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** Takes a request in place of the bucket. @returns whether it did */
export type BucketFault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A bucket of an S3 server in this process. */
export interface TestBucket extends AsyncDisposable {
  /** The location of a path in it. */
  url(path: string): string;
  /** The file that has the bytes of an object. */
  fileOf(key: string): string;
  /** The keys of its objects. */
  keys(): Promise<string[]>;
  /** Uploads that were begun, and neither completed nor ended. */
  uploads(): Promise<string[]>;
  /** What goes wrong. */
  fault: BucketFault | undefined;
  /** Each request, by method and path with query. */
  requests: string[];
}

const NAME = 'winnow';
const OBJECT = '._S3rver_object';

/**
 * Starts an S3 server with an empty bucket, and gives its key to this process. The server is s3rver, whose uploads in
 * parts are replaced, because it cannot end them and responds before they are written.
 */
export async function startBucket(): Promise<TestBucket> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-bucket-'));
  const root = path.join(directory, NAME);
  const s3 = new S3rver({
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: NAME, configs: [] }],
  });
  await s3.configureBuckets();
  const respond = s3.callback();
  const server = createServer((request, response) => {
    bucket.requests.push(`${request.method} ${request.url}`);
    if (bucket.fault?.(request, response)) return;
    if (!handleMultipart(root, request, response)) respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, BUCKET_KEYS);
  // A bucket is atomic. This server is not: it fails when an object is read while it is being written.
  process.env.AWS_MAX_ATTEMPTS = '10';
  const bucket: TestBucket = {
    url: (name) => `s3://${NAME}/${name}?endpoint=http://127.0.0.1:${port}`,
    fileOf: (key) => path.join(root, key + OBJECT),
    keys: async () =>
      (await readdir(root, { recursive: true }))
        .filter((name) => name.endsWith(OBJECT))
        .map((name) => name.slice(0, -OBJECT.length))
        .sort(),
    uploads: () => readdir(path.join(root, '.uploads')).catch(() => []),
    fault: undefined,
    requests: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return bucket;
}
