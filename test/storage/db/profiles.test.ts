import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteProfile,
  deleteUnusedProfiles,
  leaseProfile,
  listProfiles,
  MAX_PROFILES,
  PROFILE_LEASE_SECONDS,
  type ProfileStore,
  readProfile,
  releaseProfile,
  renewProfile,
  saveProfile,
} from '../../../src/storage/db/teams/profiles.ts';
import { decrypt, deriveKey } from '../../../src/system/encryption/cipher.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

const STATE = JSON.stringify({ cookies: [{ name: 'session', value: 'very-secret' }], origins: [] });

const db = useDatabase();
let store: ProfileStore;
let teamId: string;

beforeAll(() => {
  store = { db, secretKey: 'the key of these tests' };
});
beforeEach(async () => {
  teamId = (await makeTeam(db)).id;
});

const lease = (holder: string, name = 'ada') => leaseProfile(store, { teamId, name }, holder);
const read = (name = 'ada') => readProfile(store, { teamId, name });
const names = async () => (await listProfiles(db, teamId)).map(({ name }) => name);

async function save(state: string, name = 'ada'): Promise<void> {
  const held = await lease('somebody', name);
  await saveProfile(store, held.lease, state);
  await releaseProfile(db, held.lease);
}

async function stored(name = 'ada'): Promise<Buffer> {
  const { state } = await db.query
    .selectFrom('profiles')
    .select('state')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (!state) throw new Error('nothing is stored');
  return state;
}

/** Most of a lease, in seconds; the rest is more than a slow machine takes for a query. */
const MOST_OF_LEASE = 0.6 * PROFILE_LEASE_SECONDS;

/** Makes the lease, or the last use, of the team's profiles so much older. */
const age = (column: 'held_until' | 'used_at', seconds: number) =>
  sql`update profiles set ${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})
    where team_id = ${teamId}`.execute(db.query);

describe('the lease of a profile', () => {
  it('is given to one of many concurrent attempts', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => lease(`job ${n}`)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const tried of tries) {
      if (tried.status === 'rejected') expect(tried.reason).toMatchObject({ code: 'PROFILE_LOCKED' });
    }
  });

  it('is free when it is released, and never blocks reading', async () => {
    await save(STATE);
    const first = await lease('first');
    expect(first.state).toBe(STATE);
    expect(await read()).toBe(STATE);
    await expect(lease('second')).rejects.toMatchObject({
      code: 'PROFILE_LOCKED',
      message: expect.stringContaining('ada is already being saved'),
    });
    await releaseProfile(db, first.lease);
    expect((await lease('second')).state).toBe(STATE);
  });

  it('expires without renewal, and its holder can then neither save, renew nor release', async () => {
    const first = await lease('first');
    await saveProfile(store, first.lease, STATE);
    await age('held_until', PROFILE_LEASE_SECONDS);
    const second = await lease('second');
    expect(second.state).toBe(STATE);
    await expect(saveProfile(store, first.lease, '{}')).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
    await renewProfile(db, first.lease);
    await releaseProfile(db, first.lease);
    await expect(lease('third')).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
    expect(await read()).toBe(STATE);
  });

  it('is extended by a renewal and by each save', async () => {
    const first = await lease('first');
    await age('held_until', MOST_OF_LEASE);
    await renewProfile(db, first.lease);
    await age('held_until', MOST_OF_LEASE);
    await expect(lease('second')).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
    await saveProfile(store, first.lease, STATE);
    await age('held_until', MOST_OF_LEASE);
    await expect(lease('second')).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
  });

  it('passes to a later attempt of its holder at once, after which the earlier attempt cannot save', async () => {
    const lost = await lease('job');
    const next = await lease('job');
    await expect(saveProfile(store, lost.lease, '{}')).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
    await saveProfile(store, next.lease, STATE);
    expect(await read()).toBe(STATE);
  });

  it('leaves no profile that was never saved', async () => {
    await releaseProfile(db, (await lease('first')).lease);
    expect(await names()).toEqual([]);
  });
});

describe('a stored profile', () => {
  it('is encrypted, differently each time', async () => {
    await save(STATE);
    const first = await stored();
    expect(first.includes('very-secret') || first.includes('cookies')).toBe(false);
    expect(() => gunzipSync(first)).toThrow('incorrect header');
    await save(STATE);
    expect((await stored()).equals(first)).toBe(false);
    const purpose = `profile ${teamId} ada`;
    expect(gunzipSync(decrypt(deriveKey(store.secretKey, purpose), await stored())).toString()).toBe(STATE);
  });

  it('cannot be read with another key, name or team, or when a bit was changed', async () => {
    await save(STATE);
    await expect(readProfile({ db, secretKey: 'other' }, { teamId, name: 'ada' })).rejects.toMatchObject({
      code: 'PROFILE_ERROR',
      message: expect.stringContaining('WINNOW_SECRET_KEY'),
    });
    const bytes = await stored();
    const put = (team: string, name: string, state: Buffer) =>
      db.query
        .insertInto('profiles')
        .values({ team_id: team, name, state })
        .onConflict((conflict) => conflict.columns(['team_id', 'name']).doUpdateSet({ state }))
        .execute();
    const stranger = (await makeTeam(db)).id;
    await put(stranger, 'ada', bytes);
    await put(teamId, 'bob', bytes);
    const changed = Buffer.from(bytes);
    changed[20]! ^= 1;
    await put(teamId, 'ada', changed);
    for (const profile of [
      { teamId: stranger, name: 'ada' },
      { teamId, name: 'bob' },
      { teamId, name: 'ada' },
    ]) {
      await expect(readProfile(store, profile)).rejects.toMatchObject({ code: 'PROFILE_ERROR' });
    }
    // The lease is not left behind, so that the right key finds the profile free.
    await expect(lease('first')).rejects.toMatchObject({ code: 'PROFILE_ERROR' });
    await put(teamId, 'ada', bytes);
    expect((await lease('second')).state).toBe(STATE);
  });

  it('is separate from that of another team with the same name', async () => {
    await save(STATE);
    const stranger = (await makeTeam(db)).id;
    expect(await readProfile(store, { teamId: stranger, name: 'ada' })).toBeUndefined();
    const held = await leaseProfile(store, { teamId: stranger, name: 'ada' }, 'other');
    await saveProfile(store, held.lease, '{"cookies":[]}');
    await deleteProfile(db, { teamId: stranger, name: 'ada' });
    expect(await read()).toBe(STATE);
  });

  it('is gone when it is deleted, and a running scrape cannot save it again', async () => {
    await save(STATE);
    const saver = await lease('first');
    await deleteProfile(db, { teamId, name: 'ada' });
    expect([await read(), await names()]).toEqual([undefined, []]);
    await expect(saveProfile(store, saver.lease, STATE)).rejects.toMatchObject({ code: 'PROFILE_LOCKED' });
    await expect(deleteProfile(db, { teamId, name: 'ada' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await lease('second')).state).toBeUndefined();
  });

  it('is deleted 90 days after it was last read or saved', async () => {
    const day = 86_400;
    await save(STATE);
    await age('used_at', 89 * day);
    await read();
    await age('used_at', 89 * day);
    await deleteUnusedProfiles(db);
    expect(await read()).toBe(STATE);
    await age('used_at', 89 * day);
    await save(STATE);
    await age('used_at', 91 * day);
    await deleteUnusedProfiles(db);
    expect([await read(), await names()]).toEqual([undefined, []]);
  });

  it('is deleted early when it was never saved', async () => {
    await lease('lost');
    await deleteUnusedProfiles(db);
    expect(await names()).toEqual(['ada']);
    await age('held_until', PROFILE_LEASE_SECONDS + 1);
    await deleteUnusedProfiles(db);
    expect(await names()).toEqual([]);
  });
});

it('a team has a maximum number of profiles and can use those it has', async () => {
  await sql`insert into profiles (team_id, name)
    select ${teamId}::uuid, 'profile ' || n from generate_series(1, ${MAX_PROFILES}::int) as n`.execute(
    db.query,
  );
  await expect(lease('job')).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(`maximum of ${MAX_PROFILES} profiles`),
  });
  await expect(lease('job', 'profile 1')).resolves.toMatchObject({ state: undefined });
  await deleteProfile(db, { teamId, name: 'profile 2' });
  await expect(lease('job')).resolves.toMatchObject({ state: undefined });
});
