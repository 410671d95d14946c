import { type CodeResult, codeResult, type Language } from '../../schemas/session.ts';
import type { StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost, readHostResponse } from './host-client.ts';

/** Code to execute in a session. */
export interface SessionCode {
  code: string;
  language: Language;
  /** Time limit in seconds. */
  timeout: number;
}

/** Milliseconds that the host gets beyond the time limits, to start the language and to return the result. */
const GRACE_MS = 30_000;

/**
 * Executes code in a session, by the host that runs its browser. The code and its result are stored nowhere.
 * @param disconnected ends code that runs or waits for an earlier call, because nobody gets its result and
 * the next call would
 *   have to wait for it
 * @throws ServiceError as `callHost`; `LANGUAGE_NOT_AVAILABLE`
 */
export async function executeCode(
  session: StoredSession,
  { code, language, timeout }: SessionCode,
  { disconnected, ...deps }: Pick<ApiDeps, 'config' | 'db' | 'temporal'> & { disconnected: AbortSignal },
): Promise<CodeResult> {
  // Timers take whole milliseconds.
  const timeoutMs = Math.ceil(timeout * 1000);
  const body = { code, language, timeoutMs };
  const response = await callHost(
    session,
    // The code may wait for an earlier call as long as it may run.
    { method: 'POST', resource: 'execute', body, timeoutMs: 2 * timeoutMs + GRACE_MS, signal: disconnected },
    deps,
  );
  return codeResult.parse(JSON.parse(await readHostResponse(response)));
}
