import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ByteBudget } from '../../src/api/http/byte-budget.ts';
import { createErrorHandler } from '../../src/api/http/error-responses.ts';
import { createJsonParser } from '../../src/api/http/json-body.ts';
import { OpenRequests } from '../../src/api/http/open-requests.ts';
import { createLogger } from '../../src/system/logger.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The requests and bodies that wait at one API process. */

const MOST_OF_KEY = 3;
const MOST_OF_CONNECTION = 10;
const KB = 1024;

let server: Server;
/** The responses that wait, in the order of their requests. */
let waiting: Response[];
const sockets: Socket[] = [];

beforeEach(async () => {
  waiting = [];
  const open = new OpenRequests(MOST_OF_KEY);
  const limits = { bytes: 1000 * KB, bytesOfTeam: 300 * KB, maxWaitMs: 1, what: 'JSON' } as const;
  const app = express();
  app.use(open.refuse);
  app.use('/key', (request, response, next) => {
    open.take(request.headers.authorization ?? '', response);
    next();
  });
  app.use('/body', (request, response, next) => {
    // Only the id of the team is read.
    response.locals.caller = { teamId: request.headers.authorization ?? '' } as typeof response.locals.caller;
    next();
  });
  app.use('/body', createJsonParser(new ByteBudget(limits)));
  app.use((_request, response) => void waiting.push(response));
  app.use(createErrorHandler(createLogger('api', 'fatal')));
  server = createServer((request, response) =>
    open.receive(request, response, () => app(request, response)),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

// Listening on a TCP port, the address is never a path.
const portOf = () => (server.address() as AddressInfo).port;

/** Sends requests one behind the other over one connection. @returns the connection and what it received so far */
function send(path: string, { count = 1, key = 'a', body = '', headers = '' } = {}) {
  const socket = connect(portOf(), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const connection = { socket, text: '' };
  socket.on('data', (chunk) => {
    connection.text += chunk.toString();
  });
  const length = body && !headers.includes('chunked') ? `Content-Length: ${body.length}\r\n` : '';
  const method = body ? 'POST' : 'GET';
  const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n${length}${headers}\r\n${body}`;
  socket.write(request.repeat(count));
  return connection;
}

/** Sends a request, and requires that it waits for its response. */
async function sendWaiting(path: string, options: Parameters<typeof send>[1] = {}) {
  const before = waiting.length;
  const connection = send(path, options);
  await pollUntil(() => waiting.length > before);
  return connection;
}

const refusal = (connection: { text: string }) =>
  pollUntil(() =>
    /^HTTP\/1\.1 (\d+)[\s\S]*?\r\nRetry-After: (\d+)[\s\S]*"code":"(\w+)"/.exec(connection.text),
  );

it('a key has a number of requests open at once, then 429, and others are not refused', async () => {
  const open: { text: string }[] = [];
  for (let n = 0; n < MOST_OF_KEY; n++) open.push(await sendWaiting('/key'));
  const refused = send('/key');
  expect((await refusal(refused)).slice(1)).toEqual(['429', '1', 'RATE_LIMITED']);
  expect(refused.text).toContain('Rate limit exceeded. The API key has 3 requests open');
  await sendWaiting('/key', { key: 'b' });
  waiting[0]!.end('done');
  await pollUntil(() => open[0]!.text.includes('done'));
  await sendWaiting('/key');
});

it('requests that are behind others on a connection are handled one after another, up to a number', async () => {
  const connection = send('/', { count: 50 });
  const closed = once(connection.socket, 'close');
  for (let n = 0; n < MOST_OF_CONNECTION; n++) {
    await pollUntil(() => waiting.length > n);
    expect(waiting).toHaveLength(n + 1);
    waiting[n]!.end('served');
  }
  await closed;
  const statuses = [...connection.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
  expect(statuses).toEqual([...Array<string>(MOST_OF_CONNECTION).fill('200'), '429']);
  expect(connection.text).toContain('This connection had 10 requests without a response');
  expect(waiting).toHaveLength(MOST_OF_CONNECTION);
});

it('a connection with thousands of requests behind others is closed at once, and none of them is handled', async () => {
  const { stackTraceLimit } = Error;
  const { socket } = send('/', { count: 5_000 });
  await pollUntil(() => socket.destroyed);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  expect(waiting).toHaveLength(1);
  await sendWaiting('/');
  expect(waiting).toHaveLength(2);
});

it('requests of a key on a connection are not counted once it has closed', async () => {
  const { socket } = send('/key', { count: MOST_OF_KEY });
  await pollUntil(() => waiting.length === 1);
  const closed = waiting.map((response) => once(response, 'close'));
  socket.destroy();
  await Promise.all(closed);
  for (let n = 0; n < MOST_OF_KEY; n++) await sendWaiting('/key');
});

it('large bodies of a team are in memory up to a number of bytes, and small ones do not count', async () => {
  const body = JSON.stringify('x'.repeat(200 * KB));
  await sendWaiting('/body', { body });
  const refused = send('/body', { body });
  expect((await refusal(refused)).slice(1)).toEqual(['429', '10', 'RATE_LIMITED']);
  await sendWaiting('/body', { body: '"small"' });
  await sendWaiting('/body', { body, key: 'b' });
  waiting[0]!.end('done');
  await sendWaiting('/body', { body });
});

it('a body in chunks counts as a large one until it is known', async () => {
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const options = { headers: 'Transfer-Encoding: chunked\r\n', body: chunked('"small"') };
  const refused = send('/body', options);
  expect((await refusal(refused)).slice(1)).toEqual(['429', '10', 'RATE_LIMITED']);
});
