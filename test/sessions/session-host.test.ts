import { once } from 'node:events';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { openBrowserSandbox } from '../../src/sessions/browser/session-browser.ts';
import { serveSessions } from '../../src/sessions/host-server.ts';
import type { HostedSession } from '../../src/sessions/hosted-session.ts';
import { MAX_CLIENTS } from '../../src/sessions/protocol/protocol-clients.ts';
import { createSessionDirectory } from '../../src/sessions/session-directory.ts';
import { findSessionConfinement, type SessionHost } from '../../src/sessions/session-host.ts';
import { freeDescriptors } from '../../src/system/descriptors.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../src/system/encryption/host-request.ts';
import { createLogger } from '../../src/system/logger.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import { serveSockets } from '../support/network/serve-sockets.ts';
import { processesWith } from '../support/processes/process-list.ts';
import { openTestSessionHost, type TestSessionHost } from '../support/sessions/session-host.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** A host of sessions without a service. */

let host: SessionHost;
let readMetric: TestSessionHost['readMetric'];
let availableMemory = 8 * 1024 ** 3;
let availableDescriptors = 10_000;
beforeAll(async () => {
  ({ host, readMetric } = await openTestSessionHost({
    availableMemory: () => availableMemory,
    availableDescriptors: () => availableDescriptors,
    roomWaitMs: 0,
  }));
});
afterAll(() => host.close());

it('the metrics of a host count its sessions, their calls and their ends', async () => {
  const session = await host.open(crypto.randomUUID());
  const run = (code: string, timeoutMs = 150_000) =>
    session.execute({ language: 'node', code, timeoutMs }, new AbortController().signal);
  expect((await run('1 + 1')).result).toBe('2');
  expect((await run('throw new Error("broken")')).exitCode).toBe(1);
  expect((await run('for (;;);', 100)).killed).toBe(true);
  expect((await run('const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1))')).error).toMatch(/^memory/);
  expect(await readMetric('winnow_sessions_open')).toBe(1);
  expect(await readMetric('winnow_session_open_seconds_count{outcome="succeeded"}')).toBe(1);
  expect(await readMetric('winnow_session_room')).toBe(1);
  const all = await readMetric('winnow_session_resident_bytes{of="all"}');
  expect(all).toBeGreaterThan(50_000_000);
  expect(await readMetric('winnow_session_resident_bytes{of="largest"}')).toBeGreaterThan(50_000_000);
  for (const outcome of ['succeeded', 'failed', 'killed', 'memory']) {
    const calls = `winnow_session_call_seconds_count{language="node",outcome="${outcome}"}`;
    expect(await readMetric(calls), outcome).toBe(1);
  }
  await session.end('idle');
  expect(await readMetric('winnow_sessions_open')).toBe(0);
  expect(await readMetric('winnow_session_resident_bytes{of="all"}')).toBe(0);
  expect(await readMetric('winnow_sessions_ended_total{reason="idle"}')).toBe(1);
});

it('code runs in the program that was started ahead, and a second start of it changes nothing', async () => {
  const session = await host.open(crypto.randomUUID());
  await Promise.all([session.startLanguage('node'), session.startLanguage('node')]);
  const run = (code: string) =>
    session.execute({ language: 'node', code, timeoutMs: 150_000 }, new AbortController().signal);
  await run('var kept = page.url()');
  await session.startLanguage('node');
  expect((await run('kept')).result).toBe('about:blank');
  await session.end('deleted');
  // There is nothing to start it for any more, which is no error.
  await session.startLanguage('node');
});

it('a host without memory for another session says so and starts none', async () => {
  expect(host.hasRoom).toBe(true);
  const before = availableMemory;
  availableMemory = 300 * 1024 ** 2;
  expect(host.hasRoom).toBe(false);
  await expect(host.open(crypto.randomUUID())).rejects.toMatchObject({
    code: 'SESSION_LIMIT_REACHED',
    retryAfterSeconds: 30,
  });
  expect(await readMetric('winnow_session_room')).toBe(0);
  expect(await readMetric('winnow_session_open_seconds_count{outcome="refused"}')).toBe(1);
  availableMemory = before;
});

it('a host that is short of file descriptors says so and starts no session', async () => {
  const before = availableDescriptors;
  availableDescriptors = 200;
  expect(host.hasRoom).toBe(false);
  await expect(host.open(crypto.randomUUID())).rejects.toMatchObject({
    code: 'SESSION_LIMIT_REACHED',
    message: expect.stringContaining('not enough file descriptors'),
  });
  availableDescriptors = before;
});

it('code that opens as many connections to the browser as it can takes few file descriptors of the host', async () => {
  const session = await host.open(crypto.randomUUID());
  const run = (code: string) =>
    session.execute({ language: 'node', code, timeoutMs: 150_000 }, new AbortController().signal);
  await run('1');
  const before = freeDescriptors();
  const { result, error } = await run(`
    const { connect } = await import('node:net');
    globalThis.held = [];
    for (let count = 0; count < 3000; count++) {
      const socket = connect('/run/browser/cdp.sock');
      socket.on('error', () => undefined);
      socket.write('GET / HTTP/1.1\\r\\nHost: browser\\r\\n');
      held.push(socket);
    }
    const open = () => held.filter((socket) => !socket.closed).length;
    while (open() > ${MAX_CLIENTS + 8}) await new Promise((resolve) => setTimeout(resolve, 50));
    'the others are closed'`);
  expect(error).toBeUndefined();
  expect(result).toBe('the others are closed');
  expect(before - freeDescriptors()).toBeLessThan(100);
  await session.end('deleted');
});

it('a further client of a session is refused by its handshake', async () => {
  const id = crypto.randomUUID();
  const session = await host.open(id);
  const server = await serveSessions(host, {
    address: '127.0.0.1',
    port: 0,
    secretKey: 'k',
    open: async () => undefined,
    runPrompt: () => Promise.reject(new Error('no session has a prompt')),
    logger: createLogger('test', 'error'),
  });
  const connect = (resource: string) => {
    const path = `/sessions/${id}/${resource}`;
    const headers = { [HOST_REQUEST_HEADER]: signHostRequest('k', { method: 'GET', path }) };
    return new WebSocket(server.url.replace('http', 'ws') + path, { headers });
  };
  const outcomeOf = (client: WebSocket) =>
    new Promise<string>((resolve) => {
      client.once('open', () => resolve('open')).once('error', (error) => resolve(String(error)));
    });
  let outcome = 'open';
  let opened = -1;
  for (; outcome === 'open' && opened <= MAX_CLIENTS; opened++) outcome = await outcomeOf(connect('cdp'));
  expect(outcome).toContain('429');
  // The program that executes JavaScript is a client too, if the host expects to need it.
  expect([MAX_CLIENTS - 1, MAX_CLIENTS]).toContain(opened);
  const viewer = connect('view');
  await once(viewer, 'open');
  server.close();
  await session.end('deleted');
});

it('the metrics of a host count the bytes of clients, and the replays of scrapes', async () => {
  const session = await host.open(crypto.randomUUID());
  await using server = await serveClients(session);
  const client = await connectRaw(server.url);
  const { sessionId } = await client.openTab();
  const [received, sent] = ['received', 'sent'].map(
    (direction) => `winnow_session_protocol_bytes_total{direction="${direction}"}`,
  ) as [string, string];
  const before = { received: await readMetric(received), sent: await readMetric(sent) };
  expect(before.received).toBeGreaterThan(0);
  await client.evaluate(sessionId, `'${'x'.repeat(50_000)}'.repeat(10)`);
  expect((await readMetric(received)) - before.received).toBeGreaterThan(50_000);
  expect((await readMetric(sent)) - before.sent).toBeGreaterThan(500_000);
  await client[Symbol.asyncDispose]();
  const { signal } = new AbortController();
  await session.visit(async () => undefined, signal);
  await expect(session.visit(() => Promise.reject(new Error('no page')), signal)).rejects.toThrow('no page');
  for (const outcome of ['succeeded', 'failed'])
    expect(await readMetric(`winnow_session_replay_seconds_count{outcome="${outcome}"}`), outcome).toBe(1);
  await session.end('deleted');
});

/** Serves the protocol of a session. */
const serveClients = (session: HostedSession) => serveSockets((socket) => session.addClient(socket));

it('the live view does not resume a popup before a client has prepared it', async () => {
  const session = await host.open(crypto.randomUUID());
  await using server = await serveClients(session);
  await using client = await connectRaw(server.url);
  const { sessionId: opener } = await client.openTab();
  await client.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
  });
  const opened = client.evaluate(opener, `open('http://popup.test/'); 'opened'`);
  // The popup does not wait for this client forever, so the client does not wait between two looks for its
  // events.
  const { params: popup } = await client.untilEvent(({ params }) => params?.waitingForDebugger);
  for (let times = 0; times < 3; times++) await client.send('Browser.getVersion');
  await client.send('Fetch.enable', {}, popup.sessionId);
  await client.send('Runtime.runIfWaitingForDebugger', {}, popup.sessionId);
  const paused = await client.untilEvent(({ method }) => method === 'Fetch.requestPaused');
  expect(paused.params.request.url).toBe('http://popup.test/');
  expect(await opened).toBe('opened');
  await session.end('deleted');
});

it('a tab that is opened just before the end of a session belongs to its profile', async () => {
  const session = await host.open(crypto.randomUUID());
  let tabs: number | undefined;
  await session.useProfile({
    isSaved: true,
    async runWith(context, _tab, use) {
      const result = await use();
      tabs = context.pages().length;
      return result;
    },
    [Symbol.asyncDispose]: async () => undefined,
  });
  await using server = await serveClients(session);
  await using client = await connectRaw(server.url);
  await client.send('Target.createTarget', { url: 'data:text/html,<p>last</p>' });
  await session.end('deleted');
  expect(tabs).toBe(2);
});

it('a viewer learns that the host stops, by the close code of a server that stops and by the reason', async () => {
  const session = await host.open(crypto.randomUUID());
  await using server = await serveSockets((socket) =>
    session.addViewer(socket, { mayControl: false, maxFps: 15 }),
  );
  const viewer = new WebSocket(server.url);
  const closed = once(viewer, 'close');
  await once(viewer, 'message');
  await session.end('shutdown');
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1001, 'shutdown']);
});

it('a host logs why a request failed unexpectedly, because the API learns only that it did', async () => {
  const id = crypto.randomUUID();
  const session = await host.open(id);
  const logged: unknown[] = [];
  const server = await serveSessions(host, {
    address: '127.0.0.1',
    port: 0,
    secretKey: 'k',
    open: async () => undefined,
    runPrompt: () => Promise.reject(new Error('no session has a prompt')),
    logger: { error: (details: unknown) => void logged.push(details), warn: () => undefined },
  });
  const code = `require('node:fs').writeFileSync('/downloads/${id}', '')`;
  await session.execute({ language: 'node', code, timeoutMs: 30_000 }, new AbortController().signal);
  const downloads = readdirSync(tmpdir())
    .map((name) => join(tmpdir(), name, 'downloads'))
    .find((path) => existsSync(join(path, id)));
  await rm(downloads!, { recursive: true });
  const path = `/sessions/${id}/downloads`;
  const headers = { [HOST_REQUEST_HEADER]: signHostRequest('k', { method: 'GET', path }) };
  const response = await fetch(server.url + path, { headers });
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: 'UNKNOWN_ERROR', message: expect.not.stringContaining('ENOENT') },
  ]);
  expect(logged).toEqual([
    { err: expect.objectContaining({ code: 'ENOENT' }), session: id, resource: 'downloads' },
  ]);
  server.close();
  await session.end('deleted');
});

it('a file that arrives while its session ends is refused as at one that has ended', async () => {
  const session = await host.open(crypto.randomUUID());
  const content = new PassThrough();
  content.write('the beginning');
  const adding = session.addFile({ name: 'late.txt', content });
  const outcome = adding.catch(({ code }) => code);
  await session.end('deleted');
  content.end();
  expect(await outcome).toBe('SESSION_DESTROYED');
});

it('a sandbox that is killed before it has started a browser says so', async () => {
  const { path } = await findChromium(readConfig());
  const executablePath = realpathSync(path);
  const directory = await createSessionDirectory();
  const sandbox = await openBrowserSandbox({
    executablePath,
    directory,
    confinement: await findSessionConfinement(executablePath),
    logger: createLogger('test', 'warn'),
  });
  expect(sandbox.hasEnded).toBe(false);
  const { pid } = await pollUntil(() => processesWith(directory.profile)[0]);
  process.kill(pid, 'SIGKILL');
  await pollUntil(() => sandbox.hasEnded);
  await pollUntil(() => processesWith(directory.profile).length === 0);
  await directory.remove();
});

it('a browser that does not start is a failed start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'winnow-chromium-'));
  await chmod(directory, 0o755);
  const executablePath = join(directory, 'chromium');
  await writeFile(executablePath, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const broken = await openTestSessionHost({ executablePath });
  await expect(broken.host.open(crypto.randomUUID())).rejects.toMatchObject({ code: 'SESSION_FAILED' });
  expect(await broken.readMetric('winnow_session_open_seconds_count{outcome="failed"}')).toBe(1);
  await broken[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
