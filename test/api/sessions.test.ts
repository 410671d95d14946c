import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { chromium as playwright } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/client.ts';
import { endSession, findSession, insertSession, listAbandonedSessions } from '../../src/db/sessions.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../src/encryption/host-request.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { type Site, startSite } from '../site/site.ts';
import { call } from '../support/api.ts';
import { makeTeam, openTestDatabase, type TestTeam } from '../support/database.ts';
import { pollUntil } from '../support/poll.ts';
import { sessionProcesses } from '../support/processes.ts';
import { temporalAddressOf } from '../support/service.ts';

/** Browser sessions over the API. */

let site: Site;
let db: Database;
let team: TestTeam;
const open: { id: string; key: string }[] = [];
beforeAll(async () => {
  site = await startSite();
  db = openTestDatabase();
  team = await makeTeam(db);
});
afterEach(async () => {
  for (const { id, key } of open.splice(0)) await call(`/v2/browser/${id}`, { method: 'DELETE', key });
});
afterAll(() => Promise.all([site.close(), db.close()]));

interface CreateOptions {
  body?: Record<string, unknown>;
  key?: string;
  headers?: Record<string, string>;
}

async function create({ body = {}, key = team.key, headers }: CreateOptions = {}) {
  const response = await call('/v2/browser', { body, key, ...(headers && { headers }) });
  if (response.body.success) open.push({ id: response.body.id, key });
  return response;
}

const remove = (id: string, key = team.key) => call(`/v2/browser/${id}`, { method: 'DELETE', key });

/** Kills the processes of a session's browser, which a download of it identifies. */
async function killBrowserOf(cdpUrl: string): Promise<void> {
  const name = `${crypto.randomUUID()}.txt`;
  const browser = await playwright.connectOverCDP(cdpUrl);
  const page = browser.contexts()[0]!.pages()[0]!;
  await page.goto(`${site.url}/article/1`);
  await page.evaluate((download) => {
    const href = URL.createObjectURL(new Blob(['a file']));
    Object.assign(document.createElement('a'), { href, download }).click();
  }, name);
  const pid = await pollUntil(
    () =>
      readdirSync(tmpdir()).flatMap((directory) =>
        directory.startsWith('winnow-session-') &&
        existsSync(path.join(tmpdir(), directory, 'downloads', name))
          ? sessionProcesses(directory).map((process) => process.pid)
          : [],
      )[0],
  );
  process.kill(pid!, 'SIGKILL');
}

/** Opens a WebSocket. @returns its close code and reason, or the status of a refused handshake */
function closeOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    socket.on('unexpected-response', (_request, response) =>
      resolve({ code: response.statusCode ?? 0, reason: '' }),
    );
    socket.on('error', () => undefined);
  });
}

describe('a browser session', () => {
  it('is driven by Playwright until it is deleted, and costs at least one minute', async () => {
    const { status, body } = await create();
    expect(status).toBe(200);
    const expiresIn = Date.parse(body.expiresAt) - Date.now();
    expect(expiresIn).toBeGreaterThan(500_000);
    expect(expiresIn).toBeLessThanOrEqual(600_000);
    const browser = await playwright.connectOverCDP(body.cdpUrl);
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.goto(`${site.url}/article/1`);
    expect(await page.title()).not.toBe('');

    const deleted = await remove(body.id);
    expect(deleted.body).toMatchObject({ success: true, creditsBilled: 2 });
    expect(deleted.body.sessionDurationMs).toBeGreaterThan(0);
    expect(browser.isConnected()).toBe(false);
    expect(await remove(body.id)).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
    const entries = await db.query
      .selectFrom('credit_entries')
      .select('credits')
      .where('job_id', '=', body.id)
      .execute();
    expect(entries).toEqual([{ credits: 2 }]);
  });

  it('is found by its HTTP URL too, and keeps its page for a client that comes back', async () => {
    const { body } = await create();
    const first = await playwright.connectOverCDP(body.cdpUrl.replace(/^ws/, 'http'));
    await first.contexts()[0]!.pages()[0]!.goto(`${site.url}/article/2`);
    await first.close();
    const second = await playwright.connectOverCDP(body.cdpUrl);
    expect(second.contexts()[0]!.pages()[0]!.url()).toBe(`${site.url}/article/2`);
    await second.close();
    expect((await call(`/v2/browser/${body.id}`, { key: team.key })).body.status).toBe('active');
  });

  it('is listed with its URLs, under both paths, and in the activity of its team', async () => {
    const { body } = await create({ body: { streamWebView: false } });
    expect(body).not.toHaveProperty('liveViewUrl');
    const find = async (path: string) =>
      (await call(path, { key: team.key })).body.sessions.find(({ id }: { id: string }) => id === body.id);
    expect(await find('/v2/browser')).toMatchObject({
      ...{ status: 'active', cdpUrl: body.cdpUrl, streamWebView: false },
      ...{ createdAt: expect.any(String), lastActivity: expect.any(String) },
    });
    expect(await find('/v2/interact?status=active')).toMatchObject({ status: 'active' });
    expect(await find('/v2/interact?status=destroyed')).toBeUndefined();
    await remove(body.id);
    expect(await find('/v2/interact?status=destroyed')).toMatchObject({
      ...{ status: 'destroyed', endReason: 'deleted' },
    });
    const activity = await call('/v2/team/activity?endpoint=browser', { key: team.key });
    expect(activity.body.data.map(({ id }: { id: string }) => id)).toContain(body.id);
    const queue = await call('/v2/team/queue-status', { key: team.key });
    expect(queue.body.jobsInQueue).toBe(0);
  });

  it('ends after its activityTtl without activity, and says so to its clients', async () => {
    const { body } = await create({ body: { activityTtl: 10, ttl: 60 } });
    const socket = new WebSocket(body.cdpUrl);
    const closed = closeOf(socket);
    expect(await closed).toEqual({ code: 4408, reason: expect.stringContaining('idle') });
    await pollUntil(async () => {
      const { body: state } = await call(`/v2/browser/${body.id}`, { key: team.key });
      return state.status === 'destroyed' && state.endReason === 'idle';
    });
    expect(await closeOf(new WebSocket(body.cdpUrl))).toMatchObject({ code: 410 });
  });

  it('ends after its ttl although it is active', async () => {
    const { body } = await create({ body: { activityTtl: 20, ttl: 30 } });
    const socket = new WebSocket(body.cdpUrl);
    const closed = closeOf(socket);
    const working = setInterval(
      () => socket.readyState === socket.OPEN && socket.send('{"id":1,"method":"Browser.getVersion"}'),
      1_000,
    );
    expect(await closed).toEqual({ code: 4408, reason: expect.stringContaining('ttl') });
    clearInterval(working);
  });

  it('ends when its browser dies, and others continue', async () => {
    const [dying, other] = [await create(), await create()];
    const socket = new WebSocket(dying.body.cdpUrl);
    const closed = closeOf(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    await killBrowserOf(dying.body.cdpUrl);
    expect(await closed).toEqual({ code: 4500, reason: expect.stringContaining('crashed') });
    await pollUntil(
      async () =>
        (await call(`/v2/browser/${dying.body.id}`, { key: team.key })).body.endReason === 'crashed',
    );
    const alive = await playwright.connectOverCDP(other.body.cdpUrl);
    expect(alive.contexts()).toHaveLength(1);
    await alive.close();
  });
});

it('a session that was given up while it was started ends on its host too', async () => {
  const { body } = await create();
  const socket = new WebSocket(body.cdpUrl);
  const closed = closeOf(socket);
  await new Promise((resolve) => socket.once('open', resolve));
  await endSession(db, { id: body.id, reason: 'failed' });
  expect(await closed).toEqual({ code: 4500, reason: expect.stringContaining('failed') });
});

it('sessions that have not been opened seven minutes after their creation have lost their workflow', async () => {
  const insert = async (minutes: number) => {
    const id = randomUUID();
    await insertSession(db.query, {
      ...{ id, teamId: team.id, apiKeyId: null, kind: 'browser', target: 'abandoned', salt: randomBytes(16) },
      ...{ ttlSeconds: 3600, activityTtlSeconds: 300, streamWebView: false, keptMs: 3_600_000 },
    });
    await sql`update browser_sessions set created_at = now() - make_interval(mins => ${minutes}) where id = ${id}`.execute(
      db.query,
    );
    return id;
  };
  const [recent, old] = [await insert(6), await insert(8)];
  const found = await listAbandonedSessions(db);
  const { state } = await db.query
    .selectFrom('browser_sessions')
    .select('state')
    .where('id', '=', old)
    .executeTakeFirstOrThrow();
  expect(found).not.toContain(recent);
  // The service may have found and ended it first.
  expect(found.includes(old) || state === 'destroyed').toBe(true);
  for (const id of [recent, old]) await endSession(db, { id, reason: 'lost' });
});

describe('a session with a profile', () => {
  it('saves cookies and storage of all its tabs for later sessions, and only one session at a time can', async () => {
    const profile = { name: `profile-${crypto.randomUUID()}` };
    const { body } = await create({ body: { profile } });
    const other = await create({ body: { profile } });
    expect(other).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED' } });
    const browser = await playwright.connectOverCDP(body.cdpUrl);
    const context = browser.contexts()[0]!;
    const page = await context.newPage();
    await page.goto(`${site.url}/article/1`);
    await page.evaluate(() => {
      localStorage.setItem('kept', 'here');
    });
    const expires = Date.now() / 1000 + 3600;
    await context.addCookies([{ name: 'seen', value: 'yes', url: site.url, expires }]);
    await browser.close();
    expect((await remove(body.id)).status).toBe(200);

    const { body: next } = await create({ body: { profile: { ...profile, saveChanges: false } } });
    const reader = await playwright.connectOverCDP(next.cdpUrl);
    const again = reader.contexts()[0]!.pages()[0]!;
    await again.goto(`${site.url}/article/2`);
    expect(await again.evaluate(() => [document.cookie, localStorage.getItem('kept')])).toEqual([
      'seen=yes',
      'here',
    ]);
    await reader.close();
  });
});

describe('a request for a browser session is refused', () => {
  it.each([
    ['a ttl below 30 s', { ttl: 29 }],
    ['a ttl above an hour', { ttl: 3601 }],
    ['an activityTtl below 10 s', { activityTtl: 9 }],
    ['a profile with a name of 129 characters', { profile: { name: 'x'.repeat(129) } }],
    ['an unknown member', { unknown: 1 }],
  ])('with %s', async (_name, body) => {
    expect(await create({ body })).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  it('for a team without two credits', async () => {
    const poor = await makeTeam(db, { credits: 1 });
    expect(await create({ key: poor.key })).toMatchObject({ status: 402 });
  });

  it('when the team has as many sessions as it may have, at once and with the time of a new attempt', async () => {
    const small = await makeTeam(db, { sessions: 1 });
    const results = await Promise.all([create({ key: small.key }), create({ key: small.key })]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = results.find(({ status }) => status === 429)!;
    expect(refused.body.code).toBe('SESSION_LIMIT_REACHED');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    await remove(results.find(({ status }) => status === 200)!.body.id, small.key);
    expect((await create({ key: small.key })).status).toBe(200);
  });

  it('with the key of another team', async () => {
    const { body } = await create();
    const stranger = await makeTeam(db);
    for (const method of ['GET', 'DELETE'])
      expect(await call(`/v2/browser/${body.id}`, { method, key: stranger.key })).toMatchObject({
        status: 403,
      });
    expect((await call('/v2/browser', { key: stranger.key })).body.sessions).toEqual([]);
  });

  it('with a wrong secret', async () => {
    const { body } = await create();
    const wrong = body.cdpUrl.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
    expect(await closeOf(new WebSocket(wrong))).toMatchObject({ code: 404 });
    const view = body.liveViewUrl.replace('http', 'ws').replace('/view/', '/cdp/');
    expect(await closeOf(new WebSocket(view))).toMatchObject({ code: 404 });
  });

  it('at a path that is not one of a session', async () => {
    const { body } = await create();
    const socket = body.cdpUrl.replace(body.id, '-'.repeat(36));
    expect(await closeOf(new WebSocket(socket))).toMatchObject({ code: 404 });
    const { status } = await call(`/v2/browser/${body.id}/view/%ff`, { key: team.key });
    expect(status).toBe(400);
  });

  it('for a session that does not exist', async () => {
    const id = '0198f0e4-0000-7000-8000-000000000000';
    expect(await call(`/v2/browser/${id}`, { key: team.key })).toMatchObject({ status: 404 });
    expect(await remove(id)).toMatchObject({ status: 404 });
  });
});

it('a repeated request with the same idempotency key returns the same session', async () => {
  const headers = { 'x-idempotency-key': crypto.randomUUID() };
  const first = await create({ body: { ttl: 60 }, headers });
  const second = await call('/v2/browser', { body: { ttl: 60 }, key: team.key, headers });
  expect(second.body).toEqual(first.body);
  const other = await call('/v2/browser', { body: { ttl: 61 }, key: team.key, headers });
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
});

it('a session whose host is gone before it has opened the browser is opened by another host', async () => {
  const id = crypto.randomUUID();
  const connection = await connectTemporal(temporalAddressOf(inject('service')));
  const temporal = new Temporal(connection, readConfig().temporalNamespace);
  await insertSession(db.query, {
    ...{ id, teamId: team.id, apiKeyId: null, kind: 'browser', target: 'a session', salt: Buffer.alloc(16) },
    ...{ ttlSeconds: 600, activityTtlSeconds: 300, streamWebView: true, keptMs: 60_000 },
  });
  const expiresAt = Date.now() + 600_000;
  open.push({ id, key: team.key });
  await temporal.startSession({
    ...{ sessionId: id, kind: 'browser', teamId: team.id, label: 'Browser session', expiresAt },
    ...{ activityTtlMs: 300_000, hostQueue: 'sessions-of-a-host-that-is-gone' },
  });
  expect(await findSession(db, id)).toMatchObject({ state: 'active', host: expect.stringMatching(/^http/) });
  await connection.close();
});

describe('code in a browser session', () => {
  it('drives the page, keeps its variables, and its failure is a success of the request', async () => {
    const { body } = await create();
    const execute = (code: string) =>
      call(`/v2/browser/${body.id}/execute`, { body: { code, timeout: 20 }, key: team.key });
    const first = await execute(
      `await page.goto('${site.url}/article/1'); const seen = await page.title(); seen`,
    );
    expect(first.body).toMatchObject({
      success: true,
      exitCode: 0,
      killed: false,
      result: expect.any(String),
    });
    expect(first.body.result).not.toBe('');
    expect((await execute('seen')).body.result).toBe(first.body.result);
    const failed = await execute('throw new Error("broken")');
    expect(failed.body).toMatchObject({
      success: true,
      exitCode: 1,
      error: expect.stringContaining('broken'),
    });
    const browser = await playwright.connectOverCDP(body.cdpUrl);
    expect(browser.contexts()[0]!.pages()[0]!.url()).toBe(`${site.url}/article/1`);
    await browser.close();
    await remove(body.id);
    expect(await execute('1')).toMatchObject({ status: 410 });
  });
});

it('the files of a session are listed and served to its team', async () => {
  const { body } = await create();
  const code = `require('node:fs').writeFileSync('/downloads/ünï code.txt', 'from code')`;
  expect(
    (await call(`/v2/browser/${body.id}/execute`, { body: { code }, key: team.key })).body.exitCode,
  ).toBe(0);
  const path = `/v2/browser/${body.id}/downloads`;
  const listed = await call(path, { key: team.key });
  expect(listed.body).toEqual({
    ...{ success: true, canceled: [] },
    files: [{ name: 'ünï code.txt', size: 9, modifiedAt: expect.any(String) }],
  });
  const { url: base } = inject('service');
  const read = (name: string, key = team.key) =>
    fetch(`${base}${path}/${encodeURIComponent(name)}`, { headers: { Authorization: `Bearer ${key}` } });
  const file = await read('ünï code.txt');
  expect([file.status, await file.text()]).toEqual([200, 'from code']);
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  for (const name of ['none.txt', '../profile', '../cdp.sock'])
    expect((await read(name)).status, name).toBe(404);
  const stranger = await makeTeam(db);
  expect((await read('ünï code.txt', stranger.key)).status).toBe(403);
});

describe('interact', () => {
  const scrape = async (options: Record<string, unknown> = {}) => {
    const { body } = await call('/v2/scrape', {
      body: { url: `${site.url}/article/9`, ...options },
      key: team.key,
    });
    return body.data.metadata.scrapeId as string;
  };
  const interact = (id: string, body: Record<string, unknown>, key = team.key) =>
    call(`/v2/scrape/${id}/interact`, { body, key });

  it('continues a scrape in one session, until it is deleted', async () => {
    const id = await scrape();
    const answers = await Promise.all([
      interact(id, { code: 'page.url()' }),
      interact(id, { code: 'page.url()' }),
    ]);
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { success: true, result: `${site.url}/article/9` },
      });
    expect(answers[0]!.body.sessionId).toBe(answers[1]!.body.sessionId);
    expect(await interact(id, { code: 'throw 1' })).toMatchObject({ status: 200, body: { success: false } });
    const stranger = await makeTeam(db);
    expect(await interact(id, { code: '1' }, stranger.key)).toMatchObject({ status: 403 });
    const path = `/v2/scrape/${id}/interact`;
    const deleted = await call(path, { method: 'DELETE', key: team.key });
    expect(deleted).toMatchObject({ status: 200, body: { success: true, creditsBilled: 2 } });
    expect((await call(path, { method: 'DELETE', key: team.key })).body).toEqual(deleted.body);
    expect(await interact(id, { code: '1' })).toMatchObject({
      status: 410,
      body: { code: 'SESSION_DESTROYED' },
    });
  });

  it.each([
    ['neither code nor prompt', {}],
    ['both', { code: '1', prompt: 'x' }],
    ['code of 100,001 characters', { code: 'x'.repeat(100_001) }],
    ['a timeout of 301 s', { code: '1', timeout: 301 }],
    ['another language', { code: '1', language: 'ruby' }],
  ])('refuses %s', async (_name, body) => {
    expect(await interact('0198f0e4-0000-7000-8000-000000000000', body)).toMatchObject({ status: 400 });
  });

  it('can be repeated after the page could not be opened', async () => {
    let isBroken = false;
    const server = createServer((request, response) => {
      if (isBroken) request.socket.destroy();
      else response.setHeader('Content-Type', 'text/html').end('<p>a page</p>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Listening on a TCP port, the address is never a path.
    const { port } = server.address() as AddressInfo;
    const id = await scrape({ url: `http://127.0.0.1:${port}/` });
    isBroken = true;
    expect(await interact(id, { code: '1' })).toMatchObject({
      status: 409,
      body: { code: 'INTERACT_REPLAY_UNAVAILABLE' },
    });
    isBroken = false;
    expect(await interact(id, { code: 'page.url()' })).toMatchObject({
      status: 200,
      body: { success: true, result: `http://127.0.0.1:${port}/` },
    });
    await call(`/v2/scrape/${id}/interact`, { method: 'DELETE', key: team.key });
    server.close();
  });

  it('refuses scrapes that cannot be continued, with the reason', async () => {
    expect(await interact('0198f0e4-0000-7000-8000-000000000000', { code: '1' })).toMatchObject({
      status: 404,
    });
    const id = await scrape();
    expect(await interact(id, { prompt: 'click' })).toMatchObject({
      status: 503,
      body: { code: 'MODEL_NOT_CONFIGURED' },
    });
  });
});

describe('the live view of a session', () => {
  it('shows its page to viewers, lets those with control click, and ends with a page that says why', async () => {
    const { body } = await create();
    const viewer = await playwright.connectOverCDP((await create()).body.cdpUrl);
    const page = viewer.contexts()[0]!.pages()[0]!;
    const response = await page.goto(body.liveViewUrl);
    expect(response!.headers()).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 100);
    await remove(body.id);
    const ended = await fetch(body.liveViewUrl);
    expect(ended.status).toBe(410);
    expect(await ended.text()).toContain('closed by its owner');
    await viewer.close();
  });
});

it('code that waits for an earlier call does not run after its request was given up', async () => {
  const { body } = await create();
  const execute = `/sessions/${body.id}/execute`;
  const { host } = await db.query
    .selectFrom('browser_sessions')
    .select('host')
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow();
  const secretKey = readFileSync(path.join(inject('service').dataDir, 'secret-key'), 'utf8').trim();
  const send = (code: string, signal: AbortSignal) =>
    fetch(`${host}${execute}`, {
      method: 'POST',
      headers: { [HOST_REQUEST_HEADER]: signHostRequest(secretKey, { method: 'POST', path: execute }) },
      body: JSON.stringify({ code, language: 'node', timeoutMs: 20_000 }),
      signal,
    });
  const never = new AbortController();
  const first = send(
    'await new Promise((done) => setTimeout(done, 2_000)); globalThis.ran = []',
    never.signal,
  );
  const abandoned = new AbortController();
  const second = send('ran.push("abandoned")', abandoned.signal).catch((error: Error) => error.name);
  await sleep(500);
  abandoned.abort();
  expect(await second).toBe('AbortError');
  expect((await first).status).toBe(200);
  const last = await call(`/v2/browser/${body.id}/execute`, { body: { code: 'ran.length' }, key: team.key });
  expect(last.body.result).toBe('0');
});
