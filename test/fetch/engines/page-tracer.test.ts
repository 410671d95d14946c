import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { type Engine, PLAIN_PAGE } from '../../../src/fetch/engines/engine.ts';
import { PageTracer } from '../../../src/fetch/engines/page-tracer.ts';
import { pageTrace, readTrace } from '../../../src/schemas/page-trace.ts';
import { snapshotOf } from '../../content/html/page.ts';

/** The record of how a page goes. */

const { signal } = new AbortController();
const url = 'http://site.test/';
const request = { ...PLAIN_PAGE, sourceUrl: url, url };
const some = expect.any(Number);

/** Has an engine fetch the page, and records it. */
async function attempt(tracer: PageTracer, name: 'http' | 'browser', fetchPage: Engine['fetchPage']) {
  await tracer
    .record(name, { fetchPage })
    .fetchPage(request, signal)
    .catch(() => undefined);
}

it('has each engine with its result, size and reason', async () => {
  const tracer = new PageTracer();
  await attempt(tracer, 'http', async () => snapshotOf('<p>ü</p>', { url, statusCode: 403 }));
  await attempt(tracer, 'browser', async () => snapshotOf('<p>page</p>', { url: `${url}new` }));
  const timed = { startMs: some, ms: some };
  expect(tracer.trace.attempts).toEqual([
    { ...timed, engine: 'http', result: 'HTTP 403', blockedBy: 'HTTP 403', bytes: 9 },
    { ...timed, engine: 'browser', result: 'HTTP 200', because: 'HTTP 403', url: `${url}new`, bytes: 11 },
  ]);
});

it('has the error of an engine, and the maker of a challenge', async () => {
  const tracer = new PageTracer();
  await attempt(tracer, 'http', async () => {
    throw new ServiceError('SCRAPE_SITE_ERROR', 'no connection');
  });
  const challenge = { maker: 'cloudflare', isCertain: true };
  await attempt(tracer, 'browser', async () => ({ ...snapshotOf('<p>wait</p>'), challenge }));
  expect(tracer.trace.attempts).toMatchObject([
    { result: 'SCRAPE_SITE_ERROR' },
    { result: 'HTTP 200', because: 'SCRAPE_SITE_ERROR', blockedBy: 'cloudflare' },
  ]);
});

it('has the redirects of an engine, within bounds that no site can exceed', async () => {
  const tracer = new PageTracer();
  await attempt(tracer, 'http', async ({ onRedirect }) => {
    for (let n = 0; n < 1000; n++) onRedirect?.({ url: `${url}${'x'.repeat(100_000)}`, by: 'HTTP 302' });
    return snapshotOf('<p>page</p>');
  });
  const [{ redirects = [] } = {}] = tracer.trace.attempts;
  expect(redirects.length).toBe(10);
  expect(redirects[0]).toEqual({
    url: expect.stringMatching(/^http:\/\/site\.test\/x{483}$/),
    by: 'HTTP 302',
  });
});

it('has the waits for the browser, within those of the page', async () => {
  const tracer = new PageTracer();
  const waits: string[] = [];
  const engine = tracer.record('browser', {
    async fetchPage({ duringWait }) {
      await duringWait?.(async () => waits.push('wait'));
      return snapshotOf('<p>page</p>');
    },
  });
  const duringWait = async <Result>(wait: () => Promise<Result>) => {
    waits.push('suspended');
    return wait();
  };
  await engine.fetchPage({ ...request, duringWait }, signal);
  tracer.addWait('browser', 1200);
  tracer.addWait('slot', 0.2);
  expect(waits).toEqual(['suspended', 'wait']);
  expect(tracer.trace.waits).toEqual([{ for: 'browser', ms: 1200 }]);
});

it('has at most thirty calls of a language model', () => {
  const tracer = new PageTracer();
  const call = { feature: 'summary', ms: 3, promptTokens: 4, outputTokens: 5, outcome: 'ok' };
  for (let n = 0; n < 40; n++) tracer.addModelCall(call);
  expect(tracer.trace.modelCalls?.length).toBe(30);
  expect(tracer.trace.modelCalls?.[0]).toEqual({
    feature: 'summary',
    startMs: some,
    ms: 3,
    tokens: 9,
    result: 'ok',
  });
});

it('has its stages one after the other, and matches its schema', async () => {
  const tracer = new PageTracer();
  tracer.setTries(2);
  for (const stage of ['queue', 'cache', 'fetch', 'render', 'formats'] as const) tracer.begin(stage);
  tracer.setCache({ verdict: 'miss', because: 'there is no copy of the allowed age' });
  tracer.setDelivery({ statusCode: 200, documentBytes: 12, credits: [{ rule: 'page', credits: 1 }] });
  const { trace } = tracer;
  expect(trace.stages?.map(({ stage }) => stage)).toEqual(['queue', 'cache', 'fetch', 'render', 'formats']);
  expect(trace.tries).toBe(2);
  expect(pageTrace.parse(trace)).toEqual(trace);
});

describe('a stored trace', () => {
  it('of an earlier version is a list of attempts', () => {
    const attempts = [{ engine: 'http', ms: 5, result: 'HTTP 200' }];
    expect(readTrace(attempts)).toEqual({ attempts: [{ ...attempts[0], startMs: 0 }] });
  });

  it('that is missing has no attempts', () => {
    expect(readTrace(null)).toEqual({ attempts: [] });
  });
});
