import { ServiceError } from '../../errors.ts';
import { extendSession, findSession, type StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';
import { destroyedError, openedSession } from './session-state.ts';

/**
 * Lengthens the lifetime of a session; a repeated call changes nothing more, and does not tell its workflow
 * again: a workflow that gets 10,000 signals is ended. It waits for a session that starts, whose workflow may
 * have been told its end already, and nothing else.
 * @param ttlSeconds the lifetime from the start of the session
 * @returns when the session ends now, which is not earlier than before
 * @throws ServiceError `SESSION_DESTROYED` if it has ended, or is about to; as `openedSession`;
 * `SERVICE_UNAVAILABLE` if its workflow cannot be told
 */
export async function lengthenSession(
  session: StoredSession,
  ttlSeconds: number,
  { db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>,
): Promise<Date> {
  const { id } = session;
  if (session.state === 'creating') await openedSession(session, { db, temporal });
  const expiresAt = await extendSession(db, { id, ttlSeconds }, async (end) => {
    if (await temporal.extendSession(id, end.getTime())) return;
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `The browser session ${id} is starting or ending, so its lifetime was not changed. Try again.`,
    );
  });
  if (!expiresAt) throw destroyedError((await findSession(db, id)) ?? session);
  return expiresAt;
}
