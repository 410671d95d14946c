import { ServiceError } from '../../errors.ts';
import type { Models } from '../../models/index.ts';
import type { PromptResult } from '../../schemas/session.ts';
import type { Database } from '../../storage/db/client.ts';
import { findSession, markPrompted } from '../../storage/db/sessions.ts';
import type { HostedSession } from '../hosted-session.ts';
import type { PromptRequest } from './session-prompts.ts';

/**
 * Runs a prompt in a session of this host.
 * @throws ServiceError as `HostedSession.runPrompt`; `MODEL_NOT_CONFIGURED`
 */
export type RunPrompt = (
  session: HostedSession,
  request: PromptRequest,
  signal: AbortSignal,
) => Promise<PromptResult>;

/**
 * Creates what runs prompts in the sessions of a host: it knows their teams, which use the model and are
 * billed.
 */
export function createPromptRunner({
  db,
  models,
}: {
  db: Database;
  /** The language models; `undefined` if this worker has none. */
  models: Models | undefined;
}): RunPrompt {
  return async (session, request, signal) => {
    if (!models) {
      throw new ServiceError(
        'MODEL_NOT_CONFIGURED',
        'A prompt needs a language model, and the worker that runs the browser session has none. Its operator can set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL there, too. Send code instead.',
      );
    }
    const { id: jobId } = session;
    const stored = await findSession(db, jobId);
    if (!stored) throw new ServiceError('SESSION_DESTROYED', `The browser session ${jobId} has ended.`);
    const work = { feature: 'interact' as const, teamId: stored.team_id, jobId };
    return session.runPrompt(
      request,
      {
        modelFor: (limits) => models.modelFor({ ...work, ...limits }),
        onFirstReply: () => markPrompted(db, jobId),
      },
      signal,
    );
  };
}
