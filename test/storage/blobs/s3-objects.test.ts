import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { openS3Objects } from '../../../src/storage/blobs/s3-objects.ts';
import { type BucketFault, startBucket } from '../../support/storage/bucket.ts';

/** Large objects of a bucket, and what becomes of them when it fails. */

const server = await startBucket();
const PREFIX = 'some/place/';
const objects = await openS3Objects(new URL(server.url('')), PREFIX);
const MEBIBYTE = 1024 * 1024;

afterEach(() => {
  server.fault = undefined;
  server.requests.length = 0;
  vi.unstubAllEnvs();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Random bytes in chunks whose size fits no part. */
async function* chunks(total: number, hash = createHash('sha256')): AsyncGenerator<Uint8Array> {
  const chunk = randomBytes(999_983);
  for (let sent = 0; sent < total; ) {
    const bytes = chunk.subarray(0, Math.min(chunk.length, total - sent));
    hash.update(bytes);
    yield bytes;
    sent += bytes.length;
  }
}

async function hashOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source) hash.update(bytes);
  return hash.digest('hex');
}

const readAll = async (name: string) => hashOf(objects.read(name, await objects.findVersion(name)));
const isPart: BucketFault = ({ method, url }) => method === 'PUT' && Boolean(url?.includes('partNumber'));
const refuse = (response: ServerResponse, status: number, code: string) => {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>The message of the bucket</Message></Error>`);
  return true;
};

it('an object of several parts appears when it is complete, and is read unchanged', async () => {
  const hash = createHash('sha256');
  let seen: string[] = [];
  server.fault = (request, response) => {
    if (isPart(request, response)) void server.keys().then((keys) => (seen = keys));
    return false;
  };
  await objects.write('large.tar', chunks(66 * MEBIBYTE, hash));
  expect(seen).toEqual([]);
  expect(server.requests.filter((line) => /^PUT .*partNumber/.test(line))).toHaveLength(2);
  expect(await server.keys()).toEqual([`${PREFIX}large.tar`]);
  expect(await server.uploads()).toEqual([]);
  expect(await readAll('large.tar')).toBe(hash.digest('hex'));
});

it('an object whose source fails leaves nothing', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield* chunks(65 * MEBIBYTE);
    throw new Error('the source has failed');
  }
  await expect(objects.write('failing.tar', failing())).rejects.toThrow('the source has failed');
  expect(await server.keys()).not.toContain(`${PREFIX}failing.tar`);
  expect(await server.uploads()).toEqual([]);
});

it('objects directly below the prefix are listed and removed, others are not', async () => {
  await objects.write('listed.tar', chunks(10));
  const below = await openS3Objects(new URL(server.url('')), `${PREFIX}below/`);
  await below.write('hidden.tar', chunks(10));
  const names = (await objects.list()).map(({ name }) => name);
  expect(names).toContain('listed.tar');
  expect(names.filter((name) => name.includes('hidden'))).toEqual([]);
  await objects.remove('listed.tar');
  expect(await server.keys()).not.toContain(`${PREFIX}listed.tar`);
});

it('uploads that a killed process has left are ended if they are old and its own', async () => {
  const isEnd: BucketFault = ({ method }) => method === 'DELETE';
  server.fault = (request, response) =>
    (isPart(request, response) || isEnd(request, response)) && refuse(response, 400, 'Unlucky');
  for (const name of ['own.tar', 'of-others.tar'])
    await expect(objects.write(name, chunks(10))).rejects.toThrow('The message of the bucket');
  server.fault = undefined;
  expect(await server.uploads()).toHaveLength(2);
  const isOwn = (name: string) => name === 'own.tar';
  await objects.endLostUploads(isOwn, new Date(Date.now() - 60_000));
  expect(await server.uploads()).toHaveLength(2);
  await objects.endLostUploads(isOwn, new Date(Date.now() + 60_000));
  expect(await server.uploads()).toHaveLength(1);
  server.fault = (_request, response) => refuse(response, 501, 'NotImplemented');
  await objects.endLostUploads(isOwn, new Date(Date.now() + 60_000));
  server.fault = undefined;
  await objects.endLostUploads(() => true, new Date(Date.now() + 60_000));
});

it('a response that breaks off is read again', async () => {
  const hash = createHash('sha256');
  await objects.write('broken.tar', chunks(9 * MEBIBYTE, hash));
  let broken = 0;
  server.fault = ({ method }, response) => {
    if (method !== 'GET' || broken++ > 0) return false;
    response.writeHead(206, { 'Content-Length': 8 * MEBIBYTE });
    response.write('the beginning', () => response.destroy());
    return true;
  };
  expect(await readAll('broken.tar')).toBe(hash.digest('hex'));
  expect(broken).toBeGreaterThan(1);
});

it('an object is there although the response that says so was lost', async () => {
  let lost = 0;
  server.fault = ({ method, url }, response) => {
    // The connection breaks when the bucket has done its work.
    if (method === 'POST' && url?.includes('uploadId') && lost++ === 0)
      Object.assign(response, { end: () => response.socket?.destroy() });
    return false;
  };
  const hash = createHash('sha256');
  await objects.write('unsaid.tar', chunks(1_000, hash));
  expect(lost).toBe(2);
  expect(await readAll('unsaid.tar')).toBe(hash.digest('hex'));
});

it('an object that is replaced while it is read is not read as a mixture', async () => {
  await objects.write('replaced.tar', chunks(9 * MEBIBYTE));
  const version = await objects.findVersion('replaced.tar');
  server.fault = ({ method, headers }, response) =>
    method === 'GET' && headers['if-match'] === version.etag && refuse(response, 412, 'PreconditionFailed');
  await expect(hashOf(objects.read('replaced.tar', version))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: `The object ${PREFIX}replaced.tar was replaced while it was read. Repeat the command.`,
  });
});

it.each([
  [
    403,
    'AccessDenied',
    'BAD_REQUEST',
    /refuses access to some\/place\/a\.tar \(AccessDenied\)\. Check AWS_ACCESS/,
  ],
  [403, 'InvalidAccessKeyId', 'BAD_REQUEST', /\(InvalidAccessKeyId\)\. Check AWS_ACCESS_KEY_ID/],
  [
    404,
    'NoSuchBucket',
    'BAD_REQUEST',
    /^There is no bucket winnow at http:.*\. Create it, or correct its name\./,
  ],
  [301, 'PermanentRedirect', 'BAD_REQUEST', /belongs to another region\. Name its region in the URL/],
  [
    403,
    'QuotaExceeded',
    'INSUFFICIENT_STORAGE',
    /not enough room in the bucket .*Delete objects, raise its quota/,
  ],
  [
    503,
    'SlowDown',
    'SERVICE_UNAVAILABLE',
    /does not respond \(503\)\. Try again later, or correct its endpoint/,
  ],
  [400, 'Unlucky', 'BAD_REQUEST', /refuses some\/place\/a\.tar: The message of the bucket/],
])('%s %s of a bucket says what to do', async (status, name, code, message) => {
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  const once = await openS3Objects(new URL(server.url('')), PREFIX);
  server.fault = (_request, response) => refuse(response, status, name);
  await expect(once.write('a.tar', chunks(10))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
  expect(await server.uploads()).toEqual([]);
});

it('an object that is not there, and a bucket that nothing serves, say so', async () => {
  await expect(objects.findVersion('absent.tar')).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/has no object some\/place\/absent\.tar\. Correct its name\./),
  });
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  const nowhere = await openS3Objects(new URL('s3://winnow/?endpoint=http://127.0.0.1:1'), '');
  await expect(nowhere.findVersion('a.tar')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/does not respond \(ECONNREFUSED\)/),
  });
});
