import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  leaseProfile,
  listProfiles,
  type ProfileStore,
  readProfile,
  releaseProfile,
  saveProfile,
} from '../../../src/storage/db/teams/profiles.ts';
import { call } from '../../support/api/call.ts';
import { finished, startJob } from '../../support/api/jobs.ts';
import { useService } from '../../support/service/use-service.ts';
import {
  HOLD,
  LOGGED_IN,
  type LoginSite,
  loginPage,
  STRANGER,
  startLoginSite,
} from '../../support/sites/login-site.ts';
import { startPages } from '../../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../../support/storage/database.ts';

/** Browser state that scrapes keep by name, on a site that has a login. */

const service = useService();

/** Stores so many rows of a MiB each; `stored` resolves when all are. */
const storing = (rows: number, row: string) => `<script>
  const stored = new Promise((resolve) => {
    const opening = indexedDB.open('large');
    opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
    opening.onsuccess = () => {
      const change = opening.result.transaction('rows', 'readwrite');
      for (let n = 0; n < ${rows}; n++) change.objectStore('rows').add(${row});
      change.oncomplete = () => resolve(true);
    };
  });</script>`;

const db = useDatabase();
let store: ProfileStore;
let team: TestTeam;
let site: LoginSite;
/** The state of a browser that has logged in. */
let loggedIn: string;

beforeAll(async () => {
  const secretKey = (await readFile(path.join(service.dataDir, 'secret-key'), 'utf8')).trim();
  store = { db, secretKey };
  site = await startLoginSite({
    '/large': loginPage(storing(11, `'x'.repeat(1024 * 1024)`)),
    '/huge': loginPage(
      storing(32, 'Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(65_536)))'),
    ),
  });
});
beforeAll(async () => {
  team = await makeTeam(db);
  expect(await scraped('/login', named('ada'))).toContain('Logged in');
  loggedIn = (await readProfile(store, { teamId: team.id, name: 'ada' })) ?? '';
});
beforeEach(async () => {
  team = await makeTeam(db);
});
afterAll(() => site[Symbol.asyncDispose]());

const ask = (page: string, options: Record<string, unknown> = {}) =>
  call('/v2/scrape', { key: team.key, body: { url: site.url + page, ...options } });

const named = (name: string, saveChanges?: boolean) => ({ profile: { name, saveChanges } });

/** Saves a state as the profile of the team. */
async function save(name: string, state: string): Promise<void> {
  const { lease } = await leaseProfile(store, { teamId: team.id, name }, 'test');
  await saveProfile(store, lease, state);
  await releaseProfile(db, lease);
}

/** Gives the team a profile with a login, as a scrape of `/login` does, but without a browser. */
const logIn = (name: string) => save(name, loggedIn);

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
  it('keeps a login (session and HttpOnly cookies, localStorage, IndexedDB) for its team only', async () => {
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

  it('bypasses the cache', async () => {
    expect(await home({ waitFor: 2 })).toEqual(asStranger);
    await logIn('ada');
    const { body } = await ask('/home', { waitFor: 2, ...named('ada') });
    expect(body.data.markdown).toContain('Welcome back');
    expect(body.data.metadata).not.toHaveProperty('cacheState');
    expect(await home({ waitFor: 2 })).toEqual(asStranger);
  });

  it('keeps the data of other sites', async () => {
    await logIn('ada');
    await using other = await startPages({
      '/': loginPage(`<script>localStorage.setItem('a', 'b')</script>x`),
    });
    await call('/v2/scrape', {
      key: team.key,
      body: { url: other.url.replace('127.0.0.1', 'localhost'), ...named('ada') },
    });
    expect(await home(named('ada'))).toEqual(asLoggedIn);
  });

  it('does not change with saveChanges false', async () => {
    expect(await scraped('/login', named('ada', false))).toContain('Logged in');
    expect(await listProfiles(db, team.id)).toEqual([]);
    await logIn('ada');
    expect(await scraped('/logout', named('ada', false))).toContain('Good bye');
    expect(await home(named('ada', false))).toEqual(asLoggedIn);
    await scraped('/logout', named('ada'));
    expect((await home(named('ada', false))).welcome).toBe(false);
  });

  it('is saved by one scrape at a time, and scrapes that only load it never wait', async () => {
    await logIn('ada');
    const held = site.nextHold();
    const first = ask('/login', { ...named('ada'), ...HOLD });
    await held;
    const second = await ask('/home', named('ada'));
    expect([second.status, second.body.code]).toEqual([409, 'PROFILE_LOCKED']);
    expect(second.body.error).toContain('saveChanges');
    expect(await home(named('ada', false))).toEqual(asLoggedIn);
    site.release();
    expect((await first).body).toMatchObject({ success: true });
    expect(await home(named('ada'))).toEqual(asLoggedIn);
  });

  it('is released after a page that failed, and keeps its data', async () => {
    await logIn('ada');
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
    await logIn('crashed');
    const actions = [{ type: 'executeJavascript', script: 'stored' }];
    const { status, body } = await ask(page, { actions, ...profile });
    expect([status, body.code]).toEqual([500, 'PROFILE_ERROR']);
    expect(body.error).toMatch(reason);
    expect(await home(profile)).toEqual(asLoggedIn);
  });

  it('that the browser refuses is reported differently from a page that fails', async () => {
    const indexedDB = [{ name: 'no version', version: 0, stores: [] }];
    const origins = [{ origin: site.url, localStorage: [], indexedDB }];
    await save('ada', JSON.stringify({ cookies: [], origins }));
    const { status, body } = await ask('/home', named('ada', false));
    expect([status, body.code]).toEqual([500, 'PROFILE_ERROR']);
    expect(body.error).toContain('did not take the state');
  });

  it.each(['/v2/browser', '/v2/interact'])(
    'is deleted by its team with all its data, below %s',
    async (base) => {
      await logIn('ada & bob/1');
      const address = `${base}/profiles/${encodeURIComponent('ada & bob/1')}`;
      const stranger = await makeTeam(db);
      expect((await call(address, { method: 'DELETE', key: stranger.key })).status).toBe(404);
      expect((await home(named('ada & bob/1'))).welcome).toBe(true);
      const { status, body } = await call(address, { method: 'DELETE', key: team.key });
      expect([status, body]).toEqual([200, { success: true }]);
      expect(await home(named('ada & bob/1'))).toEqual(asStranger);
      const wrong = await call(`${base}/profiles/a%00b`, { method: 'DELETE', key: team.key });
      expect([wrong.status, wrong.body.code]).toEqual([400, 'BAD_REQUEST']);
    },
  );
});

it('all pages of a batch load a profile at once, and warn that they do not save it', async () => {
  await logIn('ada');
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
