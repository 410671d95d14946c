import { excerpt, ServiceError } from '../../errors.ts';
import type { Database } from '../../storage/db/client.ts';
import { type Caller, findCaller, findFirstTeam, hashKey } from '../../storage/db/teams/teams.ts';
import { CallSlots } from '../../system/call-slots.ts';

/**
 * Identifies the caller by the `Authorization` header.
 * @param from the IP address of the client, if that is known; those with unknown keys take turns
 * @throws ServiceError `UNAUTHORIZED`
 */
export type Authenticate = (authorization: string | undefined, from?: string) => Promise<Caller>;

/** Finds the team of a key. */
type FindCaller = (key: string) => Promise<Caller | undefined>;

/** Keys that have not been found before are looked up so many at once. */
const UNKNOWN_AT_ONCE = 4;
/** So many keys are remembered that have been found; each takes about 100 bytes. */
const MAX_FOUND = 10_000;
const NEVER = new AbortController().signal;

/** The key of an `Authorization` header (RFC 6750, 2.1); `undefined` if it has none. */
export const bearerKeyOf = (authorization: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];

/**
 * @param required if false, requests without a valid key are accepted as requests of the first team
 * @param find for tests
 */
export function createAuth(
  db: Database,
  required: boolean,
  find: FindCaller = (key) => findCaller(db, key),
): Authenticate {
  const findInTurn = lookUpInTurn(find);
  return async (authorization, from = '') => {
    const key = bearerKeyOf(authorization);
    if (!required) {
      const team = (key && (await findInTurn(key, from))) || (await findFirstTeam(db));
      if (team) return team;
      throw new ServiceError(
        'UNAUTHORIZED',
        'Unauthorized: the first team does not exist yet. It is created when the API server starts.',
      );
    }
    if (!key) {
      throw new ServiceError('UNAUTHORIZED', `Unauthorized: Token missing. ${adviseOnHeader(authorization)}`);
    }
    const caller = await findInTurn(key, from);
    if (!caller) {
      throw new ServiceError('UNAUTHORIZED', `Unauthorized: Invalid token. ${describeKey(key)}`);
    }
    return caller;
  };
}

/**
 * Lets clients take turns whose keys have not been found before. Thousands of invented ones, each another, would
 * otherwise be before the requests of all teams in the line for the connections of the database.
 */
function lookUpInTurn(find: FindCaller): (key: string, from: string) => Promise<Caller | undefined> {
  const slots = new CallSlots(UNKNOWN_AT_ONCE);
  /** Hashes of the keys that were found, the one that was found first before the others. */
  const found = new Set<string>();
  return async (key, from) => {
    const hash = hashKey(key).toString('base64');
    const caller = await (found.has(hash)
      ? find(key)
      : slots.run(() => find(key), { owner: from, signal: NEVER }));
    if (!caller) {
      found.delete(hash);
      return undefined;
    }
    found.add(hash);
    const [first] = found;
    if (found.size > MAX_FOUND && first !== undefined) found.delete(first);
    return caller;
  };
}

/** Says what is wrong with a key that no team has. The key is not repeated. */
function describeKey(key: string): string {
  if (/^["'`].*["'`]$/.test(key)) return 'The key is in quotes. Leave the quotes out.';
  if (/[^\w-]$/.test(key) && /^[\w-]+.$/.test(key))
    return 'A character behind the key came with it, such as a comma. Leave it out.';
  if (/your.?(winnow.?)?(api.?)?key/i.test(key))
    return 'The header has the example of a key in place of the key. The operator makes keys (winnow key create).';
  if (/[${}<>]|^%\w+%$|^process\.env/.test(key))
    return 'The header has a placeholder in place of the key, such as a variable that was not replaced. In a shell, use double quotes around the header.';
  return 'The key is unknown or revoked.';
}

/** Says what the header must be, and what the one that came has instead. The key is not repeated. */
function adviseOnHeader(authorization: string | undefined): string {
  const rule = 'Send the header Authorization: Bearer <API key>';
  const [scheme = '', ...rest] = (authorization ?? '').trim().split(/\s+/);
  if (!scheme) return `${rule}.`;
  if (/^bearer$/i.test(scheme) && rest.length > 1)
    return `${rule}, with the word Bearer once and no blank in the key.`;
  if (rest.length) return `${rule}. The one that came begins with ${excerpt(scheme, 20)}.`;
  return /^bearer$/i.test(scheme)
    ? `${rule}. The one that came has no key.`
    : `${rule}. The one that came lacks the word Bearer before the key.`;
}
