import { describe, expect, it } from 'vitest';
import { FinishedPages, type ScrapedPage } from '../../../src/jobs/page-jobs/finished-pages.ts';
import type { Blobs } from '../../../src/storage/blobs/index.ts';
import { NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';

/** Storage that only names what it stores. */
const blobs = { putAll: async (items: Uint8Array[]) => items.map((_, index) => `pack+${index}`) } as Blobs;

const page = (id: string, storeCopy: ScrapedPage['storeCopy']): ScrapedPage => ({
  end: { id, host: 'site.example', outcome: 'completed' },
  json: Buffer.from('{}'),
  storeCopy,
});

describe('finished pages', () => {
  it('are recorded only when their copies are in the cache, which are stored in one turn', async () => {
    const finished = new FinishedPages({ blobs, cipher: NULL_CIPHER });
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
    const finished = new FinishedPages({ blobs, cipher: NULL_CIPHER });
    finished.add(page('a', () => Promise.reject(new Error('The disk is full.'))));
    await expect(finished.store()).rejects.toThrow('The disk is full.');
    expect(finished.hasStored).toBe(false);
  });
});
