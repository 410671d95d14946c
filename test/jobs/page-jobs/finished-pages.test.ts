import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/fetch/net/exchange.ts';
import { KnownBodies } from '../../../src/jobs/archive/known-bodies.ts';
import { readPageArchive } from '../../../src/jobs/archive/page-archive.ts';
import { FinishedPages, type ScrapedPage } from '../../../src/jobs/page-jobs/finished-pages.ts';
import type { Blobs } from '../../../src/storage/blobs/index.ts';
import { createJobCipher, type JobCipher, NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';

/** Storage that only names what it stores. */
const blobs = { putAll: async (items: Uint8Array[]) => items.map((_, index) => `pack+${index}`) } as Blobs;

const page = (id: string, storeCopy: ScrapedPage['storeCopy']): ScrapedPage => ({
  end: { id, host: 'site.example', outcome: 'completed' },
  json: Buffer.from('{}'),
  storeCopy,
});

describe('finished pages', () => {
  it('are recorded only when their copies are in the cache, which are stored in one turn', async () => {
    const finished = new FinishedPages({ blobs, cipher: NULL_CIPHER, jobId: 'job' });
    const stored = Promise.withResolvers<void>();
    const begun: string[] = [];
    for (const id of ['a', 'b']) {
      finished.add(
        page(id, () => {
          begun.push(id);
          return stored.promise;
        }),
      );
    }
    expect(begun).toEqual([]);
    const storing = finished.store();
    expect(begun).toEqual(['a', 'b']);
    await new Promise(setImmediate);
    expect(finished.hasStored).toBe(false);
    stored.resolve();
    await storing;
    expect(finished.takeStored().map(({ end }) => [end.id, end.blob])).toEqual([
      ['a', 'pack+0'],
      ['b', 'pack+1'],
    ]);
  });

  it('fail together when a copy cannot be stored', async () => {
    const finished = new FinishedPages({ blobs, cipher: NULL_CIPHER, jobId: 'job' });
    finished.add(page('a', () => Promise.reject(new Error('The disk is full.'))));
    await expect(finished.store()).rejects.toThrow('The disk is full.');
    expect(finished.hasStored).toBe(false);
  });
});

describe('the archives of finished pages', () => {
  const BODY = 'what the site sent, '.repeat(50);

  const exchangeOf = (url: string, body: string): Exchange => ({
    url,
    method: 'GET',
    requestHeaders: [],
    statusCode: 200,
    statusText: 'OK',
    responseHeaders: [],
    body: Buffer.from(body),
    startedAt: 0,
  });

  /** Stores pages one after the other. @returns the stored items by their keys, and the results */
  async function store(pages: Exchange[][], cipher: JobCipher) {
    const items = new Map<string, Buffer>();
    const memory = {
      async putAll(stored: Uint8Array[]) {
        return stored.map((item) => {
          const key = `${'0'.repeat(64)}+${items.size}+${item.length}`;
          items.set(key, Buffer.from(item));
          return key;
        });
      },
      get: async (key: string) => items.get(key)!,
    } as Blobs;
    const knownBodies = new KnownBodies();
    const finished = new FinishedPages({ blobs: memory, cipher, jobId: 'job', knownBodies });
    for (const [index, exchanges] of pages.entries()) {
      finished.add({ ...page(String(index), undefined), exchanges });
      await finished.store();
    }
    const ends = finished.takeStored().map(({ end }) => end);
    const archives = await Promise.all(
      ends.map(({ archive }) => readPageArchive({ blobs: memory, cipher }, archive!)),
    );
    return { items, ends, archives };
  }

  it('have each body once for all pages of a job, where each page finds it', async () => {
    const { items, ends, archives } = await store(
      [
        [exchangeOf('http://a.test/1', 'one'), exchangeOf('http://a.test/style', BODY)],
        [exchangeOf('http://a.test/2', 'two'), exchangeOf('http://a.test/copy', BODY)],
      ],
      NULL_CIPHER,
    );
    const stored = [...items.values()].filter((item) => item.includes(BODY));
    expect(stored.length).toBe(1);
    for (const { exchanges, readBody } of archives)
      expect((await readBody(exchanges[1]!)).toString()).toBe(BODY);
    expect((await archives[1]!.readBody(archives[1]!.exchanges[0]!)).toString()).toBe('two');
    expect(ends.map(({ archive, archiveBytes }) => items.get(archive!)!.length === archiveBytes)).toEqual([
      true,
      true,
    ]);
  });

  it('cannot be read without the key of a job with zero data retention', async () => {
    const cipher = createJobCipher('job', 'secret'.repeat(8));
    const { items, archives } = await store([[exchangeOf('http://a.test/1', BODY)]], cipher);
    for (const item of items.values()) {
      expect(item.includes('what the site sent')).toBe(false);
      expect(item.includes('a.test')).toBe(false);
    }
    const { exchanges, readBody } = archives[0]!;
    expect((await readBody(exchanges[0]!)).toString()).toBe(BODY);
  });
});
