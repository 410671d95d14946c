import { excerpt, ServiceError } from '../../errors.ts';
import type { Database } from '../../storage/db/client.ts';
import { type Caller, findCaller, findFirstTeam } from '../../storage/db/teams/teams.ts';

/**
 * Identifies the caller by the `Authorization` header.
 * @throws ServiceError `UNAUTHORIZED`
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/** The key of an `Authorization` header (RFC 6750, 2.1); `undefined` if it has none. */
export const bearerKeyOf = (authorization: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];

/** @param required if false, requests without a valid key are accepted as requests of the first team */
export function createAuth(db: Database, required: boolean): Authenticate {
  return async (authorization) => {
    const key = bearerKeyOf(authorization);
    if (!required) {
      const team = (key && (await findCaller(db, key))) || (await findFirstTeam(db));
      if (team) return team;
      throw new ServiceError(
        'UNAUTHORIZED',
        'Unauthorized: the first team does not exist yet. It is created when the API server starts.',
      );
    }
    if (!key) {
      throw new ServiceError('UNAUTHORIZED', `Unauthorized: Token missing. ${adviseOnHeader(authorization)}`);
    }
    const caller = await findCaller(db, key);
    if (!caller) {
      throw new ServiceError('UNAUTHORIZED', `Unauthorized: Invalid token. ${describeKey(key)}`);
    }
    return caller;
  };
}

/** Says what is wrong with a key that no team has. The key is not repeated. */
function describeKey(key: string): string {
  if (/^["'`].*["'`]$/.test(key)) return 'The key is in quotes. Leave the quotes out.';
  if (/[${}<>]|^%\w+%$|^process\.env/.test(key))
    return 'The header has a placeholder in place of the key, such as a variable that was not replaced. In a shell, use double quotes around the header.';
  return 'The key is unknown or revoked.';
}

/** Says what the header must be, and what the one that came has instead. The key is not repeated. */
function adviseOnHeader(authorization: string | undefined): string {
  const rule = 'Send the header Authorization: Bearer <API key>';
  const [scheme = '', ...rest] = (authorization ?? '').trim().split(/\s+/);
  if (!scheme) return `${rule}.`;
  if (rest.length) return `${rule}. The one that came begins with ${excerpt(scheme, 20)}.`;
  return /^bearer$/i.test(scheme)
    ? `${rule}. The one that came has no key.`
    : `${rule}. The one that came lacks the word Bearer before the key.`;
}
