import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Browser, chromium as playwright } from 'playwright';
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { priceOfSession } from '../../src/credits.ts';
import { endSession, findSession, listAbandonedSessions } from '../../src/storage/db/sessions.ts';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { Outcome } from '../../src/workflows/search-attributes.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import { sessionProcesses } from '../support/processes/service-processes.ts';
import { startViewerBrowser } from '../support/sessions/live-view.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, storeSession, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** Browser sessions over the API. */

const site = useSite();
const db = useDatabase();
const temporal = useTemporal();
let team: TestTeam;
const open: { id: string; key: string }[] = [];
beforeAll(async () => {
  team = await makeTeam(db);
});
afterEach(async () => {
  for (const { id, key } of open.splice(0)) await call(`/v2/browser/${id}`, { method: 'DELETE', key });
});

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

/** Connects Playwright. The timeout of the test ends what hangs. */
async function connectPlaywright(url: string): Promise<Browser> {
  const browser = await playwright.connectOverCDP(url, { timeout: 0 });
  for (const context of browser.contexts()) context.setDefaultTimeout(0);
  return browser;
}

/**
 * Checks the price of a session that a client has used for a short time; a busy machine may take minutes for
 * that.
 */
const expectPrice = ({ sessionDurationMs, creditsBilled }: ApiResponse['body']) =>
  expect(creditsBilled).toBe(priceOfSession({ durationMs: sessionDurationMs, prompted: false }));

const remove = (id: string, key = team.key) => call(`/v2/browser/${id}`, { method: 'DELETE', key });

/** Kills the processes of a session's browser, which a download of it identifies. */
async function killBrowserOf(cdpUrl: string): Promise<void> {
  const name = `${crypto.randomUUID()}.txt`;
  const browser = await connectPlaywright(cdpUrl);
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
    const browser = await connectPlaywright(body.cdpUrl);
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.goto(`${site.url}/article/1`);
    expect(await page.title()).not.toBe('');
    // The window of a desktop, as in scrapes.
    expect(await page.evaluate('[innerWidth, innerHeight]')).toEqual([1280, 800]);

    const deleted = await remove(body.id);
    expect(deleted.body.success).toBe(true);
    expect(deleted.body.sessionDurationMs).toBeGreaterThan(0);
    expectPrice(deleted.body);
    await pollUntil(() => !browser.isConnected());
    expect(await remove(body.id)).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
    const entries = await db.query
      .selectFrom('credit_entries')
      .select('credits')
      .where('job_id', '=', body.id)
      .execute();
    expect(entries).toEqual([{ credits: deleted.body.creditsBilled }]);
  });

  it('is found by its HTTP URL too, and keeps its page for a client that comes back', async () => {
    const { body } = await create();
    const first = await connectPlaywright(body.cdpUrl.replace(/^ws/, 'http'));
    await first.contexts()[0]!.pages()[0]!.goto(`${site.url}/article/2`);
    await first.close();
    const second = await connectPlaywright(body.cdpUrl);
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
      status: 'active',
      cdpUrl: body.cdpUrl,
      streamWebView: false,
      createdAt: expect.any(String),
      lastActivity: expect.any(String),
    });
    expect(await find('/v2/interact?status=active')).toMatchObject({ status: 'active' });
    expect(await find('/v2/interact?status=destroyed')).toBeUndefined();
    const queue = await call('/v2/team/queue-status', { key: team.key });
    expect(queue.body).toMatchObject({ jobsInQueue: 0, activeJobsInQueue: 0 });
    await remove(body.id);
    const destroyed = await find('/v2/interact?status=destroyed');
    expect(destroyed).toMatchObject({ status: 'destroyed', endReason: 'deleted' });
    expectPrice(destroyed);
    expect(await find('/v2/interact?status=active')).toBeUndefined();
    expect(await find('/v2/interact?status=error')).toBeUndefined();
    const activity = await call('/v2/team/activity?endpoint=browser', { key: team.key });
    expect(activity.body.data.map(({ id }: { id: string }) => id)).toContain(body.id);
  });

  it('ends after its activityTtl without activity, and says so to its clients', async () => {
    const { body } = await create({ body: { activityTtl: 10, ttl: 60 } });
    const client = await connectRaw(body.cdpUrl);
    const closed = closeOf(client.socket);
    const { result: targets } = await client.send('Target.getTargets', { filter: [{ type: 'page' }] });
    const { targetId } = targets.targetInfos[0];
    const { result: attached } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    const { sessionId } = attached;
    await client.send('Runtime.enable', {}, sessionId);
    // Neither what the page does and the browser reports, nor who watches it, is activity.
    await client.evaluate(
      sessionId,
      `setInterval(() => { document.body.textContent = console.count() ?? performance.now() }, 100); 1`,
    );
    const viewer = new WebSocket(body.liveViewUrl.replace('http', 'ws'));
    let frames = 0;
    viewer.on('message', (data, isBinary) => {
      if (isBinary) frames = (data as Buffer).readUInt32LE();
      viewer.send(JSON.stringify(isBinary ? { type: 'ack', frame: frames } : { type: 'alive' }));
    });
    expect(await closed).toEqual({ code: 4408, reason: expect.stringContaining('idle') });
    expect(frames).toBeGreaterThan(1);
    expect(
      client.events.filter(({ method }) => method === 'Runtime.consoleAPICalled').length,
    ).toBeGreaterThan(1);
    await pollUntil(async () => {
      const { body: state } = await call(`/v2/browser/${body.id}`, { key: team.key });
      return state.status === 'destroyed' && state.endReason === 'idle';
    });
    expect(await closeOf(new WebSocket(body.cdpUrl))).toMatchObject({ code: 410 });
  });

  it('ends after its ttl although it is active', async () => {
    const start = () => create({ body: { activityTtl: 20, ttl: 30 } });
    const [{ body }, watched] = [await start(), await start()];
    const socket = new WebSocket(body.cdpUrl);
    // The input of a viewer with control is activity too.
    const viewer = new WebSocket(watched.body.interactiveLiveViewUrl.replace('http', 'ws'));
    const closed = Promise.all([closeOf(socket), closeOf(viewer)]);
    const move = { type: 'wheel', x: 1, y: 1, deltaX: 0, deltaY: 1, modifiers: 0 };
    const working = setInterval(() => {
      if (socket.readyState === socket.OPEN) socket.send('{"id":1,"method":"Browser.getVersion"}');
      if (viewer.readyState === viewer.OPEN) viewer.send(JSON.stringify(move));
    }, 1_000);
    expect(await closed).toEqual([
      { code: 4408, reason: expect.stringContaining('ttl') },
      { code: 4410, reason: 'ttl' },
    ]);
    clearInterval(working);
    const { body: state } = await call(`/v2/browser/${body.id}`, { key: team.key });
    expect(state.expiresAt).toBe(body.expiresAt);
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
    const workflow = temporal.workflow(`browser/${dying.body.id}`);
    await pollUntil(
      async () => (await workflow.describe()).typedSearchAttributes.get(Outcome) === 'SESSION_FAILED',
    );
    const alive = await connectPlaywright(other.body.cdpUrl);
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
    const id = await storeSession(db.query, team.id);
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
    const browser = await connectPlaywright(body.cdpUrl);
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
    const reader = await connectPlaywright(next.cdpUrl);
    const again = reader.contexts()[0]!.pages()[0]!;
    await again.goto(`${site.url}/article/2`);
    expect(await again.evaluate(() => [document.cookie, localStorage.getItem('kept')])).toEqual([
      'seen=yes',
      'here',
    ]);
    await reader.close();
  });
});

it('a session that could not be started says why, although its workflow has ended before the API asks it', async () => {
  const profile = { name: `profile-${crypto.randomUUID()}` };
  await create({ body: { profile } });
  await using api = await startApi({});
  const { beginSession } = Temporal.prototype;
  // As when Temporal takes long to respond.
  using _ = vi.spyOn(Temporal.prototype, 'beginSession').mockImplementation(async function (
    this: Temporal,
    session,
  ) {
    await beginSession.call(this, session);
    await pollUntil(async () => (await findSession(db, session.sessionId))?.state === 'destroyed');
  });
  const { url } = api;
  const refused = await call('/v2/browser', { url, body: { profile }, key: team.key });
  expect(refused).toMatchObject({ status: 409, body: { code: 'PROFILE_LOCKED' } });
});

describe('a request for a browser session is refused', () => {
  it.each([
    ['a ttl below 30 s', { ttl: 29 }],
    ['a ttl above an hour', { ttl: 3601 }],
    ['an activityTtl below 10 s', { activityTtl: 9 }],
    ['an activityTtl above an hour', { activityTtl: 3601 }],
    ['a profile with a name of 129 characters', { profile: { name: 'x'.repeat(129) } }],
    ['a profile with an empty name', { profile: { name: '' } }],
    ['a profile without a name', { profile: {} }],
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

  it('only while the places of the team are taken, of which a session that did not start takes none', async () => {
    const small = await makeTeam(db, { sessions: 2 });
    const profile = { name: 'saved by one session' };
    expect((await create({ key: small.key, body: { profile } })).status).toBe(200);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await create({ key: small.key, body: { profile } })).toMatchObject({ status: 409 });
    expect((await create({ key: small.key })).status).toBe(200);
    expect((await create({ key: small.key })).status).toBe(429);
  });

  it('with the key of another team', async () => {
    const { body } = await create();
    const stranger = await makeTeam(db);
    for (const method of ['GET', 'DELETE'])
      expect(await call(`/v2/browser/${body.id}`, { method, key: stranger.key })).toMatchObject({
        status: 404,
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

  it('for an id that is none', async () => {
    for (const [method, path] of [
      ['GET', '/v2/browser/one'],
      ['DELETE', '/v2/interact/one'],
      ['GET', '/v2/browser/one/downloads'],
      ['GET', '/v2/browser/one/downloads/a.txt'],
      ['DELETE', '/v2/scrape/one/interact'],
    ] as const)
      expect(await call(path, { method, key: team.key }), path).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('Invalid job ID format') },
      });
  });

  it('for a session that does not exist', async () => {
    const id = '0198f0e4-0000-7000-8000-000000000000';
    expect(await call(`/v2/browser/${id}`, { key: team.key })).toMatchObject({ status: 404 });
    expect(await remove(id)).toMatchObject({ status: 404 });
  });
});

it('the metrics of the API have the sessions of each team, and how many it may have, for the operator only', async () => {
  const measured = await makeTeam(db, { sessions: 7 });
  const { url, key: operator } = inject('service');
  const readMetrics = async (key?: string) => {
    const response = await fetch(
      `${url}/metrics`,
      key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } },
    );
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('winnow_http_request_duration_seconds');
    return text;
  };
  const metricsOfTeam = async () =>
    (await readMetrics(operator))
      .split('\n')
      .filter((line) => line.includes(measured.name))
      .map((line) => `${/of="(\w+)"/.exec(line)?.[1]} ${line.split(' ').at(-1)}`);
  const { body } = await create({ key: measured.key });
  expect(await metricsOfTeam()).toEqual(['active 1', 'limit 7']);
  for (const key of [undefined, measured.key, 'fc-unknown']) {
    const text = await readMetrics(key);
    expect(text, key).not.toContain('winnow_team_sessions');
    expect(text, key).not.toContain(measured.name);
  }
  await remove(body.id, measured.key);
  expect(await metricsOfTeam()).toEqual([]);
});

it('a session can be requested without a body', async () => {
  const { hostname, port } = new URL(inject('service').url);
  const connection = connect(Number(port), hostname);
  // Other clients than this one add `Content-Length: 0`, which the API reads as an empty body.
  connection.write(
    `POST /v2/browser HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${team.key}\r\nConnection: close\r\n\r\n`,
  );
  const response = await text(connection);
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
  const { id } = JSON.parse(response.slice(response.indexOf('{'), response.lastIndexOf('}') + 1));
  expect(await remove(id)).toMatchObject({ status: 200 });
});

it('the URLs of a session begin with PUBLIC_URL when that is set, and so does the one for protocol clients', async () => {
  await using api = await startApi({ PUBLIC_URL: 'https://public.example/winnow' });
  const { url } = api;
  const { body } = await call('/v2/browser', { url, body: {}, key: team.key });
  open.push({ id: body.id, key: team.key });
  expect(body).toMatchObject({
    cdpUrl: expect.stringMatching(`^wss://public.example/winnow/v2/browser/${body.id}/cdp/`),
    liveViewUrl: expect.stringMatching(`^https://public.example/winnow/v2/browser/${body.id}/view/`),
    interactiveLiveViewUrl: expect.stringMatching('^https://public.example/winnow/v2/browser/'),
  });
  const version = body.cdpUrl.replace('wss://public.example/winnow', url);
  const response = await fetch(`${version}/json/version`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({ webSocketDebuggerUrl: body.cdpUrl });
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
  const starts = new Temporal(temporal.connection, readConfig().temporalNamespace);
  const id = await storeSession(db.query, team.id);
  const expiresAt = Date.now() + 600_000;
  open.push({ id, key: team.key });
  await starts.startSession({
    sessionId: id,
    kind: 'browser',
    teamId: team.id,
    label: 'Browser session',
    expiresAt,
    activityTtlMs: 300_000,
    hostQueue: 'sessions-of-a-host-that-is-gone',
  });
  expect(await findSession(db, id)).toMatchObject({ state: 'active', host: expect.stringMatching(/^http/) });
});

describe('code in a browser session', () => {
  it('drives the page, keeps its variables, and its failure is a success of the request', async () => {
    const { body } = await create();
    const execute = (code: string) =>
      call(`/v2/browser/${body.id}/execute`, { body: { code, timeout: 300 }, key: team.key });
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
    const browser = await connectPlaywright(body.cdpUrl);
    expect(browser.contexts()[0]!.pages()[0]!.url()).toBe(`${site.url}/article/1`);
    await browser.close();
    await remove(body.id);
    expect(await execute('1')).toMatchObject({ status: 410 });
  });

  it('is ended at a timeout of a fraction of a second, and another call finds its page', async () => {
    const { body } = await create();
    const execute = (code: string, timeout: number) =>
      call(`/v2/interact/${body.id}/execute`, { body: { code, timeout }, key: team.key });
    await execute('await page.setContent("<title>kept</title>")', 300);
    expect((await execute('for (;;);', 1.5001)).body).toMatchObject({
      success: true,
      exitCode: 137,
      killed: true,
      truncated: false,
      error: expect.stringContaining('timeout of 1.501 s'),
    });
    expect((await execute('await page.title()', 300)).body).toMatchObject({ result: 'kept', killed: false });
  });

  it.each([
    ['no code', {}],
    ['empty code', { code: '' }],
    ['code of 100,001 characters', { code: 'x'.repeat(100_001) }],
    ['a timeout of 0 s', { code: '1', timeout: 0 }],
    ['a timeout of 301 s', { code: '1', timeout: 301 }],
    ['another language', { code: '1', language: 'ruby' }],
    ['a prompt', { prompt: 'click' }],
  ])('is refused with %s', async (_name, body) => {
    const path = '/v2/browser/0198f0e4-0000-7000-8000-000000000000/execute';
    expect(await call(path, { body, key: team.key })).toMatchObject({ status: 400 });
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
    success: true,
    canceled: [],
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
  expect((await read('ünï code.txt', stranger.key)).status).toBe(404);
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
    const broken = { code: 'console.error("before"); throw new Error("broken")' };
    const told = ({ status, body }: ApiResponse) => {
      const { stdout, stderr, exitCode, killed, error } = body;
      return { status, stdout, stderr, exitCode, killed, error };
    };
    const failed = await interact(id, broken);
    expect(told(failed)).toMatchObject({
      status: 200,
      exitCode: 1,
      error: expect.stringContaining('broken'),
    });
    const executed = await call(`/v2/browser/${failed.body.sessionId}/execute`, {
      body: broken,
      key: team.key,
    });
    expect(told(executed)).toEqual(told(failed));
    // As clients of the API expect it.
    expect([failed.body.success, executed.body.success]).toEqual([false, true]);
    const stranger = await makeTeam(db);
    expect(await interact(id, { code: '1' }, stranger.key)).toMatchObject({ status: 403 });
    const path = `/v2/scrape/${id}/interact`;
    expect(await call(path, { method: 'DELETE', key: stranger.key })).toMatchObject({ status: 403 });
    const activity = await call('/v2/team/activity?endpoint=interact', { key: team.key });
    expect(activity.body.data).toContainEqual(
      expect.objectContaining({ id: answers[0]!.body.sessionId, target: `${site.url}/article/9` }),
    );
    const deleted = await call(path, { method: 'DELETE', key: team.key });
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    expectPrice(deleted.body);
    expect((await call(path, { method: 'DELETE', key: team.key })).body).toEqual(deleted.body);
    expect(await interact(id, { code: '1' })).toMatchObject({
      status: 410,
      body: { code: 'SESSION_DESTROYED' },
    });
  });

  const scrapePage = async (path: string, body: Record<string, unknown>, key = team.key) => {
    const id = await startJob(path, body, { key });
    const { data } = await finished(path, id, { key });
    return data[0].metadata.scrapeId as string;
  };
  const url = () => `${site.url}/article/9`;
  const options = { actions: [{ type: 'executeJavascript', script: "document.title = 'changed'" }] };

  it.each([
    ['batch', '/v2/batch/scrape', () => ({ urls: [url()], ...options })],
    ['crawl', '/v2/crawl', () => ({ url: url(), limit: 1, scrapeOptions: options })],
  ])('continues a page of a %s with the options of its job', async (_noun, path, body) => {
    const id = await scrapePage(path, body());
    const code = 'page.url() + " " + await page.title()';
    expect(await interact(id, { code })).toMatchObject({
      status: 200,
      body: { success: true, result: `${url()} changed` },
    });
    const stranger = await makeTeam(db);
    expect(await interact(id, { code: '1' }, stranger.key)).toMatchObject({ status: 403 });
    await call(`/v2/scrape/${id}/interact`, { method: 'DELETE', key: team.key });
  });

  it('says why a page with zero data retention cannot be continued', async () => {
    const { key } = await makeTeam(db, { zeroDataRetention: true });
    const body = { urls: [url()], zeroDataRetention: true };
    const id = await scrapePage('/v2/batch/scrape', body, key);
    expect(await interact(id, { code: '1' }, key)).toMatchObject({
      status: 409,
      body: {
        code: 'INTERACT_REPLAY_UNAVAILABLE',
        error: expect.stringContaining('it had zero data retention'),
      },
    });
  });

  it.each([
    ['neither code nor prompt', {}],
    ['both', { code: '1', prompt: 'x' }],
    ['empty code', { code: '' }],
    ['code of 100,001 characters', { code: 'x'.repeat(100_001) }],
    ['an empty prompt', { prompt: '' }],
    ['a prompt of 10,001 characters', { prompt: 'x'.repeat(10_001) }],
    ['a timeout below a second', { code: '1', timeout: 0.9 }],
    ['a timeout of 301 s', { code: '1', timeout: 301 }],
    ['another language', { code: '1', language: 'ruby' }],
  ])('refuses %s', async (_name, body) => {
    expect(await interact('0198f0e4-0000-7000-8000-000000000000', body)).toMatchObject({ status: 400 });
  });

  it('can be repeated after the page could not be opened', async () => {
    let isBroken = false;
    await using pages = await startPages({
      '/': (request, response) => {
        if (isBroken) request.socket.destroy();
        else response.setHeader('Content-Type', 'text/html').end('<p>a page</p>');
      },
    });
    const url = `${pages.url}/`;
    const id = await scrape({ url });
    isBroken = true;
    expect(await interact(id, { code: '1' })).toMatchObject({
      status: 409,
      body: { code: 'INTERACT_REPLAY_UNAVAILABLE' },
    });
    isBroken = false;
    expect(await interact(id, { code: 'page.url()' })).toMatchObject({
      status: 200,
      body: { success: true, result: url },
    });
    await call(`/v2/scrape/${id}/interact`, { method: 'DELETE', key: team.key });
  });

  it('waits for no place: it is refused while the team has as many sessions as it may have, and works later', async () => {
    const small = await makeTeam(db, { sessions: 1 });
    const { body } = await call('/v2/scrape', { body: { url: `${site.url}/article/9` }, key: small.key });
    const { scrapeId } = body.data.metadata;
    const { body: session } = await create({ key: small.key });
    const refused = await interact(scrapeId, { code: '1' }, small.key);
    expect(refused).toMatchObject({ status: 429, body: { code: 'SESSION_LIMIT_REACHED' } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    await remove(session.id, small.key);
    expect((await interact(scrapeId, { code: '1' }, small.key)).status).toBe(200);
    await call(`/v2/scrape/${scrapeId}/interact`, { method: 'DELETE', key: small.key });
  });

  it('refuses scrapes that cannot be continued, with the reason', async () => {
    expect(await interact('0198f0e4-0000-7000-8000-000000000000', { code: '1' })).toMatchObject({
      status: 404,
    });
    const id = await scrape();
    expect(await interact(id, { prompt: 'click' })).toMatchObject({
      status: 503,
      body: { code: 'MODEL_NOT_CONFIGURED', error: expect.stringContaining('WINNOW_LLM_BASE_URL') },
    });
    // No session was started, so there is none to end and to bill.
    const path = `/v2/scrape/${id}/interact`;
    expect(await call(path, { method: 'DELETE', key: team.key })).toMatchObject({ status: 404 });
  });
});

describe('the live view of a session', () => {
  it('shows its page to viewers, lets those with control click, and ends with a page that says why', async () => {
    const { body } = await create();
    const viewer = await startViewerBrowser();
    const page = await viewer.newPage();
    const response = await page.goto(body.liveViewUrl);
    expect(response!.headers()).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    // Pages of any origin may frame it.
    expect(response!.headers()).not.toHaveProperty('x-frame-options');
    expect(response!.headers()['content-security-policy']).not.toContain('frame-ancestors');
    await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 100);
    await remove(body.id);
    const ended = await fetch(body.liveViewUrl);
    expect(ended.status).toBe(410);
    expect(await ended.text()).toContain('closed by its owner');
    await viewer.close();
  });
});

it('a session is recorded if its request says so: what happened, but not what was typed, while it runs and later', async () => {
  await using pages = await startPages({
    '/': `<!doctype html><title>Recorded</title><input id=field type=password autofocus>
      <script>console.log('said', 'by the page'); fetch('/missing')</script>`,
  });
  const { body } = await create({ body: { recordSession: true } });
  const { id, cdpUrl } = body;
  expect((await call(`/v2/browser/${id}`, { key: team.key })).body.recordSession).toBe(true);
  const read = async () => {
    const response = await fetch(`${new URL(body.liveViewUrl).origin}/v2/browser/${id}/replay`, {
      headers: { Authorization: `Bearer ${team.key}` },
    });
    return { status: response.status, text: await response.text() };
  };
  const entriesOf = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const browser = await connectPlaywright(cdpUrl);
  const page = browser.contexts()[0]!.pages()[0]!;
  await page.goto(`${pages.url}/`);
  await page.mouse.click(30, 20);
  await page.keyboard.type('a secret word');
  await expect
    .poll(async () => entriesOf((await read()).text).map(({ type }) => type))
    .toEqual(expect.arrayContaining(['frame', 'pointer', 'input', 'navigation', 'console', 'requestfailed']));
  await browser.close();
  await remove(id);
  const { text } = await read();
  const entries = entriesOf(text);
  const of = (type: string) => entries.filter((entry) => entry.type === type);
  expect(of('navigation').at(-1)).toMatchObject({ url: `${pages.url}/` });
  expect(of('console')).toContainEqual({
    t: expect.any(Number),
    type: 'console',
    level: 'log',
    text: 'said by the page',
  });
  expect(of('requestfailed')[0]).toMatchObject({ url: `${pages.url}/missing` });
  expect(of('pointer')).toContainEqual({
    t: expect.any(Number),
    type: 'pointer',
    action: 'down',
    x: 30,
    y: 20,
  });
  expect(Buffer.from(of('frame')[0].data, 'base64').subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  // No key is named, so that nobody can read what was typed.
  expect(new Set(of('input').map((entry) => JSON.stringify({ ...entry, t: 0 })))).toEqual(
    new Set(['{"t":0,"type":"input","kind":"key"}']),
  );
  expect(entries.map(({ t }) => t)).toEqual(entries.map(({ t }) => t).sort((a, b) => a - b));
  const { key } = await makeTeam(db);
  expect((await call(`/v2/browser/${id}/replay`, { key })).status).toBe(404);
});

it('a session is not recorded unless its request says so', async () => {
  const { body } = await create();
  expect(await call(`/v2/browser/${body.id}/replay`, { key: team.key })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND', error: expect.stringContaining('recordSession') },
  });
  await remove(body.id);
});

it('viewers with control store files in a session and read its files, and those who only watch do not', async () => {
  const { body } = await create();
  const { liveViewUrl, interactiveLiveViewUrl, id } = body;
  const store = (url: string) => {
    const form = new FormData();
    form.append('file', new Blob(['its content']), 'note.txt');
    return fetch(`${url}/files`, { method: 'POST', body: form });
  };
  expect((await store(liveViewUrl)).status).toBe(404);
  expect(await (await store(interactiveLiveViewUrl)).json()).toMatchObject({
    success: true,
    name: 'note.txt',
  });
  const read = (url: string) => fetch(`${url}/downloads/note.txt`);
  expect((await read(liveViewUrl)).status).toBe(404);
  const file = await read(interactiveLiveViewUrl);
  expect(file.headers.get('content-disposition')).toContain('attachment');
  expect(await file.text()).toBe('its content');
  await remove(id);
  for (const refused of [await store(interactiveLiveViewUrl), await read(interactiveLiveViewUrl)])
    expect(refused.status).toBe(410);
});

it('the URL of a live view that is wrong leads people to a page that says so, and programs to an error', async () => {
  const { body } = await create();
  const wrong = body.liveViewUrl.slice(0, -1);
  const page = await fetch(wrong, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('There is no live view here');
  expect(await (await fetch(wrong)).json()).toMatchObject({ success: false, code: 'NOT_FOUND' });
  await remove(body.id);
});

it('code that runs, or waits for an earlier call, ends when its client disconnects, and the page can be used at once', async () => {
  const { body } = await create();
  const running = Promise.withResolvers<void>();
  await using pages = await startPages({
    // Never responds, so that the code that opens it would run for minutes, and the tab would wait as well.
    '/': () => running.resolve(),
  });
  const send = (code: string, { signal }: AbortController) =>
    fetch(`${inject('service').url}/v2/browser/${body.id}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${team.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, timeout: 150 }),
      signal,
    }).catch((error: Error) => error.name);
  const [first, second] = [new AbortController(), new AbortController()];
  const firstResult = send(`await page.goto('${pages.url}/', { timeout: 0 })`, first);
  await running.promise;
  const secondResult = send(`require('node:fs').writeFileSync('/downloads/second', '')`, second);
  // Its request should have arrived by then; it has no effect if it has not.
  await sleep(500);
  second.abort();
  first.abort();
  expect([await firstResult, await secondResult]).toEqual(['AbortError', 'AbortError']);
  const code = `require('node:fs').existsSync('/downloads/second')`;
  const next = await call(`/v2/browser/${body.id}/execute`, { body: { code }, key: team.key });
  expect(next.body).toMatchObject({ exitCode: 0, result: 'false' });
});
