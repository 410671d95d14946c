import type { Readable } from 'node:stream';
import { ServiceError, toServiceError } from '../../errors.ts';
import { findSession, type StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost, DOWNLOAD_TIMEOUT_MS } from './host-client.ts';

/**
 * Opens the recording of a session: what its host has so far, or all of it once the session has ended.
 * @throws ServiceError `NOT_FOUND` if there is none; as `callHost`
 */
export async function openRecording(
  session: StoredSession,
  deps: Pick<ApiDeps, 'config' | 'db' | 'temporal' | 'results'>,
): Promise<Readable> {
  const { id } = session;
  if (!session.is_recorded) {
    throw new ServiceError(
      'NOT_FOUND',
      `The browser session ${id} is not recorded. Create one with recordSession true.`,
    );
  }
  if (session.state !== 'destroyed') {
    try {
      const request = { method: 'GET', resource: 'replay', timeoutMs: DOWNLOAD_TIMEOUT_MS } as const;
      return await callHost(session, request, deps);
    } catch (error) {
      // It has ended meanwhile.
      if (toServiceError(error).code !== 'SESSION_DESTROYED') throw error;
    }
  }
  const key = (await findSession(deps.db, id))?.recording;
  if (key) return deps.results.stream(key);
  throw new ServiceError(
    'NOT_FOUND',
    `The recording of the browser session ${id} is not stored: its host was lost, or the session has just ended. Try again in a few seconds.`,
  );
}
