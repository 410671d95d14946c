import { expect, it } from 'vitest';
import type { MapFetcherDeps } from '../../../src/jobs/crawl/map/page-fetcher.ts';
import { createMapPageFetcher } from '../../../src/jobs/crawl/map/page-fetcher.ts';
import type { MapRequest } from '../../../src/schemas/map.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { enginesBy } from '../../support/fetch/engines.ts';

it('a start page that is a document is converted in the turn of the team', async () => {
  const owners: string[] = [];
  const task = { type: 'pdf' as const, images: false };
  const unconverted = { task, bytes: new Uint8Array() };
  const deps = {
    userAgent: 'test',
    engines: enginesBy(async () => ({ ...snapshotOf(''), unconverted }), {
      async convertIfDocument(_page, { owner }) {
        owners.push(owner);
        return snapshotOf('<a href="/b">B</a>');
      },
    }),
    renderer: { render: async () => ({ metadata: {} }) },
    // The fetcher uses no more of them for a start page.
  } as unknown as MapFetcherDeps;
  const request = { url: 'http://a.test/' } as MapRequest;
  const { signal } = new AbortController();
  const fetcher = createMapPageFetcher(deps, request, { teamId: 'team', renderSignal: signal });
  await fetcher.fetchStartPage(request.url, signal);
  expect(owners).toEqual(['team']);
});
