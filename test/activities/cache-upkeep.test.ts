import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, unlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { up as countFiles } from '../../migrations/0006-cache-files.ts';
import { removeStrayFiles, trimCache } from '../../src/activities/upkeep/cache-upkeep.ts';
import { wholeText } from '../../src/content/source-text.ts';
import { createPageCache, type PageCache } from '../../src/fetch/engines/page-cache.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { formatFileReference } from '../../src/storage/blobs/file-urls.ts';
import { type Blobs, openBlobs } from '../../src/storage/blobs/index.ts';
import { sumCachedBytes } from '../../src/storage/db/cache/cache-files.ts';
import { snapshotOf } from '../content/html/page.ts';
import { makeTeam, useOwnDatabase } from '../support/storage/database.ts';

/** The limits of the cache by age and size, and the files that belong to its copies. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TWO_YEARS_MS = 730 * DAY_MS;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const ANY_AGE = scrapeBody.parse({ url: 'http://a.test/', lockdown: true });

const db = useOwnDatabase();
let root: string;
let directory: string;
let results: Blobs;
let cacheBlobs: Blobs;
let cache: PageCache;
let teamId: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'winnow-cache-'));
  teamId = (await makeTeam(db)).id;
});
beforeEach(async () => {
  await sql`truncate cache_entries, cache_files`.execute(db.query);
  directory = await mkdtemp(path.join(root, 'blobs-'));
  results = await openBlobs(directory, 'results');
  cacheBlobs = await openBlobs(directory, 'cache');
  cache = createPageCache({
    db,
    blobs: cacheBlobs,
    results,
    isShared: false,
    onUnreadable: (error) => {
      throw error;
    },
  });
});
afterAll(() => rm(root, { recursive: true }));

const keyOf = (name: string) => Buffer.from(name);
const textOf = (name: string) => `${name} ${randomBytes(2_000).toString('hex')}`;

/** Keeps a copy of a page, with a picture where one is given. */
async function keep(name: string, page: { picture?: Buffer; ageMs?: number } = {}): Promise<void> {
  const { picture, ageMs = 0 } = page;
  const file = picture && {
    key: await results.put(picture),
    size: picture.length,
    mediaType: 'image/png',
  };
  const files: Record<string, string> = file ? { screenshot: formatFileReference(file) } : {};
  const snapshot = snapshotOf(textOf(name), { fetchedAt: Date.now() - ageMs, files });
  await cache.store(keyOf(name), snapshot, { teamId, isAwaited: true });
}

const findCopy = (name: string) =>
  cache.find(keyOf(name), ANY_AGE, { teamId, signal: AbortSignal.timeout(60_000) });

/** The first word of the copy that is found. */
const find = async (name: string) => {
  const copy = await findCopy(name);
  return copy && wholeText(copy.text).split(' ')[0];
};

/** The names under which something is found, without use. */
async function kept(): Promise<string[]> {
  const entries = await db.query.selectFrom('cache_entries').select('key').execute();
  return entries.map(({ key }) => key.toString()).sort();
}

async function lastUsed(name: string, agoMs: number): Promise<void> {
  await sql`update cache_files set used_at = ${new Date(Date.now() - agoMs)}
    where hash in (select unnest(files) from cache_entries where key = ${keyOf(name)})`.execute(db.query);
}

/** The files of the cache: path and bytes. */
async function filesOnDisk(): Promise<{ file: string; bytes: number }[]> {
  const space = path.join(directory, 'cache');
  const names = await readdir(space, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => ({ file: path.join(space, name), is: await stat(path.join(space, name)) })),
  );
  return found.filter(({ is }) => is.isFile()).map(({ file, is }) => ({ file, bytes: is.size }));
}
const bytesOnDisk = async () => (await filesOnDisk()).reduce((sum, { bytes }) => sum + bytes, 0);

const trim = (cacheMaxBytes = NO_LIMIT) =>
  trimCache({ db, cacheBlobs, cacheTtlMs: TWO_YEARS_MS, cacheMaxBytes });

describe('the limit of the cache', () => {
  it('deletes the least recently used copies, and no more than necessary', async () => {
    for (const [index, name] of ['one', 'two', 'three', 'four'].entries()) {
      await keep(name);
      await lastUsed(name, (10 - index) * HOUR_MS);
    }
    expect(await find('one')).toBe('one');
    const bytes = await bytesOnDisk();
    expect(await sumCachedBytes(db)).toBe(bytes);
    expect(await trim(bytes)).toEqual({ copies: 0, files: 0, bytes: 0 });
    const freed = await trim(bytes - 1);
    expect(freed).toEqual({ copies: 1, files: 1, bytes: bytes - (await bytesOnDisk()) });
    expect(freed.bytes).toBeGreaterThan(0);
    expect(await kept()).toEqual(['four', 'one', 'three']);
    expect(await find('two')).toBeUndefined();
    expect(await bytesOnDisk()).toBe(await sumCachedBytes(db));
    await trim(1);
    expect(await filesOnDisk()).toEqual([]);
    expect(await sumCachedBytes(db)).toBe(0);
  });

  it('counts a screenshot shared by several copies once, and deletes it with the last of them', async () => {
    const picture = randomBytes(50_000);
    await keep('one', { picture });
    await keep('two', { picture });
    await lastUsed('one', 5 * HOUR_MS);
    await lastUsed('two', HOUR_MS / 2);
    const bytes = await sumCachedBytes(db);
    expect(Math.abs(bytes - (await bytesOnDisk()))).toBeLessThan(100);
    expect(bytes).toBeLessThan(2 * picture.length);
    await trim(bytes - 1);
    expect(await kept()).toEqual(['two']);
    expect(await find('two')).toBe('two');
    expect(await filesOnDisk()).toHaveLength(2);
    await trim(1);
    expect(await filesOnDisk()).toEqual([]);
  });

  it('deletes copies that share a file together', async () => {
    await Promise.all(['one', 'two', 'three'].map((name) => keep(name)));
    expect(await filesOnDisk()).toHaveLength(1);
    expect(await sumCachedBytes(db)).toBe(await bytesOnDisk());
    await keep('later');
    await lastUsed('one', HOUR_MS);
    expect(await trim((await bytesOnDisk()) - 1)).toMatchObject({ copies: 3, files: 1 });
    expect(await kept()).toEqual(['later']);
  });

  it('is enforced in steps, however many copies there are', async () => {
    for (let n = 0; n < 120; n++) await keep(`page ${n}`);
    expect((await trim(1)).copies).toBe(120);
    expect(await filesOnDisk()).toEqual([]);
  });
});

describe('a copy', () => {
  it('is deleted when it is too old, and its file when no other copy uses it', async () => {
    await Promise.all([
      keep('old', { ageMs: TWO_YEARS_MS + DAY_MS }),
      keep('young', { ageMs: TWO_YEARS_MS - DAY_MS }),
    ]);
    await keep('alone', { ageMs: TWO_YEARS_MS + DAY_MS });
    expect(await trim()).toMatchObject({ copies: 2, files: 1 });
    expect(await kept()).toEqual(['young']);
    expect(await find('young')).toBe('young');
  });

  it('whose file is lost is replaced by the one before it', async () => {
    await keep('page', { ageMs: DAY_MS });
    const before = (await filesOnDisk()).map(({ file }) => file);
    await keep('page');
    for (const { file } of await filesOnDisk()) if (!before.includes(file)) await unlink(file);
    const found = await findCopy('page');
    expect(found?.fetchedAt).toBeLessThan(Date.now() - HOUR_MS);
    await unlink(before[0]!);
    expect(await find('page')).toBeUndefined();
    expect([await kept(), await sumCachedBytes(db)]).toEqual([[], 0]);
  });

  it('from before file sizes were recorded is counted too', async () => {
    await Promise.all(['one', 'two'].map((name) => keep(name)));
    await sql`drop table cache_files`.execute(db.query);
    await sql`alter table cache_entries drop column files`.execute(db.query);
    // A migration knows no tables.
    await countFiles(db.query as unknown as Kysely<unknown>);
    expect(await sumCachedBytes(db)).toBe(await bytesOnDisk());
    expect(await removeAllStrays()).toBe(0);
    expect(await find('two')).toBe('two');
    expect((await trim(1)).copies).toBe(2);
  });
});

const removeAllStrays = async () => {
  let removed = 0;
  for (let prefix = 0; prefix < 256; prefix++)
    removed += (await removeStrayFiles({ db, cacheBlobs }, prefix)).files;
  return removed;
};

describe('a file without a copy', () => {
  it('is deleted after an hour, but not while its row may still be written', async () => {
    await keep('page', { picture: randomBytes(1_000) });
    const stray = await cacheBlobs.put(Buffer.from('stray'));
    await cacheBlobs.put(Buffer.from('just written'));
    expect(await removeAllStrays()).toBe(0);
    const files = (await filesOnDisk()).map(({ file }) => file);
    const longAgo = new Date(Date.now() - 2 * HOUR_MS);
    for (const file of files) await utimes(file, longAgo, longAgo);
    await cacheBlobs.put(Buffer.from('just written'));
    expect(await removeAllStrays()).toBe(1);
    await expect(cacheBlobs.get(stray)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await filesOnDisk()).toHaveLength(files.length - 1);
    expect(await find('page')).toBe('page');
  });

  it('is not deleted by a worker whose clock is a day ahead', async () => {
    const fresh = await cacheBlobs.put(Buffer.from('just written, by the clock of all others'));
    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ['Date'] });
    await removeAllStrays().finally(() => vi.useRealTimers());
    expect(String(await cacheBlobs.get(fresh))).toContain('just written');
  });
});
