import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../support/api/in-process-api.ts';
import { callTool, connectClient } from '../../support/mcp/client.ts';
import { useService } from '../../support/service/use-service.ts';
import { startPages } from '../../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What a key may do by the Model Context Protocol, and what works without a key. */

useService();
const db = useDatabase();

type Api = Awaited<ReturnType<typeof startApi>>;
let api: Api;
let open: Api;
beforeAll(async () => {
  api = await startApi({ WINNOW_OPEN_REQUESTS_PER_KEY: '2' });
  open = await startApi({ WINNOW_AUTH: 'off' });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const send = (url: string, headers: Record<string, string>, body: unknown = LIST) =>
  fetch(`${url}/v2/mcp`, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });

describe('a key by the Model Context Protocol', () => {
  it('has as many requests open as over HTTP', async () => {
    const { key } = await makeTeam(db);
    const headers = { Authorization: `Bearer ${key}` };
    await using site = await startPages({ '/': () => undefined });
    const params = { name: 'firecrawl_scrape', arguments: { url: site.url, maxAge: 0 } };
    const end = new AbortController();
    const held = [1, 2].map((id) =>
      fetch(`${api.url}/v2/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
        signal: end.signal,
      }),
    );
    const settled = Promise.allSettled(held);
    const refused = await pollUntil(async () => {
      const response = await send(api.url, headers);
      const text = await response.text();
      return response.status === 429 && text;
    });
    expect(JSON.parse(refused)).toMatchObject({
      code: 'RATE_LIMITED',
      error: expect.stringContaining('The API key has 2 requests open'),
    });
    end.abort();
    await settled;
    await pollUntil(async () => (await send(api.url, headers)).status === 200);
  });

  it('has the rate limit and credits of its team, as errors of tools', async () => {
    const poor = await makeTeam(db, { credits: 0 });
    await using client = await connectClient('2026-07-28', { key: poor.key });
    expect(await callTool(client, 'firecrawl_scrape', { url: 'https://example.com' })).toMatchObject({
      isError: true,
      structured: { code: 'INSUFFICIENT_CREDITS' },
    });
    const slow = await makeTeam(db, { rateLimitPerMinute: 1 });
    await using limited = await connectClient('2026-07-28', { key: slow.key });
    const map = () => callTool(limited, 'firecrawl_map', { url: 'http://10.0.0.1/' });
    await map();
    expect(await map()).toMatchObject({ isError: true, structured: { code: 'RATE_LIMITED' } });
    // What only reads has no limit.
    expect(await callTool(limited, 'firecrawl_credit_usage', {})).toMatchObject({
      structured: { success: true },
    });
  });

  it('is not needed while authentication is off, where pages of other sites are refused', async () => {
    const served = await send(open.url, {});
    expect(served.status).toBe(200);
    expect(await served.text()).toContain('firecrawl_scrape');
    for (const [name, value] of [
      ['Origin', 'https://evil.example'],
      ['Sec-Fetch-Site', 'cross-site'],
    ] as const) {
      const refused = await send(open.url, { [name]: value });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ code: 'UNTRUSTED_ORIGIN' });
    }
  });

  it('cannot send a body that is too large or too deep', async () => {
    const { key } = await makeTeam(db);
    const headers = { Authorization: `Bearer ${key}` };
    const large = await send(api.url, headers, { ...LIST, params: { text: 'x'.repeat(11 * 1024 * 1024) } });
    expect(await large.json()).toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    let deep: unknown = {};
    for (let level = 0; level < 600; level++) deep = [deep];
    const nested = await send(api.url, headers, { ...LIST, params: { deep } });
    expect(await nested.json()).toMatchObject({
      code: 'BAD_REQUEST',
      error: expect.stringContaining('levels deep'),
    });
  });
});
