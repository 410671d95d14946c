import { describe, expect, it } from 'vitest';
import { narrowTarget, webhook } from '../../src/schemas/webhook.ts';

/** The `webhook` of batches and crawls. */

const URL = 'https://hooks.test/in';
const ALL = ['started', 'page', 'completed', 'failed'];

/** The issues of a refused webhook, as `path: message`. */
const faults = (value: unknown) =>
  (webhook.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a webhook', () => {
  it('can be a URL alone', () => {
    expect(webhook.parse(URL)).toEqual({ url: URL, headers: {}, metadata: {}, events: ALL });
    expect(webhook.parse('http://127.0.0.1:9/')).toMatchObject({ url: 'http://127.0.0.1:9/' });
  });

  it('can be an object', () => {
    const given = {
      url: URL,
      headers: { Authorization: 'Bearer x', 'X-Tenant': 'a' },
      metadata: { order: '17', nested: { deep: [1, null] } },
      events: ['completed', 'crawl.page'],
    };
    expect(webhook.parse(given)).toEqual(given);
    expect(webhook.parse({ url: URL })).toEqual(webhook.parse(URL));
  });

  it.each(['ftp://hooks.test/', 'hooks.test', 'javascript:alert(1)', ''])(
    'is refused when %j is its address',
    (url) => {
      expect(faults(url)).toEqual(['url: must be an http or https URL, such as https://example.com/hook']);
      expect(faults({ url })).toEqual(faults(url));
    },
  );

  it('is refused when it has unknown members', () => {
    expect(faults({ url: URL, secret: 'x' })).toEqual([': Unrecognized key: "secret"']);
    expect(faults({ headers: {} })).toEqual([
      'url: must be an http or https URL, such as https://example.com/hook',
    ]);
  });

  it.each(['finished', 'agent.completed', 'crawl', 'crawl.', 'crawl.page.more', 'Page'])(
    'is refused when it asks for %s',
    (event) => {
      expect(faults({ url: URL, events: ['page', event] })).toEqual([
        `events.1: "${event}" is not a webhook event. The events are started, page, completed, failed, or full names such as crawl.page`,
      ]);
    },
  );

  it.each([
    ['of more than 16 KiB', { note: 'é'.repeat(8 * 1024) }, 'at most 16 KiB of JSON'],
    [
      'of more than 100 names',
      Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, n])),
      'at most 100 entries',
    ],
  ])('is refused with metadata %s', (_what, metadata, fault) => {
    expect(faults({ url: URL, metadata })).toEqual([expect.stringContaining(fault)]);
  });

  it('keeps metadata of 16 KiB', () => {
    const metadata = { note: 'x'.repeat(16 * 1024 - '{"note":""}'.length) };
    expect(webhook.parse({ url: URL, metadata }).metadata).toEqual(metadata);
  });

  it('is refused when its headers contain line breaks', () => {
    expect(faults({ url: URL, headers: { 'X-A': 'a\r\nX-B: b' } })).toHaveLength(1);
    expect(faults({ url: URL, headers: { 'X A': 'a' } })).toHaveLength(1);
  });
});

describe('the events of a job', () => {
  const eventsOf = (events: string[], kind: 'crawl' | 'batch_scrape') =>
    narrowTarget(webhook.parse({ url: URL, events }), kind).events;

  it('are the requested ones in any spelling', () => {
    expect(eventsOf(['.completed', 'page', 'crawl.failed'], 'crawl')).toEqual([
      'page',
      'completed',
      'failed',
    ]);
    expect(eventsOf(['page', 'page', 'batch_scrape.page'], 'batch_scrape')).toEqual(['page']);
    expect(eventsOf([], 'crawl')).toEqual([]);
  });

  it('exclude those of the other kind of job', () => {
    const shared = ['crawl.page', 'batch_scrape.completed'];
    expect(eventsOf(shared, 'crawl')).toEqual(['page']);
    expect(eventsOf(shared, 'batch_scrape')).toEqual(['completed']);
  });

  it('leave the rest of the webhook unchanged', () => {
    const given = webhook.parse({ url: URL, headers: { a: 'b' }, metadata: { c: 'd' } });
    expect(narrowTarget(given, 'crawl')).toEqual({ ...given, events: ALL });
  });
});
