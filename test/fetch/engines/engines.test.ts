import { expect, it } from 'vitest';
import type { Engine, PageRequest } from '../../../src/fetch/engines/engine.ts';
import { createEngines } from '../../../src/fetch/engines/index.ts';
import type { PageCache } from '../../../src/fetch/engines/page-cache.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { snapshotOf } from '../../content/html/page.ts';

/**
 * The request that engines get for a scrape, and the cache keys under which its page is stored when that is
 * asked for twice.
 */
async function requestOf(options: object) {
  const seen: PageRequest[] = [];
  const keys: string[] = [];
  const engine: Engine = {
    async fetchPage(request) {
      seen.push(request);
      return snapshotOf('<p>The page</p>');
    },
  };
  const cache: PageCache = {
    find: async () => undefined,
    store: async (key) => void keys.push(key.toString('hex')),
  };
  const engines = createEngines({
    cache,
    convertIfDocument: async (page) => page,
    http: engine,
    browser: engine,
    upload: { readUpload: async () => snapshotOf('<p>A file</p>') },
    proxies: { offers: () => false, isElsewhere: () => false },
  });
  const request = scrapeBody.parse({ url: 'http://site.test/', ...options });
  const { storeCopy } = await engines.fetchPage(request, new AbortController().signal, {
    conversionOwner: 'team',
  });
  await Promise.all([storeCopy(), storeCopy()]);
  return { request: seen[0]!, keys };
}

const formats = ['markdown', 'changeTracking'];

it.each([
  ['five seconds', {}, 0, 5_000],
  ['five seconds beside a shorter waitFor', { waitFor: 100 }, 100, 5_000],
  ['half of a short timeout', { timeout: 3_001 }, 0, 1_500],
  ['no time with fastMode', { fastMode: true }, 0, 0],
  ['no time with zero data retention, which compares nothing', { zeroDataRetention: true }, 0, 0],
])('a tracked page that is rendered has %s to complete', async (_name, options, waitForMs, minWaitMs) => {
  expect((await requestOf({ formats, ...options })).request).toMatchObject({ waitForMs, minWaitMs });
});

it('a page that is not tracked has no time of its own', async () => {
  expect((await requestOf({ waitFor: 100 })).request).toMatchObject({ waitForMs: 100, minWaitMs: 0 });
});

it('a copy of a tracked page is kept by what was asked for', async () => {
  const [{ keys: plain }, { keys: waited }] = [await requestOf({}), await requestOf({ waitFor: 100 })];
  expect(plain).not.toEqual(waited);
  expect((await requestOf({ formats })).keys).toEqual(plain);
  expect((await requestOf({ formats, waitFor: 100 })).keys).toEqual(waited);
});

it('a page has one copy, however often that is asked for', async () => {
  expect((await requestOf({})).keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

it('a page with zero data retention has no copy', async () => {
  expect((await requestOf({ zeroDataRetention: true })).keys).toEqual([]);
});
