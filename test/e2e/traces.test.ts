import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTraceCollector, type TraceCollector } from '../support/network/trace-collector.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const ADMIN_KEY = 'admin-key-that-no-log-has';
const API_KEY = 'fc-key-that-no-log-has';
const HEADER = 'collector-key-that-no-log-has';
const WEBHOOK_SECRET = 'webhook-secret-that-no-log-has';

let collector: TraceCollector;
let site: Pages;
let receiver: Receiver;
beforeAll(async () => {
  collector = await startTraceCollector();
  site = await startPages({
    '/': '<title>Home</title><p>Text.</p><a href="/about">About</a>',
    '/about': 'About',
  });
  receiver = await startReceiver();
});
afterAll(async () => {
  collector.close();
  await site[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
const service = useService(() => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `api-key=${HEADER}`,
  WINNOW_API_KEY: API_KEY,
  WINNOW_ADMIN_KEY: ADMIN_KEY,
  WINNOW_WEBHOOK_SECRET: WEBHOOK_SECRET,
  LOG_LEVEL: 'debug',
}));

async function call(
  path: string,
  { body, traceparent, key = API_KEY }: { body?: object; traceparent?: string; key?: string },
) {
  const response = await fetch(`${service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(traceparent && { traceparent }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a client without types does
  return (await response.json()) as any;
}

const linesOf = (log: string): Record<string, unknown>[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

let crawlId: string;

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
const namesOf = (traceId: string) => new Set(spansOf(traceId).map(({ name }) => name));

/** A trace that a client begins. */
const clientTrace = (digit: string) => {
  const traceId = digit.repeat(32);
  const spanId = digit.repeat(16);
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};

describe('a trace', () => {
  it('has a crawl from its request to the delivery of its pages, over both processes', async () => {
    const { traceId, spanId, traceparent } = clientTrace('a');
    const webhook = { url: receiver.url, events: ['page', 'completed'] };
    const { id } = await call('/v2/crawl', { body: { url: `${site.url}/`, limit: 2, webhook }, traceparent });
    crawlId = id;
    await receiver.until(3);
    const expected = [
      'POST /v2/crawl',
      'workflow crawl',
      'workflow deliver',
      'activity scrapePages',
      'activity deliverWebhooks',
      'deliver event',
      'page',
      'page fetch',
      'page render',
      'engine http',
    ];
    await pollUntil(() => expected.every((name) => namesOf(traceId).has(name)));
    const spans = spansOf(traceId);
    expect(new Set(spans.map(({ process }) => process))).toEqual(new Set(['api', 'worker']));
    // Every span hangs on another one of the trace, or on that of the client.
    const known = new Set([spanId, ...spans.map((span) => span.spanId)]);
    expect(
      spans.filter(({ parentSpanId }) => !known.has(parentSpanId ?? '')).map(({ name }) => name),
    ).toEqual([]);
    const parentOf = (name: string) => {
      const span = spans.find((each) => each.name === name);
      return spans.find((each) => each.spanId === span?.parentSpanId)?.name;
    };
    expect(spans.find(({ name }) => name === 'POST /v2/crawl')).toMatchObject({
      parentSpanId: spanId,
      attributes: { 'winnow.job.id': id, 'http.route': '/v2/crawl' },
    });
    expect(parentOf('workflow crawl')).toBe('POST /v2/crawl');
    expect(parentOf('activity scrapePages')).toBe('workflow crawl');
    expect(parentOf('page')).toBe('activity scrapePages');
    expect(parentOf('page fetch')).toBe('page');
    expect(parentOf('workflow deliver')).toBe('workflow crawl');
    expect(parentOf('activity deliverWebhooks')).toBe('workflow deliver');
    expect(parentOf('deliver event')).toBe('activity deliverWebhooks');
    expect(
      spans.filter(({ name }) => name === 'page').map(({ attributes }) => attributes['url.full']),
    ).toEqual(expect.arrayContaining([`${site.url}/`, `${site.url}/about`]));
    expect(collector.headers()).toMatchObject({ 'api-key': HEADER });
    const { data } = await call(`/v2/crawl/${id}`, {});
    const why = await call(`/v2/scrape/${data[0].metadata.scrapeId}/why`, {});
    expect(why.traceId).toBe(traceId);
  });

  it('has a scrape that no workflow runs', async () => {
    const { traceId, traceparent } = clientTrace('b');
    await call('/v2/scrape', { body: { url: `${site.url}/about`, maxAge: 0 }, traceparent });
    await pollUntil(() =>
      ['POST /v2/scrape', 'page', 'page store'].every((name) => namesOf(traceId).has(name)),
    );
  });

  it('begins with a request that names none', async () => {
    const before = collector.spans.length;
    await call('/v2/map', { body: { url: site.url } });
    const begun = () => collector.spans.slice(before).find(({ name }) => name === 'POST /v2/map');
    const request = await pollUntil(begun);
    expect(request.parentSpanId).toBeUndefined();
    await pollUntil(() => namesOf(request.traceId).has('activity mapSite'));
  });

  it('has nothing but the id of a job that keeps no data', async () => {
    const hidden = clientTrace('c');
    const shown = clientTrace('d');
    const url = `${site.url}/about`;
    await call('/v2/scrape', { body: { url, lockdown: true }, traceparent: hidden.traceparent });
    // What a later request leaves arrives after it.
    await call('/v2/scrape', { body: { url, maxAge: 0 }, traceparent: shown.traceparent });
    await pollUntil(() => namesOf(shown.traceId).has('page') && namesOf(hidden.traceId).size > 0);
    expect(spansOf(hidden.traceId)).toMatchObject([{ name: 'POST /v2/scrape', process: 'api' }]);
    expect(Object.keys(spansOf(hidden.traceId)[0]!.attributes)).toEqual(['winnow.job.id']);
  });
});

describe('the log', () => {
  it('has one JSON object in each line, and neither keys nor secrets', async () => {
    await call('/v2/team/credit-usage', { key: 'fc-wrong-key-that-no-log-has' });
    await call('/v2/scrape', { body: { url: site.url.replace('//', '//user:password-that-no-log-has@') } });
    await call('/v2/scrape', {
      body: { url: site.url, headers: { Authorization: 'header-that-no-log-has' }, maxAge: 0 },
    });
    await call('/admin/health', { key: ADMIN_KEY });
    const files = readdirSync(join(service.dataDir, 'logs'));
    expect(files).toEqual(expect.arrayContaining(['api.log', 'worker.log']));
    const stored = ['secret-key', 'temporal-password', 'postgres-password'].map((name) =>
      readFileSync(join(service.dataDir, name), 'utf8').trim(),
    );
    const read = (name: string) => readFileSync(join(service.dataDir, 'logs', name), 'utf8');
    for (const name of files)
      for (const secret of ['that-no-log-has', ...stored]) expect(read(name), name).not.toContain(secret);
    for (const name of ['api.log', 'worker.log']) {
      const lines = linesOf(read(name));
      expect(lines.length, name).toBeGreaterThan(0);
      for (const line of lines) expect(line, name).toMatchObject({ level: expect.any(Number) });
    }
    // A request is logged with the ids of its trace and of the job that it has made.
    const ofCrawl = linesOf(read('api.log')).filter(({ trace }) => trace === 'a'.repeat(32));
    expect(ofCrawl.map(({ job }) => job)).toContain(crawlId);
  });
});
