import { findSession, type StoredSession } from '../../storage/db/sessions.ts';
import { equalSecrets, type SessionAccess, sessionSecret } from '../../system/encryption/session-secrets.ts';
import type { ApiDeps } from '../http/route.ts';

/** A session, and what the bearer of the secret in its URL may do. */
export interface AccessedSession {
  session: StoredSession;
  access: SessionAccess;
}

/**
 * Finds the session that a secret gives access to.
 * @param resource the part of the URL before the secret
 * @returns `undefined` if there is no such session or the secret is wrong
 */
export async function findAccessedSession(
  { id, resource, secret }: { id: string; resource: 'cdp' | 'view'; secret: string },
  { db, config }: Pick<ApiDeps, 'db' | 'config'>,
): Promise<AccessedSession | undefined> {
  const session = await findSession(db, id);
  if (!session) return undefined;
  const accesses: SessionAccess[] = resource === 'cdp' ? ['cdp'] : ['view', 'control'];
  const access = accesses.find((each) =>
    equalSecrets(secret, sessionSecret(config.secretKey, { id, salt: session.salt, access: each })),
  );
  return access && { session, access };
}
