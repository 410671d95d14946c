import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { Engine } from '../../../src/fetch/engines/engine.ts';
import type { Engines } from '../../../src/fetch/engines/fetch-page.ts';
import { ChunkLog } from '../../../src/jobs/page-jobs/chunk-log.ts';
import { type PageDeps, scrapeClaimedPage } from '../../../src/jobs/page-jobs/scrape-claimed-page.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import type { Claim } from '../../../src/storage/db/pages/claims.ts';
import type { PageResult } from '../../../src/storage/db/pages/record-and-claim.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { enginesBy } from '../../support/fetch/engines.ts';
import { withCredits } from '../../support/fetch/extra-credits.ts';

/** The report of a chunk of a job, with a clock that the test controls. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const host = 'a.test';
const claimOf = (ordinal: number): Claim => ({
  id: String(ordinal),
  ordinal,
  host,
  url: `http://${host}/${ordinal}`,
  depth: 0,
  hidden: false,
  attempts: 2,
  losses: 0,
  waitedMs: 0,
});

describe('the report of a chunk', () => {
  it('names failed pages without the passwords in their URLs, however long these are', async () => {
    const log = new ChunkLog();
    const end = {
      id: '0',
      host,
      outcome: 'failed',
      error: { code: 'SCRAPE_TIMEOUT', message: 'late' },
    } as const;
    for (const [ordinal, password] of ['hidden', 'hidden'.repeat(100)].entries())
      await log.observe({ ordinal, host, url: `http://user:${password}@${host}/${ordinal}` }, async () => ({
        end,
      }));
    const urls = log.report.failedPages?.map(({ url }) => url);
    expect(urls).toEqual([`http://${host}/0`, `http://${host}/1`]);
  });

  it('lists the pages that ended, and counts apart those that are tried again and those that were not tried', async () => {
    const log = new ChunkLog();
    const ends: Pick<PageResult, 'outcome' | 'isUncounted' | 'error'>[] = [
      { outcome: 'completed' },
      { outcome: 'unstarted' },
      { outcome: 'retry', isUncounted: true },
      { outcome: 'retry' },
      { outcome: 'failed', error: { code: 'SCRAPE_TIMEOUT', message: 'late' } },
      { outcome: 'dropped' },
    ];
    for (const [ordinal, end] of ends.entries()) {
      const host = 'a.test';
      const url = `http://${host}/${ordinal}`;
      await log.observe({ ordinal, host, url }, async () => ({ end: { id: String(ordinal), host, ...end } }));
    }
    expect(log.report).toEqual({
      pages: '0, 4-5',
      failed: { SCRAPE_TIMEOUT: 1 },
      failedPages: [{ url: 'http://a.test/4', code: 'SCRAPE_TIMEOUT' }],
      retried: 1,
      postponed: 2,
    });
  });
});

describe('the response time of a host', () => {
  type TimesOptions = Partial<Engines> & { requestsOneByOne?: boolean; minAge?: number };

  const unasked: Engine['fetchPage'] = async () => {
    throw new Error('The page was fetched.');
  };

  /** Scrapes a page by an engine of the test alone, and other parts of the test. */
  async function timesOf(
    get: Engine['fetchPage'],
    { requestsOneByOne = false, minAge, ...parts }: TimesOptions = {},
  ) {
    const log = new ChunkLog();
    const claim = claimOf(1);
    const request = scrapeBody.parse({ url: claim.url, minAge, fastMode: true });
    const job = {
      jobId: '',
      teamId: '',
      request,
      crawlStart: undefined,
      followsLinks: false,
      zeroDataRetention: true,
      requestsOneByOne,
      archive: false,
    };
    // No page comes to a document.
    const deps = {
      engines: enginesBy(get, parts),
      signal: new AbortController().signal,
      duringWait: (wait: () => Promise<unknown>) => wait(),
      extraCredits: () => withCredits(),
      renderer: {
        async render() {
          throw new ServiceError('SCRAPE_CONTENT_TOO_LARGE', 'The page is too large.');
        },
      },
    } as unknown as PageDeps;
    await log.observe(claim, (noteTime) =>
      scrapeClaimedPage(
        claim,
        { ...job, linkFilter: undefined, linkFilterAt: undefined },
        { ...deps, onFetched: (ms) => void (ms !== undefined && noteTime(ms)) },
      ),
    );
    return log.hostTimes;
  }

  it('excludes the wait for the browser', async () => {
    const times = await timesOf(async ({ duringWait }) => {
      await duringWait?.(async () => {
        vi.advanceTimersByTime(50_000);
        return undefined as never;
      });
      vi.advanceTimersByTime(300);
      throw new ServiceError('SCRAPE_SITE_ERROR', 'The site is down.');
    });
    expect(times).toEqual([{ host, requests: 1, ms: 300 }]);
  });

  it('excludes the conversion of a document', async () => {
    const task = { type: 'pdf' as const, images: false };
    const times = await timesOf(
      async () => {
        vi.advanceTimersByTime(300);
        return { ...snapshotOf(''), unconverted: { task, bytes: new Uint8Array() } };
      },
      {
        async convertIfDocument(_page, { onProgress }) {
          onProgress?.({ pagesDone: 0 });
          vi.advanceTimersByTime(5_000);
          throw new ServiceError('SCRAPE_DOCUMENT_UNREADABLE', 'The PDF is damaged.');
        },
      },
    );
    expect(times).toEqual([{ host, requests: 1, ms: 300 }]);
  });

  it('excludes the time for which a page is only watched after its last request', async () => {
    const times = await timesOf(async ({ onRequestsEnded }) => {
      vi.advanceTimersByTime(300);
      onRequestsEnded?.();
      vi.advanceTimersByTime(400);
      throw new ServiceError('SCRAPE_SITE_ERROR', 'The tab crashed.');
    });
    expect(times).toEqual([{ host, requests: 1, ms: 300 }]);
  });

  it('lasts until a page has been read, if the job has a delay between two pages', async () => {
    const settle: Engine['fetchPage'] = async ({ onRequestsEnded }) => {
      vi.advanceTimersByTime(300);
      onRequestsEnded?.();
      vi.advanceTimersByTime(400);
      throw new ServiceError('SCRAPE_SITE_ERROR', 'The tab crashed.');
    };
    expect(await timesOf(settle, { requestsOneByOne: true })).toEqual([{ host, requests: 1, ms: 700 }]);
  });

  it('is missing for a copy from the cache', async () => {
    const cache = {
      async find() {
        vi.advanceTimersByTime(20);
        return snapshotOf('');
      },
      store: async () => undefined,
    };
    expect(await timesOf(unasked, { cache })).toEqual([]);
  });

  it('is missing when only the cache was allowed and had no copy', async () => {
    expect(await timesOf(unasked, { minAge: 1 })).toEqual([]);
  });
});
