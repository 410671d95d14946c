import type { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { sessionEndResponse } from '../../schemas/session.ts';
import { endSession, type StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';

/** How long a request to delete a session waits for its end, in milliseconds. */
const END_WAIT_MS = 30_000;

/**
 * Ends a session and waits for its end.
 * @returns its duration and price; those of its end if it ended before
 * @throws ServiceError `SESSION_FAILED` if it does not end in time
 */
export async function deleteSession(
  { id, state }: Pick<StoredSession, 'id' | 'state'>,
  { db, temporal }: Pick<ApiDeps, 'db' | 'temporal'>,
): Promise<z.output<typeof sessionEndResponse>> {
  const stopped = state === 'destroyed' ? 'ended' : await temporal.endSession(id, END_WAIT_MS);
  if (stopped === 'running') {
    throw new ServiceError(
      'SESSION_FAILED',
      `The browser session ${id} is still ending. GET /v2/browser/${id} returns its price when it has ended.`,
    );
  }
  // This only reads the outcome of a session that its workflow has ended. One without a workflow ends here.
  const outcome = await endSession(db, { id, reason: 'deleted' });
  // A workflow that was about to start may have read that the session has not ended.
  if (stopped === 'absent') await temporal.endSession(id, END_WAIT_MS);
  return {
    success: true,
    sessionDurationMs: outcome?.durationMs ?? 0,
    creditsBilled: outcome?.credits ?? 0,
    cleanupQueued: false,
  };
}
