import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { sendForDocument } from '../../src/cli/long-document.ts';

const ID = '0190a2b4-7c11-7000-8000-000000000000';

/**
 * Sends a request to a server that gives these responses one after the other.
 * @returns the result and what was requested
 */
async function exchange(...responses: [status: number, body: object][]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [status, body] = responses.shift() ?? [500, {}];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const notes: string[] = [];
  const result = await sendForDocument(
    { url: `http://127.0.0.1:${port}`, apiKey: 'fc-x' },
    { method: 'POST', path: '/v2/parse', body: {} },
    { signal: AbortSignal.timeout(150_000), note: (text) => notes.push(text) },
  ).catch((error: Error) => error.message);
  server.close();
  return { result, requests, notes };
}

const timeout = (details: object): [number, object] => [
  408,
  {
    success: false,
    code: 'SCRAPE_TIMEOUT',
    error: 'It took too long.',
    details: { scrapeId: ID, ...details },
  },
];
const CONTINUES = timeout({ state: 'processing_continues', jobStatus: 'queued' });

it('a document that takes longer than its timeout is waited for', async () => {
  const { result, requests, notes } = await exchange(
    CONTINUES,
    [200, { success: true, status: 'scraping' }],
    [200, { success: true, status: 'completed', data: { markdown: 'Read.' } }],
  );
  expect(result).toEqual({ success: true, data: { markdown: 'Read.' } });
  expect(requests).toEqual(['POST /v2/parse', `GET /v2/scrape/${ID}`, `GET /v2/scrape/${ID}`]);
  expect(notes).toEqual([expect.stringContaining('its conversion continues')]);
});

it('a document whose conversion does not continue, or fails in the end, is an error', async () => {
  const ended = await exchange(timeout({}));
  expect([ended.result, ended.requests.length]).toEqual([expect.stringContaining('It took too long.'), 1]);
  const failed = await exchange(CONTINUES, timeout({}));
  expect([failed.result, failed.requests.length]).toEqual([expect.stringContaining('It took too long.'), 2]);
});
