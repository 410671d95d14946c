import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateBlob, openBlobs } from '../../../src/storage/blobs/index.ts';
import { startBucket, type TestBucket } from '../../support/storage/bucket.ts';

const text = Buffer.from('the same bytes, again and again. '.repeat(500));
const KEY_OF_NOTHING = 'ab'.repeat(32);

let directory: string;
let server: TestBucket;
let bucket: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-blobs-'));
  server = await startBucket();
  bucket = server.url('some/prefix');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

describe.each(['directory', 'bucket'])('blobs in a %s', (kind) => {
  const open = () => openBlobs(kind === 'directory' ? path.join(directory, 'blobs') : bucket, 'results');

  it('are returned unchanged under the hash of their content', async () => {
    const blobs = await open();
    await blobs.ready();
    const key = await blobs.put(text);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await blobs.get(key)).toEqual(text);
    expect(await blobs.put(text)).toBe(key);
    expect(await blobs.put(Buffer.alloc(0))).not.toBe(key);
  });

  it('have the same key when they are stored as new ones, even twice', async () => {
    const blobs = await open();
    const bytes = Buffer.from(`new ${Math.random()}`);
    const key = await blobs.putNew(bytes);
    expect(await blobs.get(key)).toEqual(bytes);
    expect(await blobs.putNew(bytes)).toBe(key);
    expect(await blobs.put(bytes)).toBe(key);
  });

  it('accept the same bytes from concurrent writers', async () => {
    const blobs = await open();
    const bytes = Buffer.from(`at once ${Math.random()}`);
    const keys = await Promise.all(Array.from({ length: 20 }, () => blobs.put(bytes)));
    expect(new Set(keys).size).toBe(1);
    expect(await blobs.get(keys[0]!)).toEqual(bytes);
  });

  it('are returned individually when several share a file', async () => {
    const blobs = await open();
    const items = [
      ...['one', '', 'three '.repeat(1_000)].map((item) => Buffer.from(`${item}${Math.random()}`)),
      Buffer.alloc(0),
      randomBytes(1_000_000),
      // Compressed, these fill exactly the 64 KiB that the compressor returns at once.
      randomBytes(64 * 1024 - 14),
      Buffer.alloc(1_000_000),
    ];
    const keys = await blobs.putAll(items);
    expect(new Set(keys.map((key) => key.slice(0, 64))).size).toBe(1);
    for (const [index, key] of keys.entries()) expect(await blobs.get(key)).toEqual(items[index]);
  });

  it('are stored from files and read as streams with the same result', async () => {
    const blobs = await open();
    const bytes = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000)]);
    const file = path.join(directory, `file-${kind}`);
    await writeFile(file, bytes);
    const key = await blobs.putFile(file);
    expect(key).toBe(await blobs.put(bytes));
    expect(await blobs.get(key)).toEqual(bytes);
    expect(await buffer(await blobs.stream(key))).toEqual(bytes);
    expect(await blobs.putFile(file)).toBe(key);
    expect((await readdir(directory)).filter((name) => name.startsWith(`file-${kind}`))).toHaveLength(1);
  });

  it('are swept by time of storage, in their own space only', async () => {
    const location = kind === 'directory' ? path.join(directory, 'swept') : bucket.replace('some', 'swept');
    const [results, cache] = [await openBlobs(location, 'results'), await openBlobs(location, 'cache')];
    const [old] = await results.putAll([Buffer.from('old')]);
    const kept = await cache.put(Buffer.from('old'));
    const [file] = await results.list(old!.slice(0, 2));
    expect(await results.sweep(new Date(Date.now() - 60_000))).toEqual({ files: 0, bytes: 0 });
    expect(await results.sweep(new Date(Date.now() + 60_000))).toEqual({ files: 1, bytes: file!.bytes });
    await expect(results.get(old!)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await cache.get(kept)).toEqual(Buffer.from('old'));
  });

  it('are listed by prefix under the keys that remove them', async () => {
    const location = kind === 'directory' ? path.join(directory, 'listed') : bucket.replace('some', 'listed');
    const blobs = await openBlobs(location, 'cache');
    const before = Date.now();
    const key = await blobs.put(Buffer.from('listed'));
    const other = await blobs.put(Buffer.from('another'));
    expect(other.slice(0, 2)).not.toBe(key.slice(0, 2));
    const listed = await blobs.list(key.slice(0, 2));
    expect(listed).toEqual([{ key, storedAt: expect.any(Date), bytes: expect.any(Number) }]);
    expect(Math.abs(listed[0]!.storedAt.getTime() - before)).toBeLessThan(60_000);
    await blobs.remove(key);
    expect(await blobs.list(key.slice(0, 2))).toEqual([]);
    expect(await blobs.list(other.slice(0, 2))).toHaveLength(1);
  });

  it.each([KEY_OF_NOTHING, `${KEY_OF_NOTHING}+0+5`, '../../etc/passwd', ''])(
    'do not exist under %j',
    async (key) => {
      const blobs = await open();
      await expect(blobs.get(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(blobs.stream(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  );
});

describe('a directory of blobs', () => {
  it('stores them compressed and leaves no temporary files', async () => {
    const root = path.join(directory, 'compressed');
    const blobs = await openBlobs(root, 'results');
    const key = await blobs.put(text);
    const shelf = path.join(root, 'results', key.slice(0, 2));
    expect(await readdir(shelf)).toEqual([key.slice(2)]);
    expect((await readFile(path.join(shelf, key.slice(2)))).length).toBeLessThan(text.length / 10);
  });

  it.each([
    ['empty', (bytes: Buffer) => bytes.subarray(0, 0)],
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ['partly zeros', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -9), Buffer.alloc(9)])],
  ])('has lost a cached copy whose file is %s, and reports other blobs as damaged', async (name, damage) => {
    for (const space of ['cache', 'results'] as const) {
      const root = path.join(directory, name);
      const blobs = await openBlobs(root, space);
      const [key] = await blobs.putAll([text]);
      const { file } = locateBlob(key!);
      const stored = path.join(root, space, file.slice(0, 2), file.slice(2));
      await writeFile(stored, damage(await readFile(stored)));
      const error = await blobs.get(key!).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error.code === 'NOT_FOUND').toBe(space === 'cache');
    }
  });

  it('reports that it is not available when a file has its path', async () => {
    const file = path.join(directory, 'a-file');
    await writeFile(file, '');
    const blobs = await openBlobs(path.join(file, 'blobs'), 'results');
    await expect(blobs.ready()).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
