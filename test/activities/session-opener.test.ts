import { beforeAll, expect, it } from 'vitest';
import { SessionOpener } from '../../src/activities/sessions/session-opener.ts';
import type { Profiles } from '../../src/fetch/browser/browser-profile.ts';
import { createUpstreams } from '../../src/fetch/net/upstream-proxies.ts';
import type { SessionHost } from '../../src/sessions/session-host.ts';
import { endSession, findSession, openSession } from '../../src/storage/db/sessions.ts';
import { makeTeam, storeSession, useDatabase } from '../support/storage/database.ts';

/**
 * The opening of stored sessions by a host whose browsers only count, because real ones are tested elsewhere.
 */

const db = useDatabase();
let teamId: string;
beforeAll(async () => {
  teamId = (await makeTeam(db)).id;
});

const URL_OF_HOST = 'http://10.0.0.1:1';

function countingHost() {
  const counts = { started: 0, ended: 0 };
  let session: { end(): Promise<void> } | undefined;
  const host = {
    async open() {
      counts.started++;
      session = { end: async () => void counts.ended++ };
      return session;
    },
    find: async () => session,
  };
  const opener = new SessionOpener({
    db,
    url: URL_OF_HOST,
    // Only what opening a session without profile and scrape uses is there.
    host: host as unknown as SessionHost,
    replay: () => Promise.reject(new Error('nothing to replay')),
    profiles: {} as Profiles,
    proxies: createUpstreams({ basic: ['de=http://proxy.test:1'], enhanced: [] }),
  });
  return { counts, opener };
}

it('a session that the API and its workflow open at the same time has one browser', async () => {
  const id = await storeSession(db.query, teamId);
  const { counts, opener } = countingHost();
  await Promise.all([opener.open(id), opener.open(id)]);
  expect(counts).toEqual({ started: 1, ended: 0 });
  expect(await findSession(db, id)).toMatchObject({ state: 'active', host: URL_OF_HOST });
});

it('a session that another host has opened is not opened again, because a client may use it', async () => {
  const id = await storeSession(db.query, teamId);
  await openSession(db, { id, host: 'http://10.0.0.2:1' });
  const { counts, opener } = countingHost();
  await expect(opener.open(id)).rejects.toMatchObject({ code: 'WORKER_LOST' });
  expect(counts.started).toBe(0);
  expect(await openSession(db, { id, host: URL_OF_HOST })).toBe(false);
  expect(await findSession(db, id)).toMatchObject({ state: 'active', host: 'http://10.0.0.2:1' });
});

it.each([
  ['FR', 'There is no basic proxy in FR: the session uses one elsewhere.'],
  ['de', null],
  [undefined, null],
])(
  'a session from the country %s, where the only proxy is in Germany, is stored with the warning %s',
  async (country, warning) => {
    const visitor = { mobile: false, blockAds: false, location: { country } };
    const id = await storeSession(db.query, teamId, { visitor });
    await countingHost().opener.open(id);
    expect(await findSession(db, id)).toMatchObject({ state: 'active', warning });
  },
);

it('a session that has ended is not opened', async () => {
  const id = await storeSession(db.query, teamId);
  await endSession(db, { id, reason: 'deleted' });
  const { counts, opener } = countingHost();
  await expect(opener.open(id)).rejects.toMatchObject({ code: 'SESSION_DESTROYED' });
  expect(counts.started).toBe(0);
});

it('a session that has ended since it was opened ends its browser when its workflow asks for it', async () => {
  const id = await storeSession(db.query, teamId);
  const { counts, opener } = countingHost();
  await opener.open(id);
  await endSession(db, { id, reason: 'failed' });
  await expect(opener.open(id)).rejects.toMatchObject({ code: 'SESSION_DESTROYED' });
  expect(counts).toEqual({ started: 1, ended: 1 });
});

it('a session that failed to start costs nothing, even if its browser was open already', async () => {
  const id = await storeSession(db.query, teamId);
  await countingHost().opener.open(id);
  expect(await endSession(db, { id, reason: 'failed' })).toMatchObject({ credits: 0 });
});
