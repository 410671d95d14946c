import { expect, it } from 'vitest';
import type { FetchContext } from '../../../src/fetch/engines/page-request.ts';
import type { MapFetcherDeps } from '../../../src/jobs/crawl/map/page-fetcher.ts';
import { createMapPageFetcher } from '../../../src/jobs/crawl/map/page-fetcher.ts';
import type { MapRequest } from '../../../src/schemas/map.ts';
import { snapshotOf } from '../../content/html/page.ts';

it('a start page that is a document is converted in the turn of the team', async () => {
  const contexts: FetchContext[] = [];
  const deps = {
    userAgent: 'test',
    engines: {
      async fetchPage(_request: unknown, _signal: unknown, context: FetchContext) {
        contexts.push(context);
        const snapshot = snapshotOf('<a href="/b">B</a>');
        return { snapshot, cacheState: undefined, storeCopy: () => Promise.resolve(), fallbacks: [] };
      },
    },
    renderer: { render: async () => ({ metadata: {} }) },
    // The fetcher uses no more of them for a start page.
  } as unknown as MapFetcherDeps;
  const request = { url: 'http://a.test/' } as MapRequest;
  const { signal } = new AbortController();
  const fetcher = createMapPageFetcher(deps, request, { teamId: 'team', renderSignal: signal });
  await fetcher.fetchStartPage(request.url, signal);
  expect(contexts).toEqual([{ conversionOwner: 'team' }]);
});
