import { ServiceError } from '../../errors.ts';
import { type PromptResult, promptResult } from '../../schemas/session.ts';
import type { StoredSession } from '../../storage/db/sessions.ts';
import type { ApiDeps } from '../http/route.ts';
import { callHost, readHostResponse } from './host-client.ts';

/** A prompt for a session. */
export interface SessionPrompt {
  prompt: string;
  /** Time limit in seconds. */
  timeout: number;
}

/** Milliseconds that the host gets beyond the time limit, to return the result. */
const GRACE_MS = 30_000;

/**
 * Lets the host of a session do a task in its browser by a language model. The prompt and its result are
 * stored nowhere.
 * @param signal ends the prompt
 * @throws ServiceError as `callHost`; `MODEL_…` if the model fails before it has done anything;
 * `SERVICE_UNAVAILABLE` if the
 *   signal fires
 */
export async function runPrompt(
  session: StoredSession,
  { prompt, timeout }: SessionPrompt,
  { signal, ...deps }: Pick<ApiDeps, 'config' | 'db' | 'temporal'> & { signal: AbortSignal },
): Promise<PromptResult> {
  // Timers take whole milliseconds.
  const timeoutMs = Math.ceil(timeout * 1000);
  const body = { prompt, timeoutMs };
  try {
    const response = await callHost(
      session,
      { method: 'POST', resource: 'prompt', body, timeoutMs: timeoutMs + GRACE_MS, signal },
      deps,
    );
    return promptResult.parse(JSON.parse(await readHostResponse(response)));
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The prompt was ended, because its client has disconnected or the service is stopping. The page is kept.',
      { cause },
    );
  }
}
