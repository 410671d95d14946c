import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BlobStore } from '../../../src/storage/blobs/blob-store.ts';
import { openS3Store } from '../../../src/storage/blobs/s3-store.ts';
import { listenOnNewPort } from '../../support/network/listen.ts';

/** What becomes of requests to a bucket that falls silent. */

const SILENT_MS = 300;
const KEY = 'ab'.repeat(32);

let respond: (response: ServerResponse) => void = () => undefined;
const server = createServer((_request, response) => respond(response));
let store: BlobStore;

beforeAll(async () => {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  const port = await listenOnNewPort(server);
  store = await openS3Store(
    new URL(`s3://winnow/prefix?endpoint=http://127.0.0.1:${port}`),
    'cache',
    SILENT_MS,
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each<[string, () => Promise<unknown>]>([
  ['a file is written', () => store.write(KEY, Buffer.from('a page'))],
  ['a file is read', () => store.read(KEY, undefined)],
  ['a file is renewed', () => store.touch(KEY)],
  ['a file is deleted', () => store.remove(KEY)],
  ['files are listed', () => store.list('ab')],
  ['the bucket is probed', () => store.ready()],
])(
  '%s: a bucket that never responds, breaks the connection or responds with 503 is unavailable',
  async (_what, request) => {
    for (const fault of [
      () => undefined,
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) => response.writeHead(503).end(),
    ]) {
      respond = fault;
      await expect(request()).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: 'The blob store does not respond. Try again in a few seconds.',
      });
    }
  },
);

it('a bucket that refuses the credentials is not one that does not respond', async () => {
  respond = (response) => response.writeHead(403).end();
  await expect(store.read(KEY, undefined)).rejects.not.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it.each<[string, () => Promise<unknown>]>([
  ['at once', () => store.read(KEY, undefined)],
  ['as a stream', async () => buffer((await store.stream(KEY))!)],
])(
  'a file that is read %s: a bucket that falls silent in the middle of it is an error',
  async (_how, read) => {
    respond = (response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('the beginning');
    };
    await expect(read()).rejects.toThrow();
  },
);
