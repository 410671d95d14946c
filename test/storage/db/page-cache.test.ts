import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeText } from '../../../src/content/source-text.ts';
import { messageOf, ServiceError } from '../../../src/errors.ts';
import { createPageCache } from '../../../src/fetch/engines/page-cache.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { addCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { makeTeam, useOwnDatabase } from '../../support/storage/database.ts';

const db = useOwnDatabase();

const KEY = Buffer.from('page');
const request = (options: object) => scrapeBody.parse({ url: 'http://a.test/', ...options });
const ANY_AGE = request({ maxAge: 60_000 });
const AWAITED = { isAwaited: true };

type Write = (write: Blobs['putAll'], items: Uint8Array[]) => Promise<string[]>;
const writeAtOnce: Write = (write, items) => write(items);

/**
 * Opens a cache in a directory of its own, for a team of its own.
 * @param store writes the files of copies
 * @param untilSecondLook what passes until a request for a copy alone looks for it again
 */
async function openCache(
  store = writeAtOnce,
  { isShared = false, untilSecondLook = () => Promise.resolve() } = {},
) {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-cache-'));
  const blobs = await openBlobs(directory, 'cache');
  const results = await openBlobs(directory, 'results');
  const [{ id: own }, { id: other }] = [await makeTeam(db), await makeTeam(db)];
  const unreadable: string[] = [];
  const workerOf = (write: Write, read: Partial<Blobs> = {}) => {
    const putAll: Blobs['putAll'] = (items) => write(blobs.putAll, items);
    const cache = createPageCache({
      db,
      blobs: { ...blobs, putAll, ...read },
      results,
      isShared,
      untilSecondLook,
      maxReadMs: 100,
      onUnreadable: (error) => unreadable.push(messageOf(error)),
    });
    return {
      ...cache,
      store: (text: string, options = AWAITED, teamId = own) =>
        cache.store(keyOf(own), snapshotOf(text, { fetchedAt: Date.now() }), { teamId, ...options }),
      async find(asked = ANY_AGE, { teamId = own, signal = AbortSignal.timeout(60_000) } = {}) {
        const copy = await cache.find(keyOf(own), asked, { teamId, signal });
        return copy && wholeText(copy.text);
      },
    };
  };
  return {
    ...workerOf(store),
    other,
    /** Another process with the same cache. */
    otherWorker: (write = writeAtOnce) => workerOf(write),
    /** Another process, whose blob store returns copies in another way. */
    readingBy: (get: Blobs['get']) => workerOf(writeAtOnce, { get }),
    /** Why copies were not read. */
    unreadable,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** The key of a page that no other test has. */
const keyOf = (teamId: string) => Buffer.concat([KEY, Buffer.from(teamId)]);

describe('a copy belongs to the team that fetched the page', () => {
  it.each([
    ['any copy', {}],
    ['a copy alone, under lockdown', { lockdown: true }],
    ['a copy alone, by minAge', { minAge: 1 }],
  ])('and to no other that asks for %s', async (_what, options) => {
    await using cache = await openCache();
    await cache.store('the page behind a token');
    const asked = request(options);
    expect(await cache.find(asked, { teamId: cache.other })).toBeUndefined();
    expect(await cache.find(asked)).toBe('the page behind a token');
  });

  it('and another team does not even wait until it is stored', async () => {
    const disk = Promise.withResolvers<void>();
    await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
    const stored = cache.store('the page');
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBeUndefined();
    disk.resolve();
    await stored;
  });

  it('and does not hide that of another team', async () => {
    await using cache = await openCache();
    await cache.store('the page of the other team', AWAITED, cache.other);
    await cache.store('the page');
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBe('the page of the other team');
    expect(await cache.find()).toBe('the page');
  });

  it('unless teams share the cache', async () => {
    await using cache = await openCache(writeAtOnce, { isShared: true });
    await cache.store('the page');
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBe('the page');
  });
});

describe('a copy that is still being stored', () => {
  it('is found', async () => {
    const disk = Promise.withResolvers<void>();
    await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
    const stored = cache.store('the page');
    const found = cache.find();
    // A look-up that did not wait would have ended by now: this one, which begins later, has.
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBeUndefined();
    disk.resolve();
    expect(await found).toBe('the page');
    await stored;
  });

  it('is not waited for without end', async () => {
    const disk = Promise.withResolvers<string[]>();
    await using cache = await openCache(() => disk.promise);
    const stored = cache.store('the page');
    expect(await cache.find()).toBeUndefined();
    disk.reject(new Error('the bucket does not respond'));
    await expect(stored).rejects.toThrow('the bucket does not respond');
  });

  it('is not waited for beyond the time of the request', async () => {
    const disk = Promise.withResolvers<void>();
    await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
    const stored = cache.store('the page');
    const request = new AbortController();
    const found = cache.find(ANY_AGE, { signal: request.signal });
    request.abort(new Error('the time of the request is over'));
    await expect(found).rejects.toThrow('the time of the request is over');
    disk.resolve();
    await stored;
  });

  it('is found beside another one of the page that could not be stored', async () => {
    const disk = Promise.withResolvers<void>();
    let copies = 0;
    await using cache = await openCache(async (write, items) => {
      if (copies++ > 0) throw new Error('the disk is full');
      await disk.promise;
      return write(items);
    });
    const stored = cache.store('the page');
    // Copies that arrive in one turn of the event loop would be stored together.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await expect(cache.store('the page, scraped again')).rejects.toThrow('the disk is full');
    const found = cache.find();
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBeUndefined();
    disk.resolve();
    expect(await found).toBe('the page');
    await stored;
  });

  it.each([
    ['under lockdown', { lockdown: true }],
    ['by minAge', { minAge: 1 }],
  ])('by another worker is found by a request for a copy alone, %s', async (_what, options) => {
    const disk = Promise.withResolvers<void>();
    let stored: Promise<void> | undefined;
    await using cache = await openCache(writeAtOnce, {
      async untilSecondLook() {
        disk.resolve();
        await stored;
      },
    });
    stored = cache.otherWorker((write, items) => disk.promise.then(() => write(items))).store('it');
    expect(await cache.find(request(options))).toBe('it');
  });

  it('is stored before its process stops', async () => {
    const disk = Promise.withResolvers<void>();
    await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
    const stored = cache.store('the page', { isAwaited: false });
    let isDrained = false;
    const drained = cache.drained().then(() => {
      isDrained = true;
    });
    expect(await cache.find(ANY_AGE, { teamId: cache.other })).toBeUndefined();
    expect(isDrained).toBe(false);
    disk.resolve();
    await Promise.all([stored, drained]);
    expect(await cache.otherWorker().find()).toBe('the page');
  });
});

it('a copy that could not be stored is not found, and is no error', async () => {
  await using cache = await openCache(() => Promise.reject(new Error('the disk is full')));
  const stored = cache.store('the page');
  const found = cache.find();
  await expect(stored).rejects.toThrow('the disk is full');
  expect(await found).toBeUndefined();
});

it('copies that nobody waits for do not fill the memory', async () => {
  const disk = Promise.withResolvers<void>();
  await using cache = await openCache((write, items) => disk.promise.then(() => write(items)));
  const large = 'x'.repeat(45 * 1024 * 1024);
  const outcomes = Array.from({ length: 4 }, () =>
    cache.store(large, { isAwaited: false }).then(
      () => 'stored',
      (error) => error.message,
    ),
  );
  const leftOut = expect.stringContaining('left out');
  expect(await Promise.all(outcomes.slice(2))).toEqual([leftOut, leftOut]);
  disk.resolve();
  expect(await Promise.all(outcomes)).toEqual(['stored', 'stored', leftOut, leftOut]);
  // There is room again.
  await cache.store('the page', { isAwaited: false });
  expect(await cache.find()).toBe('the page');
});

it('two copies that were fetched in the same millisecond are both kept', async () => {
  const { id: teamId } = await makeTeam(db);
  const entry = { key: keyOf(teamId), teamId, fetchedAt: new Date() };
  for (const blob of ['one', 'two'])
    await addCacheEntries(db, [{ ...entry, blob, files: [{ hash: `${blob} ${teamId}`, bytes: 1 }] }]);
  const stored = await db.query
    .selectFrom('cache_entries')
    .select('blob')
    .where('team_id', '=', teamId)
    .orderBy('blob')
    .execute();
  expect(stored).toEqual([{ blob: 'one' }, { blob: 'two' }]);
});

describe('a blob store that cannot return a copy', () => {
  const outage = new ServiceError('SERVICE_UNAVAILABLE', 'The blob store does not respond.');
  it.each<[string, Blobs['get'], string]>([
    ['fails', () => Promise.reject(outage), outage.message],
    ['never responds', () => new Promise(() => undefined), 'no response within 100 ms'],
  ])(
    'and %s does not hinder a page that may be fetched, and fails one that must be a copy',
    async (_how, get, why) => {
      await using cache = await openCache();
      await cache.store('the page');
      const worker = cache.readingBy(get);
      expect(await worker.find()).toBeUndefined();
      expect(cache.unreadable).toEqual([why]);
      const alone = worker.find(request({ lockdown: true }), { signal: AbortSignal.timeout(500) });
      await expect(alone).rejects.toThrow();
      expect(await cache.find()).toBe('the page');
    },
  );
});
