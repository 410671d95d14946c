import { findSession, type StoredSession } from '../../db/sessions.ts';
import { ServiceError } from '../../errors.ts';
import type { ApiDeps } from '../http/route.ts';

/** The error for a request to a session that has ended. */
export const destroyedError = ({ id, end_reason: reason }: Pick<StoredSession, 'id' | 'end_reason'>) =>
  new ServiceError(
    'SESSION_DESTROYED',
    `The browser session ${id} has ended (${reason ?? 'unknown reason'}). Create a new one.`,
  );

/**
 * Finds a session of the team.
 * @throws ServiceError `NOT_FOUND`, or `FORBIDDEN` if it belongs to another team
 */
export async function requireSession(
  id: string,
  teamId: string,
  { db }: Pick<ApiDeps, 'db'>,
): Promise<StoredSession> {
  const session = await findSession(db, id);
  if (!session) throw new ServiceError('NOT_FOUND', `Browser session not found. There is no session ${id}.`);
  if (session.team_id !== teamId)
    throw new ServiceError('FORBIDDEN', 'Forbidden. The browser session belongs to another team.');
  return session;
}
