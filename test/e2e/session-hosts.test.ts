import { chromium as playwright } from 'playwright';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../src/system/encryption/host-request.ts';
import { type Site, startSite } from '../site/site.ts';
import { call } from '../support/api/call.ts';
import {
  type SessionCluster,
  type SessionWorker,
  startSessionCluster,
} from '../support/sessions/session-cluster.ts';
import { describeInFullRun } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * Browser sessions on two hosts, used through two APIs. The tests follow each other: one host is stopped, the
 * other dies.
 */

/** A busy machine takes ten times as long. */
const TIMEOUT_MS = 180_000;

let site: Site;
let cluster: SessionCluster;
let db: Database;
/** A session on each host. */
let sessions: { id: string; host: SessionWorker }[];
const profile = { name: 'kept' };
beforeAll(async () => {
  [site, cluster] = await Promise.all([startSite(), startSessionCluster()]);
  db = openDatabase(cluster.databaseUrl, () => undefined);
  const first = await openSession({ profile });
  // Temporal gives a start to any host, so several may go to the first one.
  const second = await pollUntil(async () => {
    const opened = await openSession();
    if (opened.host !== first.host) return opened;
    await remove(opened.id);
    return undefined;
  });
  sessions = [first, second];
}, 300_000);
afterAll(async () => {
  await db.close();
  await cluster.stop();
  await site.close();
});

/** Sends a request to one of the APIs. */
const ask = (api: number, path: string, init: { body?: unknown; method?: string } = {}) =>
  call(path, { url: cluster.urls[api]!, key: cluster.service.key, ...init });

const remove = (id: string, api = 0) => ask(api, `/v2/browser/${id}`, { method: 'DELETE' });

const rowOf = (id: string) =>
  db.query.selectFrom('browser_sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function creditsOf(id: string): Promise<number[]> {
  const rows = await db.query
    .selectFrom('credit_entries')
    .select('credits')
    .where('job_id', '=', id)
    .execute();
  return rows.map(({ credits }) => credits);
}

/** Opens a session. @returns its id and its host */
async function openSession(body: Record<string, unknown> = {}): Promise<{ id: string; host: SessionWorker }> {
  const created = await ask(0, '/v2/browser', { body: { ttl: 900, activityTtl: 900, ...body } });
  expect(created.body).toMatchObject({ success: true });
  const { host: url } = await rowOf(created.body.id);
  const host = cluster.hosts.find((each) => each.url === url);
  if (!host) throw new Error(`No host of the cluster has the URL ${url}.`);
  return { id: created.body.id, host };
}

const sessionOf = async (api: number, id: string) => (await ask(api, `/v2/browser/${id}`)).body;

function closeOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    socket.on('unexpected-response', (_request, response) =>
      resolve({ code: response.statusCode ?? 0, reason: '' }),
    );
    socket.on('error', () => undefined);
  });
}

describeInFullRun('a session of either host', () => {
  it('is used through both APIs', { timeout: TIMEOUT_MS }, async () => {
    for (const { id } of sessions) for (const api of [0, 1]) await useThrough(api, id);
  });

  it('is deleted through the API that did not open it', { timeout: TIMEOUT_MS }, async () => {
    const { id } = await openSession();
    expect(await remove(id, 1)).toMatchObject({ status: 200, body: { success: true } });
    expect(await sessionOf(0, id)).toMatchObject({ status: 'destroyed', endReason: 'deleted' });
    expect(await creditsOf(id)).toHaveLength(1);
  });

  async function useThrough(api: number, id: string): Promise<void> {
    const { cdpUrl, liveViewUrl } = await sessionOf(api, id);
    expect(cdpUrl).toContain(new URL(cluster.urls[api]!).host);
    const browser = await playwright.connectOverCDP(cdpUrl);
    await browser.contexts()[0]!.pages()[0]!.goto(`${site.url}/article/3`);
    await browser.close();

    const code = `require('node:fs').writeFileSync('/downloads/a.txt', 'of code'); page.url()`;
    const executed = await ask(api, `/v2/browser/${id}/execute`, { body: { code } });
    expect(executed.body).toMatchObject({ success: true, result: `${site.url}/article/3` });

    const view = new WebSocket(liveViewUrl.replace('http', 'ws'));
    await new Promise((resolve) => view.once('message', resolve));
    view.close();

    const path = `/v2/browser/${id}/downloads`;
    expect((await ask(api, path)).body.files).toMatchObject([{ name: 'a.txt', size: 7 }]);
    const headers = { Authorization: `Bearer ${cluster.service.key}` };
    const file = await fetch(`${cluster.urls[api]}${path}/a.txt`, { headers });
    expect(await file.text()).toBe('of code');

    const { body: list } = await ask(api, '/v2/browser?status=active');
    expect(list.sessions.map((each: { id: string }) => each.id)).toContain(id);
  }
});

describeInFullRun('the page of a scrape', () => {
  it('is taken over on the host that keeps it, through the API that did not scrape', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const host = await cluster.startHost('scrape,sessions');
    const actions = [{ type: 'executeJavascript', script: 'return (window.marker = crypto.randomUUID())' }];
    // Temporal gives a scrape to any worker, and the one without sessions keeps no page.
    const scraped = await pollUntil(async () => {
      const { body } = await ask(0, '/v2/scrape', {
        body: { url: `${site.url}/article/4`, actions, maxAge: 0 },
      });
      const { scrapeId } = body.data.metadata;
      const kept = await db.query
        .selectFrom('open_scrape_pages')
        .select('scrape_id')
        .where('scrape_id', '=', scrapeId)
        .executeTakeFirst();
      return kept && { id: scrapeId, marker: body.data.actions.javascriptReturns[0].value };
    });
    const { body } = await ask(1, `/v2/scrape/${scraped.id}/interact`, {
      body: { code: 'await page.evaluate("marker")' },
    });
    expect(body).toMatchObject({ success: true, result: scraped.marker });
    expect((await rowOf(body.sessionId)).host).toBe(host.url);
    expect(await ask(0, `/v2/scrape/${scraped.id}/interact`, { method: 'DELETE' })).toMatchObject({
      status: 200,
    });
    host.process.kill('SIGTERM');
    expect(await host.ended).toBe(0);
  });
});

describeInFullRun('the port of a host', () => {
  /** The status of a request with this signature, as HTTP and as a WebSocket. */
  async function statusesOf(id: string, signature: string | undefined) {
    const host = (await rowOf(id)).host!;
    const headers = { ...(signature && { [HOST_REQUEST_HEADER]: signature }) };
    const path = `/sessions/${id}/downloads`;
    const response = await fetch(host + path, { headers });
    const socket = new WebSocket(`${host.replace('http', 'ws')}/sessions/${id}/cdp`, { headers });
    const opened = new Promise<number>((resolve) => socket.once('open', () => resolve(101)));
    const status = await Promise.race([opened, closeOf(socket).then(({ code }) => code)]);
    socket.terminate();
    return [response.status, status];
  }
  const sign = (path: string, key = cluster.secretKey) => signHostRequest(key, { method: 'GET', path });

  it('serves only requests that an API has just signed, each of them once', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { id } = sessions[0]!;
    const downloads = `/sessions/${id}/downloads`;
    const fresh = sign(downloads);
    expect(await statusesOf(id, fresh)).toEqual([200, 401]);
    expect(await statusesOf(id, fresh), 'repeated').toEqual([401, 401]);
    expect(await statusesOf(id, sign(`/sessions/${id}/cdp`))).toEqual([401, 101]);
    const other = sign(downloads.replace(/^.{20}/, (start) => start.replace(/.$/, 'z')));
    for (const [what, signature] of Object.entries({
      none: undefined,
      nonsense: 'nonsense',
      'of another key': sign(downloads, 'another key'),
      'of another session': other,
      changed: sign(downloads).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    }))
      expect(await statusesOf(id, signature), what).toEqual([401, 401]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 70_000 });
    const old = sign(downloads);
    // Far enough ahead that it is still early when a busy machine gets to it.
    vi.setSystemTime(Date.now() + 600_000);
    const early = sign(downloads);
    vi.useRealTimers();
    expect(await statusesOf(id, old), 'old').toEqual([401, 401]);
    expect(await statusesOf(id, early), 'early').toEqual([401, 401]);
  });
});

describeInFullRun('a host that is stopped', () => {
  it('takes no new sessions, lets calls end, saves profiles and says goodbye, within its grace time', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { id, host } = sessions[0]!;
    const { cdpUrl } = await sessionOf(0, id);
    const browser = await playwright.connectOverCDP(cdpUrl);
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.goto(`${site.url}/article/1`);
    await page.evaluate(() => localStorage.setItem('kept', 'until the end'));
    const socket = new WebSocket(cdpUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = closeOf(socket);
    const execute = (code: string) => ask(1, `/v2/browser/${id}/execute`, { body: { code, timeout: 300 } });
    // The page says when the code runs. A host that is stopped gives it two seconds to end.
    const isRunning = () => page.evaluate(() => document.title === 'running');
    const setTitle = `await page.evaluate(() => { document.title = 'running' })`;
    const short = execute(`${setTitle}; await new Promise((done) => setTimeout(done, 200)); 'done'`);
    await pollUntil(isRunning);
    // It is sent only now, because calls that arrive at the same time may run in any order.
    const long = execute('await new Promise((done) => setTimeout(done, 50_000))');
    host.process.kill('SIGTERM');
    expect(await short).toMatchObject({ status: 200, body: { result: 'done' } });
    expect(await long).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
    expect(await closed).toMatchObject({ code: 1001, reason: expect.stringContaining('shutdown') });
    expect(await host.ended).toBe(0);
    await pollUntil(async () => (await sessionOf(0, id)).endReason === 'shutdown');
    expect(await creditsOf(id)).toHaveLength(1);

    const next = await openSession({ profile: { ...profile, saveChanges: false } });
    expect(next.host).toBe(sessions[1]!.host);
    const reader = await playwright.connectOverCDP((await sessionOf(0, next.id)).cdpUrl);
    const again = reader.contexts()[0]!.pages()[0]!;
    await again.goto(`${site.url}/article/2`);
    expect(await again.evaluate(() => localStorage.getItem('kept'))).toBe('until the end');
    await reader.close();
    await remove(next.id);
  });
});

describeInFullRun('a host that dies', () => {
  it('loses its sessions, which are billed once, and others take new ones', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { id, host } = sessions[1]!;
    const other = await cluster.startHost();
    const code = `require('node:fs').writeFileSync('/downloads/begun', ''); await new Promise(() => undefined)`;
    const waiting = ask(1, `/v2/browser/${id}/execute`, { body: { code, timeout: 300 } });
    await pollUntil(async () => {
      const { files } = (await ask(1, `/v2/browser/${id}/downloads`)).body;
      return files.some(({ name }: { name: string }) => name === 'begun');
    });
    const socket = new WebSocket((await sessionOf(1, id)).cdpUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = closeOf(socket);
    host.process.kill('SIGKILL');
    expect(await closed).toMatchObject({ code: 4500, reason: expect.stringMatching(/^lost: /) });
    expect(await waiting).toMatchObject({ status: 500, body: { code: 'WORKER_LOST' } });
    await pollUntil(async () => (await sessionOf(0, id)).endReason === 'lost');
    expect(await ask(1, `/v2/browser/${id}/execute`, { body: { code: '1' } })).toMatchObject({ status: 410 });
    expect(await remove(id)).toMatchObject({ status: 410 });
    expect(await creditsOf(id)).toHaveLength(1);
    const next = await openSession();
    expect(next.host).toBe(other);
    const { body } = await ask(1, `/v2/browser/${next.id}/execute`, { body: { code: '1 + 1' } });
    expect(body.result).toBe('2');
    await remove(next.id);
  });
});

describeInFullRun('an API that is stopped', () => {
  it('tells clients to connect again, and their session continues', { timeout: TIMEOUT_MS }, async () => {
    const { id } = await openSession();
    const socket = new WebSocket((await sessionOf(1, id)).cdpUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = closeOf(socket);
    cluster.api.process.kill('SIGTERM');
    expect(await closed).toEqual({ code: 1001, reason: 'The API is stopping. Connect again.' });
    expect(await cluster.api.ended).toBe(0);
    const again = new WebSocket((await sessionOf(0, id)).cdpUrl);
    await new Promise((resolve) => again.once('open', resolve));
    again.close();
    await remove(id);
  });
});
