import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sessionUrls } from '../../src/api/sessions/session-urls.ts';
import { UNCAUGHT_ERROR } from '../../src/run/process/run-process.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { findSession, openSession } from '../../src/storage/db/sessions.ts';
import { startJob } from '../support/api/jobs.ts';
import { serveSockets } from '../support/network/serve-sockets.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import {
  giveKey,
  makeTeam,
  openTestDatabase,
  storeSession,
  type TestTeam,
} from '../support/storage/database.ts';

/** How many WebSockets teams may have open, at an API that allows a team three and a key two. */

const service = useService(() => ({ WINNOW_SOCKETS_PER_TEAM: '3', WINNOW_SOCKETS_PER_KEY: '2' }));
let db: Database;
let team: TestTeam;
let secondKey: string;
const sockets: WebSocket[] = [];
beforeAll(async () => {
  db = openTestDatabase(service);
  team = await makeTeam(db);
  secondKey = await giveKey(db, team.id, 'second');
});
afterEach(async () => {
  await Promise.all(
    sockets.splice(0).map(async (socket) => {
      if (socket.readyState === WebSocket.CLOSED) return;
      // One whose handshake was refused has an error first.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.terminate();
      await closed;
    }),
  );
});
afterAll(() => db.close());

const wsUrl = (path: string) => service.url.replace(/^http/, 'ws') + path;

function open(url: string, headers: Record<string, string> = {}): WebSocket {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Starts a batch whose page does not respond before the test has ended. */
async function startHeldJob(key: string) {
  const pages = await startPages({ '/': () => undefined });
  const id = await startJob(
    '/v2/batch/scrape',
    { urls: [pages.url], fastMode: true },
    { key, url: service.url },
  );
  return { id, [Symbol.asyncDispose]: () => pages[Symbol.asyncDispose]() };
}

/** Watches a job. @returns the first message, and the close code unless the job goes on */
async function watch(id: string, key: string) {
  const socket = open(wsUrl(`/v2/batch/scrape/${id}`), { Authorization: `Bearer ${key}` });
  const closed = once(socket, 'close');
  const [data] = await once(socket, 'message');
  const message = JSON.parse(String(data));
  return message.type === 'error' ? { message, code: (await closed)[0] } : { message, socket };
}

/** Opens a WebSocket of a session. @returns the status and body of a handshake that was refused */
async function connectTo(url: string) {
  const socket = open(url);
  return new Promise<{ socket?: WebSocket; status?: number; body?: unknown }>((resolve) => {
    socket.once('open', () => resolve({ socket }));
    socket.once('unexpected-response', async (_request, response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
}

describe('a team', () => {
  it('watches as many jobs as it may with a key, and in all, and others are not affected', async () => {
    await using job = await startHeldJob(team.key);
    const first = await watch(job.id, team.key);
    expect([first.message.type, (await watch(job.id, team.key)).message.type]).toEqual([
      'catchup',
      'catchup',
    ]);
    expect(await watch(job.id, team.key)).toEqual({
      code: 1013,
      message: { type: 'error', error: expect.stringContaining('API key has 2 WebSockets open') },
    });
    expect((await watch(job.id, secondKey)).message.type).toBe('catchup');
    expect(await watch(job.id, secondKey)).toMatchObject({
      code: 1013,
      message: { error: expect.stringContaining('team has 3 WebSockets open') },
    });
    const other = await makeTeam(db);
    await using otherJob = await startHeldJob(other.key);
    expect((await watch(otherJob.id, other.key)).message.type).toBe('catchup');
    first.socket!.terminate();
    await expect.poll(async () => (await watch(job.id, secondKey)).message.type).toBe('catchup');
  });

  it('connects as many clients and viewers to its sessions as it may, and learns why a further one is refused', async () => {
    const secretKey = (await readFile(join(service.dataDir, 'secret-key'), 'utf8')).trim();
    await using host = await serveSockets(() => undefined);
    const id = await storeSession(db.query, team.id);
    await openSession(db, { id, host: host.url.replace(/^ws/, 'http') });
    const session = await findSession(db, id);
    const urls = sessionUrls(session!, { baseUrl: service.url, secretKey });
    const [cdp, view] = [urls.cdpUrl, urls.liveViewUrl].map((url) => url!.replace(/^http/, 'ws'));
    for (const url of [cdp, view, cdp]) expect((await connectTo(url!)).socket).toBeDefined();
    for (const url of [cdp, view])
      expect(await connectTo(url!)).toEqual({
        status: 429,
        body: { success: false, code: 'SOCKET_LIMIT_REACHED', error: expect.stringContaining('team has 3') },
      });
  });
});

it.each([
  [429, 429, 'SOCKET_LIMIT_REACHED'],
  [410, 410, 'SESSION_DESTROYED'],
  [401, 502, 'SESSION_FAILED'],
])('a client that a host refuses with %i alone, as 1.0.0 did, learns why', async (sent, status, code) => {
  const secretKey = (await readFile(join(service.dataDir, 'secret-key'), 'utf8')).trim();
  const host = createServer().listen(0, '127.0.0.1');
  host.on('upgrade', (_request, stream) =>
    stream.end(`HTTP/1.1 ${sent} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`),
  );
  await once(host, 'listening');
  const owner = await makeTeam(db);
  const id = await storeSession(db.query, owner.id);
  await openSession(db, { id, host: `http://127.0.0.1:${(host.address() as AddressInfo).port}` });
  const { cdpUrl } = sessionUrls((await findSession(db, id))!, { baseUrl: service.url, secretKey });
  const refused = await connectTo(cdpUrl!.replace(/^http/, 'ws'));
  host.close();
  expect(refused).toMatchObject({ status, body: { success: false, code } });
  if (sent === 401)
    expect(refused.body).toMatchObject({ error: expect.stringContaining('WINNOW_SECRET_KEY') });
});

it('clients that reset their connection during a handshake leave the API running', async () => {
  const { port, hostname } = new URL(service.url);
  const before = service.readRunFile();
  const paths = ['/nothing', `/v2/browser/${crypto.randomUUID()}/cdp/${'x'.repeat(43)}`, `/v2/crawl/x`];
  for (let round = 0; round < 60; round++) {
    const connection = connect(Number(port), hostname);
    connection.on('error', () => undefined);
    await once(connection, 'connect');
    const path = paths[round % paths.length];
    connection.write(
      `GET ${path} HTTP/1.1\r\nHost: api\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      () => setTimeout(() => connection.resetAndDestroy(), round % 4),
    );
    await once(connection, 'close');
  }
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  expect(service.readRunFile()).toEqual(before);
  expect(await readFile(join(service.dataDir, 'logs', 'api.log'), 'utf8')).not.toContain(UNCAUGHT_ERROR);
});
