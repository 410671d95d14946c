import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { sql } from 'kysely';
import { decrypt, deriveKey, encrypt } from '../cipher.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from './client.ts';

/** How long a saver's lease holds without renewal. */
export const PROFILE_LEASE_SECONDS = 30;
/** Profiles of one team; savers that come at once may exceed it by as many as they are. */
export const MOST_PROFILES = 200;
/** Days after its last use that a profile is deleted. */
const KEPT_DAYS = 90;
/** A reader notes its use so often: a batch reads with every page. */
const USE_NOTED_HOURS = 1;

/** Where profiles lie, and what their keys are derived from. */
export interface ProfileStore {
  db: Database;
  secretKey: string;
}

/** Which profile. */
export interface ProfileName {
  teamId: string;
  name: string;
}

/** A saver's hold on a profile: until it ends, or another hold takes its place, nobody else saves. */
export interface ProfileLease extends ProfileName {
  token: string;
}

const leaseEnd = sql<Date>`now() + make_interval(secs => ${PROFILE_LEASE_SECONDS})`;

const zip = promisify(gzip);
const unzip = promisify(gunzip);
const purposeOf = ({ teamId, name }: ProfileName) => `profile ${teamId} ${name}`;

async function open(store: ProfileStore, profile: ProfileName, state: Buffer): Promise<string> {
  let zipped: Buffer;
  try {
    zipped = decrypt(deriveKey(store.secretKey, purposeOf(profile)), state);
  } catch (cause) {
    throw new ServiceError(
      'PROFILE_ERROR',
      `The profile ${profile.name} cannot be decrypted: WINNOW_SECRET_KEY is not the one it was saved with. Set that one again, or delete the profile.`,
      { cause },
    );
  }
  return (await unzip(zipped)).toString();
}

/**
 * The state last saved; `undefined` where there is none.
 * @throws ServiceError `PROFILE_ERROR` where it cannot be decrypted
 */
export async function readProfile(store: ProfileStore, profile: ProfileName): Promise<string | undefined> {
  const { teamId, name } = profile;
  const { rows } = await sql<{ state: Buffer | null }>`
    with used as (
      update profiles set used_at = now()
      where team_id = ${teamId} and name = ${name}
        and used_at < now() - make_interval(hours => ${USE_NOTED_HOURS})
    )
    select state from profiles where team_id = ${teamId} and name = ${name}`.execute(store.db.query);
  const state = rows[0]?.state;
  return state ? open(store, profile, state) : undefined;
}

/**
 * Makes the holder the only one who may save a profile, until the lease is released or runs out; a profile that does
 * not exist is made. A later hold of the same holder ends its earlier one: an attempt takes over from the one lost.
 * @returns the lease, and the state last saved
 * @throws ServiceError `PROFILE_LOCKED` while another holder has it, `BAD_REQUEST` where the team has too many,
 * `PROFILE_ERROR` where the state cannot be decrypted
 */
export async function leaseProfile(
  store: ProfileStore,
  profile: ProfileName,
  holder: string,
): Promise<{ lease: ProfileLease; state: string | undefined }> {
  const { teamId, name } = profile;
  const { rows } = await sql<{ token: string; state: Buffer | null }>`
    insert into profiles (team_id, name, holder, token, held_until)
    select ${teamId}::uuid, ${name}::text, ${holder}::text, gen_random_uuid(), ${leaseEnd}
    where ${MOST_PROFILES} > (select count(*) from profiles where team_id = ${teamId} and name <> ${name})
    on conflict (team_id, name) do update
      set holder = excluded.holder, token = excluded.token, held_until = excluded.held_until, used_at = now()
      where profiles.token is null or profiles.held_until <= now() or profiles.holder = excluded.holder
    returning token, state`.execute(store.db.query);
  const row = rows[0];
  if (!row) throw await refusal(store.db, profile);
  const lease = { teamId, name, token: row.token };
  try {
    return { lease, state: row.state ? await open(store, profile, row.state) : undefined };
  } catch (error) {
    await releaseProfile(store.db, lease);
    throw error;
  }
}

/** Why there is no lease: somebody has the profile, or it would be one too many. */
async function refusal(db: Database, { teamId, name }: ProfileName): Promise<ServiceError> {
  const taken = await db.query
    .selectFrom('profiles')
    .select('name')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirst();
  return taken
    ? new ServiceError(
        'PROFILE_LOCKED',
        `The profile ${name} is already being saved by another session. Try again when that has ended, or set saveChanges to false to only load it.`,
      )
    : new ServiceError(
        'BAD_REQUEST',
        `The profile ${name} cannot be made: the team has ${MOST_PROFILES}, as many as it may. Delete one that is not needed.`,
      );
}

/** Extends a lease. */
export async function renewProfile(db: Database, lease: ProfileLease): Promise<void> {
  await held(db, lease).set({ held_until: leaseEnd }).execute();
}

/**
 * Saves a state, and extends the lease.
 * @throws ServiceError `PROFILE_LOCKED` where the lease was lost
 */
export async function saveProfile(store: ProfileStore, lease: ProfileLease, state: string): Promise<void> {
  const sealed = encrypt(deriveKey(store.secretKey, purposeOf(lease)), await zip(state));
  const { numUpdatedRows } = await held(store.db, lease)
    .set({ state: sealed, saved_at: sql<Date>`now()`, used_at: sql<Date>`now()`, held_until: leaseEnd })
    .executeTakeFirstOrThrow();
  if (numUpdatedRows) return;
  throw new ServiceError(
    'PROFILE_LOCKED',
    `The profile ${lease.name} was not saved: it was deleted meanwhile, or is being saved by another session. Try again.`,
  );
}

/** Ends a lease; a profile that was never saved goes with it. */
export async function releaseProfile(db: Database, lease: ProfileLease): Promise<void> {
  await db.query
    .deleteFrom('profiles')
    .where('team_id', '=', lease.teamId)
    .where('name', '=', lease.name)
    .where('token', '=', lease.token)
    .where('state', 'is', null)
    .execute();
  await held(db, lease).set({ holder: null, token: null, held_until: null }).execute();
}

const held = (db: Database, { teamId, name, token }: ProfileLease) =>
  db.query
    .updateTable('profiles')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .where('token', '=', token);

/** The profiles of a team by name, without what they hold. */
export async function listProfiles(db: Database, teamId: string) {
  return db.query
    .selectFrom('profiles')
    .select([
      'name',
      'created_at',
      'saved_at',
      'used_at',
      sql<number>`coalesce(length(state), 0)`.as('bytes'),
    ])
    .where('team_id', '=', teamId)
    .orderBy('name')
    .execute();
}

/**
 * Deletes a profile at once, also from under its saver, who then cannot save.
 * @throws ServiceError `NOT_FOUND` when the team has none of that name
 */
export async function deleteProfile(db: Database, { teamId, name }: ProfileName): Promise<void> {
  const { numDeletedRows } = await db.query
    .deleteFrom('profiles')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (!numDeletedRows) throw new ServiceError('NOT_FOUND', `The team has no profile named ${name}.`);
}

/** Deletes profiles that nobody used for long, and what lost savers left unsaved. @returns how many */
export async function deleteUnusedProfiles(db: Database): Promise<number> {
  const { numDeletedRows } = await db.query
    .deleteFrom('profiles')
    .where((where) =>
      where.or([
        where('used_at', '<', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`),
        where.and([where('state', 'is', null), where('held_until', '<', sql<Date>`now()`)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
