import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { wholeText } from '../../../src/content/source-text.ts';
import { createPageCache } from '../../../src/fetch/engines/page-cache.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { migrate } from '../../../src/storage/db/migrate.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { openEmptyDatabase } from '../../support/storage/database.ts';

const KEY = Buffer.from('page');
const ANY_AGE = scrapeBody.parse({ url: 'http://a.test/', lockdown: true });

/** Opens a cache in a database and a directory of its own. @param store writes the files of copies */
async function openCache(store: (write: Blobs['putAll'], items: Uint8Array[]) => Promise<string[]>) {
  const empty = await openEmptyDatabase();
  const db = empty.open();
  await migrate(db);
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-cache-'));
  const blobs = await openBlobs(directory, 'cache');
  const putAll: Blobs['putAll'] = (items) => store(blobs.putAll, items);
  return {
    ...createPageCache({
      db,
      blobs: { ...blobs, putAll },
      results: await openBlobs(directory, 'results'),
    }),
    async [Symbol.asyncDispose]() {
      await db.close();
      await empty[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

it('a copy that is still being stored is found', async () => {
  const disk = Promise.withResolvers<void>();
  await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
  const stored = cache.store(KEY, snapshotOf('the page', { fetchedAt: Date.now() }));
  const found = cache.find(KEY, ANY_AGE);
  // A look-up that did not wait would have ended by now: this one, which begins later, has.
  expect(await cache.find(Buffer.from('another page'), ANY_AGE)).toBeUndefined();
  disk.resolve();
  expect(wholeText((await found)!.text)).toBe('the page');
  await stored;
});

it('a copy is not waited for without end', async () => {
  const disk = Promise.withResolvers<string[]>();
  await using cache = await openCache(() => disk.promise);
  const stored = cache.store(KEY, snapshotOf('the page', { fetchedAt: Date.now() }));
  expect(await cache.find(KEY, ANY_AGE)).toBeUndefined();
  disk.reject(new Error('the bucket does not respond'));
  await expect(stored).rejects.toThrow('the bucket does not respond');
});

it('a copy that could not be stored is not found, and is no error', async () => {
  await using cache = await openCache(() => Promise.reject(new Error('the disk is full')));
  const stored = cache.store(KEY, snapshotOf('the page', { fetchedAt: Date.now() }));
  const found = cache.find(KEY, ANY_AGE);
  await expect(stored).rejects.toThrow('the disk is full');
  expect(await found).toBeUndefined();
});
