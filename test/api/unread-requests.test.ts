import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { errorResponse } from '../../src/schemas/error.ts';
import { useService } from '../support/service/use-service.ts';

/** Requests that Node would answer by itself, without a body. */

const service = useService();

/** Sends lines over a connection of its own. @returns the response, up to the end of the connection */
async function exchange(lines: string[]): Promise<{ status: number; headers: string; body: string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  const response = await text(socket);
  const [headers = '', body = ''] = response.split('\r\n\r\n', 2);
  return { status: Number(headers.split(' ')[1]), headers, body };
}

const END = ['Host: localhost', 'Connection: close', '', ''];

describe('a request that no route gets', () => {
  it.each([
    ['a method that is none', ['NONSENSE / HTTP/1.1', ...END], 400, 'BAD_REQUEST'],
    ['a blank in its URL', ['GET /a b HTTP/1.1', ...END], 400, 'BAD_REQUEST'],
    ['a length that is none', ['POST /v2/scrape HTTP/1.1', 'Content-Length: x', ...END], 400, 'BAD_REQUEST'],
    [
      'a header of 20 KB',
      ['GET /v2/team/keys HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`, ...END],
      431,
      'REQUEST_HEADER_TOO_LARGE',
    ],
  ])('is answered like every other error: %s', async (_what, lines, status, code) => {
    const response = await exchange(lines);
    const body = JSON.parse(response.body);
    expect([response.status, body.code]).toEqual([status, code]);
    expect(errorResponse.parse(body)).toEqual(body);
    expect(response.headers).toMatch(/^Content-Type: application\/json/m);
    expect(response.headers).toMatch(/^X-Content-Type-Options: nosniff/m);
  });

  it('asks for a WebSocket where there is none', async () => {
    const upgrade = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', '', ''];
    const { status, body } = await exchange(['GET /v2/team/keys HTTP/1.1', ...upgrade]);
    expect([status, JSON.parse(body).code]).toEqual([404, 'NOT_FOUND']);
    expect(JSON.parse(body).error).toContain('/v2/crawl/ID');
  });
});

describe('a request that asks for more than HTTP/1.1', () => {
  it.each([
    ['another protocol', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Connection: Upgrade, close']],
    ['what the service does not know', ['Expect: nonsense', 'Connection: close']],
  ])('is answered as if it had not: %s', async (_what, headers) => {
    const response = await exchange(['GET /health HTTP/1.1', 'Host: localhost', ...headers, '', '']);
    expect(response.status).toBe(200);
    expect(response.body).toContain('"status":"ok"');
  });
});
