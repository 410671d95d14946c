import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { leaseProfile, listProfiles, releaseProfile, saveProfile } from '../../src/db/teams/profiles.ts';
import { call } from '../support/api.ts';
import { makeTeam, openTestDatabase, type TestTeam } from '../support/database.ts';
import { finished, startJob } from '../support/jobs.ts';
import { type Pages, startPages } from '../support/pages.ts';
import { useService } from '../support/use-service.ts';

const service = useService();

/** Browser state that scrapes keep by name, on a site that has a login. */

const html = (body: string) =>
  `<!doctype html><html><head><title>Test</title></head><body><main>${body}</main></body></html>`;

/** Everything that a login can leave in a browser. */
const LOG_IN = `
  document.cookie = 'script=by-script; max-age=3600';
  localStorage.setItem('token', 'in-local-storage');
  const opening = indexedDB.open('login', 3);
  opening.onupgradeneeded = () => opening.result.createObjectStore('users', { keyPath: 'id' });
  opening.onsuccess = () => {
    const change = opening.result.transaction('users', 'readwrite');
    change.objectStore('users').put({ id: 1, name: 'in-indexed-db', since: new Date(0) });
    change.oncomplete = () => { opening.result.close(); done.textContent = 'Logged in' };
  };`;

/** Shows all of it. */
const SHOW = `
  const found = [document.cookie, localStorage.getItem('token')];
  const show = (value) => { shown.textContent = 'found ' + JSON.stringify([...found, value]) };
  const opening = indexedDB.open('login');
  opening.onsuccess = () => {
    const database = opening.result;
    if (!database.objectStoreNames.length) return show(null);
    const asked = database.transaction('users').objectStore('users').get(1);
    asked.onsuccess = () => show([asked.result.name, asked.result.since.getTime()]);
  };`;

/** Stores so many rows of a MiB each. */
const storing = (rows: number, row: string) => `<script>
  const opening = indexedDB.open('large');
  opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
  opening.onsuccess = () => {
    const change = opening.result.transaction('rows', 'readwrite');
    for (let n = 0; n < ${rows}; n++) change.objectStore('rows').add(${row});
    change.oncomplete = () => { document.body.append('Stored') };
  };</script>`;

const LOGGED_IN = ['script=by-script', 'in-local-storage', ['in-indexed-db', 0]];
const STRANGER = ['', null, null];

let db: Database;
let team: TestTeam;
let site: Pages;
/** Answers `/hold`, for which an action keeps a page open. */
const HOLD = { actions: [{ type: 'executeJavascript', script: "await fetch('/hold')" }] };
let release: () => void;
let held: Promise<void>;
let onHeld: () => void;

beforeAll(async () => {
  db = openTestDatabase();
  site = await startPages({
    '/login': (_request, response) =>
      response
        .writeHead(200, {
          'Content-Type': 'text/html',
          'Set-Cookie': ['session=http-only; HttpOnly; Path=/'],
        })
        .end(html(`<p id="done">Wait</p><script>${LOG_IN}</script>`)),
    '/home': (request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(
        html(
          `<p>${/session=http-only/.test(request.headers.cookie ?? '') ? 'Welcome back' : 'Who are you?'}</p>
             <p id="shown">Wait</p><script>${SHOW}</script>`,
        ),
      ),
    '/logout': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=; Max-Age=0; Path=/' })
        .end(html(`<p>Good bye</p><script>localStorage.clear()</script>`)),
    '/hold': (_request, response) => {
      onHeld();
      release = () => response.writeHead(200).end();
    },
    '/large': html(storing(11, `'x'.repeat(1024 * 1024)`)),
    '/huge': html(
      storing(32, 'Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(65_536)))'),
    ),
  });
});
beforeEach(async () => {
  team = await makeTeam(db);
  held = new Promise((resolve) => {
    onHeld = resolve;
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await db.close();
});

const ask = (page: string, options: Record<string, unknown> = {}) =>
  call('/v2/scrape', { key: team.key, body: { url: site.url + page, ...options } });

const named = (name: string, saveChanges?: boolean) => ({ profile: { name, saveChanges } });

async function scraped(page: string, options: Record<string, unknown>): Promise<string> {
  const { body } = await ask(page, options);
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return body.data.markdown;
}

/** The state that the site and its scripts see. */
async function home(options: Record<string, unknown>) {
  const markdown = await scraped('/home', { formats: ['markdown'], ...options });
  const shown = /found (.*)$/m.exec(markdown)?.[1]?.replaceAll('\\', '');
  return { welcome: markdown.includes('Welcome back'), found: JSON.parse(shown ?? 'null') };
}

const asLoggedIn = { welcome: true, found: LOGGED_IN };
const asStranger = { welcome: false, found: STRANGER };

describe('a profile', () => {
  it('keeps a login: session cookie, HttpOnly, localStorage, IndexedDB; nobody else has it', async () => {
    expect(await home({ waitFor: 1 })).toEqual(asStranger);
    expect(await scraped('/login', named('ada'))).toContain('Logged in');
    expect(await home(named('ada'))).toEqual(asLoggedIn);
    // Loaded and saved again, it is the same still.
    expect(await home(named('ada'))).toEqual(asLoggedIn);
    expect(await home({ waitFor: 1, maxAge: 0 })).toEqual(asStranger);
    expect(await home(named('bob'))).toEqual(asStranger);
    const stranger = await makeTeam(db);
    const { body } = await call('/v2/scrape', {
      key: stranger.key,
      body: { url: `${site.url}/home`, ...named('ada') },
    });
    expect(body.data.markdown).toContain('Who are you?');
  });

  it('neither reads the cache nor writes it', async () => {
    expect(await home({ waitFor: 2 })).toEqual(asStranger);
    await scraped('/login', named('ada'));
    const { body } = await ask('/home', { waitFor: 2, ...named('ada') });
    expect(body.data.markdown).toContain('Welcome back');
    expect(body.data.metadata).not.toHaveProperty('cacheState');
    expect(await home({ waitFor: 2 })).toEqual(asStranger);
  });

  it('keeps what other sites left', async () => {
    await scraped('/login', named('ada'));
    await using other = await startPages({ '/': html(`<script>localStorage.setItem('a', 'b')</script>x`) });
    await call('/v2/scrape', {
      key: team.key,
      body: { url: other.url.replace('127.0.0.1', 'localhost'), ...named('ada') },
    });
    expect(await home(named('ada'))).toEqual(asLoggedIn);
  });

  it('stays as it was with saveChanges false', async () => {
    expect(await scraped('/login', named('ada', false))).toContain('Logged in');
    expect(await listProfiles(db, team.id)).toEqual([]);
    await scraped('/login', named('ada'));
    expect(await scraped('/logout', named('ada', false))).toContain('Good bye');
    expect(await home(named('ada', false))).toEqual(asLoggedIn);
    await scraped('/logout', named('ada'));
    expect((await home(named('ada', false))).welcome).toBe(false);
  });

  it('is saved by one at a time; who only loads it never waits', async () => {
    await scraped('/login', named('ada'));
    const first = ask('/login', { ...named('ada'), ...HOLD });
    await held;
    const second = await ask('/home', named('ada'));
    expect([second.status, second.body.code]).toEqual([409, 'PROFILE_LOCKED']);
    expect(second.body.error).toContain('saveChanges');
    expect(await home(named('ada', false))).toEqual(asLoggedIn);
    release();
    expect((await first).body).toMatchObject({ success: true });
    expect(await home(named('ada'))).toEqual(asLoggedIn);
  });

  it('is free again after a page that failed, and holds what it held', async () => {
    await scraped('/login', named('ada'));
    const gone = await call('/v2/scrape', {
      key: team.key,
      body: { url: 'http://127.0.0.1:1/', ...named('ada') },
    });
    expect(gone.body.success).toBe(false);
    expect(await home(named('ada'))).toEqual(asLoggedIn);
  });

  it.each([
    ['/large', /it has 1\d{7} bytes from 1 origins/],
    ['/huge', /IndexedDB alone takes 3\d{7} bytes/],
  ])('that grows too large is not saved, and the answer says so: %s', async (page, reason) => {
    // Neither is it taken for a crash of the page, whatever it is called.
    const profile = named('crashed');
    await scraped('/login', profile);
    const { status, body } = await ask(page, { waitFor: 1_000, ...profile });
    expect([status, body.code]).toEqual([500, 'PROFILE_ERROR']);
    expect(body.error).toMatch(reason);
    expect(await home(profile)).toEqual(asLoggedIn);
  });

  it('that the browser does not take is told apart from a page that fails', async () => {
    const secretKey = (await readFile(path.join(service.dataDir, 'secret-key'), 'utf8')).trim();
    const store = { db, secretKey };
    const { lease } = await leaseProfile(store, { teamId: team.id, name: 'ada' }, 'test');
    const indexedDB = [{ name: 'no version', version: 0, stores: [] }];
    const origins = [{ origin: site.url, localStorage: [], indexedDB }];
    await saveProfile(store, lease, JSON.stringify({ cookies: [], origins }));
    await releaseProfile(db, lease);
    const { status, body } = await ask('/home', named('ada', false));
    expect([status, body.code]).toEqual([500, 'PROFILE_ERROR']);
    expect(body.error).toContain('did not take the state');
  });

  it('is deleted by its team, with all that it held', async () => {
    await scraped('/login', named('ada & bob/1'));
    const address = `/v2/browser/profiles/${encodeURIComponent('ada & bob/1')}`;
    const stranger = await makeTeam(db);
    expect((await call(address, { method: 'DELETE', key: stranger.key })).status).toBe(404);
    expect((await home(named('ada & bob/1'))).welcome).toBe(true);
    const { status, body } = await call(address, { method: 'DELETE', key: team.key });
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await home(named('ada & bob/1'))).toEqual(asStranger);
    const wrong = await call('/v2/browser/profiles/a%00b', { method: 'DELETE', key: team.key });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

it('the pages of a batch load a profile, all at once, and say that they do not save it', async () => {
  await scraped('/login', named('ada'));
  const urls = ['/home', '/logout', '/home?2', '/logout?2'].map((page) => site.url + page);
  const read = async (options: Record<string, unknown>) => {
    const id = await startJob('/v2/batch/scrape', { urls, ...options }, { key: team.key });
    return (await finished('/v2/batch/scrape', id, { key: team.key })).data;
  };
  const documents = await read(named('ada'));
  expect(documents).toHaveLength(4);
  for (const { markdown, warning } of documents) {
    expect(markdown).toMatch(/Welcome back|Good bye/);
    expect(warning).toContain('The profile ada was loaded, but not saved');
  }
  for (const document of await read(named('ada', false))) expect(document).not.toHaveProperty('warning');
  expect(await home(named('ada'))).toEqual(asLoggedIn);
});

it('a checkpoint outlives kill -9 of the worker; the next attempt takes the profile over', async () => {
  const answer = ask('/login', { ...named('ada'), ...HOLD, timeout: 120_000 });
  for (let saved = null; !saved; ) {
    await sleep(250);
    saved = (await listProfiles(db, team.id))[0]?.saved_at ?? null;
  }
  const run = service.readRunFile();
  held = new Promise((resolve) => {
    onHeld = resolve;
  });
  process.kill(run.children.worker!.pid, 'SIGKILL');
  // The next attempt: that it has the page open again shows that it has the lease.
  await held;
  expect((await home(named('ada', false))).found).toEqual(LOGGED_IN);
  release();
  expect((await answer).body).toMatchObject({ success: true });
  expect((await home(named('ada'))).found).toEqual(LOGGED_IN);
}, 180_000);
