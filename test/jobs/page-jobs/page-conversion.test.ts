import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pageConversion } from '../../../src/jobs/page-jobs/page-conversion.ts';
import { type PageDeps, scrapeClaimedPage } from '../../../src/jobs/page-jobs/scrape-claimed-page.ts';
import { startDeadline } from '../../../src/jobs/scraping/deadline.ts';
import { scrapeBody } from '../../../src/schemas/scrape.ts';
import { snapshotOf } from '../../content/html/page.ts';
import { enginesBy } from '../../support/fetch/engines.ts';
import { withCredits } from '../../support/fetch/extra-credits.ts';

/** The time that a document of a batch or crawl may take, with a clock that the test controls. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 1_000;

/** Starts the conversion of a document of a page. */
function startConversion(type: 'pdf' | 'docx' = 'pdf') {
  const deadline = startDeadline(
    { url: 'http://a.test/', timeout: TIMEOUT_MS },
    new AbortController().signal,
  );
  const { onProgress, duringConversion, conversionOwner } = pageConversion('team', deadline);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
  const converted = duringConversion(() => promise, type);
  /** Lets a parser begin with the document. */
  const begin = async () => {
    onProgress({ pagesDone: 0 });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { converted, begin, end: () => resolve('document'), conversionOwner };
}

describe('a document of a batch', () => {
  it('is finished if that takes up to 20 minutes longer than the timeout', async () => {
    const { converted, begin, end } = startConversion();
    await begin();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 20 * MINUTE_MS - 1);
    end();
    expect(await converted).toBe('document');
  });

  it('is given up after that', async () => {
    const { converted, begin } = startConversion();
    const failure = expect(converted).rejects.toMatchObject({
      code: 'SCRAPE_TIMEOUT',
      message: expect.stringContaining('was not converted within 20 minutes'),
    });
    await begin();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 20 * MINUTE_MS);
    await failure;
  });

  it('has five minutes more if it needs no recognition of text', async () => {
    const { converted, begin } = startConversion('docx');
    const failure = expect(converted).rejects.toMatchObject({ code: 'SCRAPE_TIMEOUT' });
    await begin();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 5 * MINUTE_MS);
    await failure;
  });

  it('uses nothing of its time while it waits for a parser', async () => {
    const { converted, begin, end } = startConversion();
    await vi.advanceTimersByTimeAsync(19 * MINUTE_MS);
    await begin();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 19 * MINUTE_MS);
    end();
    expect(await converted).toBe('document');
  });

  it('is put back if no parser is free for 20 minutes', async () => {
    const { converted } = startConversion();
    const failure = expect(converted).rejects.toMatchObject({ code: 'CONCURRENCY_QUEUE_TIMEOUT' });
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
    await failure;
  });

  it('is not tried again after that', async () => {
    const task = { type: 'pdf' as const, images: false };
    const page = { ...snapshotOf(''), unconverted: { task, bytes: new Uint8Array() } };
    const deps = {
      signal: new AbortController().signal,
      onFetched: () => undefined,
      extraCredits: () => withCredits(),
      engines: enginesBy(async () => page, {
        convertIfDocument(_page, { onProgress, signal }) {
          onProgress?.({ pagesDone: 0 });
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          );
        },
      }),
      // A page that fails while its document is converted uses no more of them.
    } as unknown as PageDeps;
    const url = 'http://a.test/book.pdf';
    const claim = {
      id: '1',
      ordinal: 1,
      host: 'a.test',
      url,
      depth: 0,
      hidden: false,
      attempts: 0,
      losses: 0,
      waitedMs: 0,
    };
    const job = {
      jobId: 'job',
      teamId: 'team',
      request: scrapeBody.parse({ url, timeout: TIMEOUT_MS }),
      linkFilter: undefined,
      linkFilterAt: undefined,
      crawlStart: undefined,
      followsLinks: false,
      zeroDataRetention: false,
      requestsOneByOne: false,
      archive: false,
    };
    const scraped = scrapeClaimedPage(claim, job, deps);
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 20 * MINUTE_MS);
    expect((await scraped).end).toMatchObject({ outcome: 'failed', error: { code: 'SCRAPE_TIMEOUT' } });
  });

  it('has another turn than the single scrapes of its team', () => {
    expect(startConversion().conversionOwner).not.toBe('team');
  });
});
