import { expect, it } from 'vitest';
import type { PageRequest } from '../../../src/fetch/engines/engine.ts';
import { fetchPage } from '../../../src/fetch/engines/fetch-page.ts';
import { PageTracer } from '../../../src/fetch/engines/page-tracer.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { enginesBy } from '../../support/fetch/engines.ts';
import { withCredits } from '../../support/fetch/extra-credits.ts';

const { signal } = new AbortController();

/**
 * The request that engines get for a scrape, and the cache keys under which its page is stored when that is
 * asked for twice.
 */
async function requestOf(options: object) {
  const seen: PageRequest[] = [];
  const keys: string[] = [];
  const cache = {
    find: async () => undefined,
    store: async (key: Buffer) => void keys.push(key.toString('hex')),
  };
  const engines = enginesBy(
    async (request) => {
      seen.push(request);
      return snapshotOf('<p>The page</p>');
    },
    { cache },
  );
  const request = scrapeBody.parse({ url: 'http://site.test/', ...options });
  const { storeCopy } = await fetchPage(engines, request, {
    signal,
    teamId: 'team',
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

/** Fetches a page of whose document the cache has a copy, and returns the result and the engines' record. */
async function fetchCopied(options: object, credits: number) {
  const document = { type: 'pdf', numPages: 5, hasImages: false };
  const cache = {
    find: async () => ({ ...snapshotOf('<p>The copy</p>'), document }),
    store: async () => undefined,
  };
  const engines = enginesBy(async () => snapshotOf('<p>The page</p>'), { cache });
  const request = scrapeBody.parse({ url: 'http://site.test/', ...options });
  const tracer = new PageTracer();
  const extraCredits = withCredits(credits);
  const { snapshot, cacheState } = await fetchPage(engines, request, {
    signal,
    teamId: 'team',
    conversionOwner: 'team',
    extraCredits,
    tracer,
  });
  const tried = tracer.trace.attempts.map(({ engine }) => engine);
  return { text: snapshot.text, cacheState, tried, left: await extraCredits.available() };
}

it('a copy of a document costs its team all of its pages', async () => {
  expect(await fetchCopied({}, 4)).toEqual({
    text: '<p>The copy</p>',
    cacheState: 'hit',
    tried: ['cache'],
    left: 0,
  });
});

it('a page is fetched if its copy is a document that the team cannot pay for', async () => {
  expect(await fetchCopied({}, 3)).toEqual({
    text: '<p>The page</p>',
    cacheState: 'miss',
    tried: ['http'],
    left: 3,
  });
});

it('a request for a copy alone fails if the team cannot pay for it', async () => {
  await expect(fetchCopied({ minAge: 1 }, 3)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
});
