import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { decrypt, deriveKey, encrypt } from '../../../system/encryption/cipher.ts';
import type { Database } from '../client.ts';

/** Seconds after which the lease for saving a profile expires if its holder does not renew it. */
export const PROFILE_LEASE_SECONDS = 30;
/**
 * Maximum number of profiles of one team. Sessions that create profiles at the same moment may exceed it.
 */
export const MAX_PROFILES = 200;
/** Days after its last use until a profile is deleted. */
const MAX_UNUSED_DAYS = 90;
/**
 * Minimum hours between two updates of the time of last use, because a batch reads its profile with every
 * page.
 */
const USE_UPDATE_HOURS = 1;

/** The database that stores profiles, and the secret from which their encryption keys are derived. */
export interface ProfileStore {
  db: Database;
  secretKey: string;
}

/** Identifies a profile. */
export interface ProfileName {
  teamId: string;
  name: string;
}

/**
 * The exclusive right to save a profile, until the lease ends or another lease of the profile replaces it.
 */
export interface ProfileLease extends ProfileName {
  token: string;
}

const leaseEnd = sql<Date>`now() + make_interval(secs => ${PROFILE_LEASE_SECONDS})`;

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const keyPurpose = ({ teamId, name }: ProfileName) => `profile ${teamId} ${name}`;

async function decryptState(store: ProfileStore, profile: ProfileName, state: Buffer): Promise<string> {
  let zipped: Buffer;
  try {
    zipped = decrypt(deriveKey(store.secretKey, keyPurpose(profile)), state);
  } catch (cause) {
    throw new ServiceError(
      'PROFILE_ERROR',
      `The profile ${profile.name} cannot be decrypted: WINNOW_SECRET_KEY is not the one it was saved with. Set that one again, or delete the profile.`,
      { cause },
    );
  }
  return (await decompress(zipped)).toString();
}

/**
 * Reads the state that was saved last; `undefined` if there is none.
 * @throws ServiceError `PROFILE_ERROR` if the state cannot be decrypted
 */
export async function readProfile(store: ProfileStore, profile: ProfileName): Promise<string | undefined> {
  const { teamId, name } = profile;
  const { rows } = await sql<{ state: Buffer | null }>`
    with used as (
      update profiles set used_at = now()
      where team_id = ${teamId} and name = ${name}
        and used_at < now() - make_interval(hours => ${USE_UPDATE_HOURS})
    )
    select state from profiles where team_id = ${teamId} and name = ${name}`.execute(store.db.query);
  const state = rows[0]?.state;
  return state ? decryptState(store, profile, state) : undefined;
}

/**
 * Gives a holder the exclusive right to save a profile, until the lease is released or expires. It creates
 * the profile if there is none. A new lease of the same holder replaces its earlier one, so that a new
 * attempt of a job can take over from an attempt that was lost.
 * @returns the lease, and the state that was saved last
 * @throws ServiceError `PROFILE_LOCKED` while another holder has a lease, `BAD_REQUEST` if the team has too
 *   many profiles, `PROFILE_ERROR` if the state cannot be decrypted
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
    where ${MAX_PROFILES} > (select count(*) from profiles where team_id = ${teamId} and name <> ${name})
    on conflict (team_id, name) do update
      set holder = excluded.holder, token = excluded.token, held_until = excluded.held_until, used_at = now()
      where profiles.token is null or profiles.held_until <= now() or profiles.holder = excluded.holder
    returning token, state`.execute(store.db.query);
  const row = rows[0];
  if (!row) throw await leaseError(store.db, profile);
  const lease = { teamId, name, token: row.token };
  try {
    return { lease, state: row.state ? await decryptState(store, profile, row.state) : undefined };
  } catch (error) {
    await releaseProfile(store.db, lease);
    throw error;
  }
}

/** Creates the error for a refused lease: another holder has one, or the team has too many profiles. */
async function leaseError(db: Database, { teamId, name }: ProfileName): Promise<ServiceError> {
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
        `The profile ${name} cannot be created, because the team already has the maximum of ${MAX_PROFILES} profiles. Delete one that is no longer needed.`,
      );
}

/** Extends a lease. */
export async function renewProfile(db: Database, lease: ProfileLease): Promise<void> {
  await updateLeased(db, lease).set({ held_until: leaseEnd }).execute();
}

/**
 * Saves a state and extends the lease.
 * @throws ServiceError `PROFILE_LOCKED` if the lease was lost
 */
export async function saveProfile(store: ProfileStore, lease: ProfileLease, state: string): Promise<void> {
  const encrypted = encrypt(deriveKey(store.secretKey, keyPurpose(lease)), await compress(state));
  const { numUpdatedRows } = await updateLeased(store.db, lease)
    .set({ state: encrypted, saved_at: sql<Date>`now()`, used_at: sql<Date>`now()`, held_until: leaseEnd })
    .executeTakeFirstOrThrow();
  if (numUpdatedRows) return;
  throw new ServiceError(
    'PROFILE_LOCKED',
    `The profile ${lease.name} was not saved: it was deleted meanwhile, or is being saved by another session. Try again.`,
  );
}

/** Ends a lease. A profile that was never saved is deleted. */
export async function releaseProfile(db: Database, lease: ProfileLease): Promise<void> {
  await db.query
    .deleteFrom('profiles')
    .where('team_id', '=', lease.teamId)
    .where('name', '=', lease.name)
    .where('token', '=', lease.token)
    .where('state', 'is', null)
    .execute();
  await updateLeased(db, lease).set({ holder: null, token: null, held_until: null }).execute();
}

const updateLeased = (db: Database, { teamId, name, token }: ProfileLease) =>
  db.query
    .updateTable('profiles')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .where('token', '=', token);

/** Lists the profiles of a team by name, without their states. */
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
 * Deletes a profile at once, even if a session has a lease on it. That session cannot save the profile any
 * more.
 * @throws ServiceError `NOT_FOUND` if the team has no profile of that name
 */
export async function deleteProfile(db: Database, { teamId, name }: ProfileName): Promise<void> {
  const { numDeletedRows } = await db.query
    .deleteFrom('profiles')
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (!numDeletedRows) throw new ServiceError('NOT_FOUND', `The team has no profile named ${name}.`);
}

/**
 * Deletes profiles that were not used for 90 days, and profiles that were never saved and whose lease has
 * expired.
 * @returns the number of deleted profiles
 */
export async function deleteUnusedProfiles(db: Database): Promise<number> {
  const { numDeletedRows } = await db.query
    .deleteFrom('profiles')
    .where((where) =>
      where.or([
        where('used_at', '<', sql<Date>`now() - make_interval(days => ${MAX_UNUSED_DAYS})`),
        where.and([where('state', 'is', null), where('held_until', '<', sql<Date>`now()`)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
