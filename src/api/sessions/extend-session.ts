import { extendSession, findSession, type StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';
import { destroyedError } from './session-state.ts';

/**
 * Lengthens the lifetime of a session; a repeated call changes nothing more.
 * @param ttlSeconds the lifetime from the start of the session
 * @returns when the session ends now, which is not earlier than before
 * @throws ServiceError `SESSION_DESTROYED` if it has ended, or is about to
 */
export async function lengthenSession(
  session: StoredSession,
  ttlSeconds: number,
  { db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>,
): Promise<Date> {
  const { id } = session;
  const expiresAt = await extendSession(db, { id, ttlSeconds });
  if (!expiresAt) throw destroyedError((await findSession(db, id)) ?? session);
  await temporal.extendSession(id, expiresAt.getTime());
  return expiresAt;
}
