import { PROMPT_MIN_CREDITS, SESSION_MIN_CREDITS } from '../../credits.ts';
import { ServiceError } from '../../errors.ts';
import { JOB_KINDS, type JobKind } from '../../job-kinds.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import * as schemas from '../../schemas/session.ts';
import { acceptedLocation } from '../../schemas/visitor.ts';
import { findScrapeToReplay, type ScrapeToReplay } from '../../storage/db/pages/scrape-to-replay.ts';
import { findSessionOfScrape } from '../../storage/db/sessions.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { requireCredits } from '../http/required-credits.ts';
import { type ApiDeps, defineRoute } from '../http/route.ts';
import { jobNotFound } from '../job-not-found.ts';
import { deleteSession } from './delete-session.ts';
import { executeCode } from './execute-code.ts';
import { runPrompt } from './run-prompt.ts';
import { destroyedError, OPENED_SESSION_ERRORS, openedSession } from './session-state.ts';
import { sessionUrls } from './session-urls.ts';
import { startSession } from './start-session.ts';

const PATH = '/v2/scrape/:id/interact';

const interact = defineRoute({
  method: 'post',
  path: PATH,
  tag: 'Browser',
  summary: 'Run code, or do a task by a language model, in a browser that continues a scrape',
  params: jobIdParams,
  body: schemas.interactBody,
  response: schemas.interactResponse,
  errors: [
    ...(['FORBIDDEN', 'NOT_FOUND'] as const),
    ...OPENED_SESSION_ERRORS,
    ...(['LANGUAGE_NOT_AVAILABLE', 'INSUFFICIENT_CREDITS', 'SERVICE_UNAVAILABLE'] as const),
    ...([
      'MODEL_NOT_CONFIGURED',
      'MODEL_UNAVAILABLE',
      'MODEL_RESPONSE_UNUSABLE',
      'MODEL_BUDGET_EXCEEDED',
      'MODEL_PROMPT_WITHHELD',
    ] as const),
  ],
  rateBucket: 'sessionCode',
  async handler({ caller, params: { id }, body, baseUrl, disconnected, signal }, deps) {
    const { code, prompt, language, timeout } = body;
    const scrape = await requireScrape(id, caller, deps);
    const found = await findSessionOfScrape(deps.db, id);
    if (!found) requireReplayable(id, scrape);
    if (found?.state === 'destroyed') throw destroyedError(found);
    if (prompt !== undefined) {
      requireModel(deps);
      if (!found?.prompted) await requireCredits(deps.db, caller, { minimum: PROMPT_MIN_CREDITS });
    }
    // A session that runs is billed at its end, and ends by itself when the credits are used up.
    if (!found) await requireCredits(deps.db, caller, { minimum: SESSION_MIN_CREDITS });
    const start = {
      caller,
      request: schemas.sessionBody.parse(sharedOptions(scrape)),
      scrape: { id, url: scrape.url },
    };
    const session = found ? await openedSession(found, deps) : await startSession(start, deps);
    const result =
      prompt === undefined
        ? // The schema demands exactly one of both.
          await executeCode(session, { code: code ?? '', language, timeout }, { ...deps, disconnected })
        : await runPrompt(session, { prompt, timeout }, { ...deps, signal });
    const urls = sessionUrls(session, { baseUrl, secretKey: deps.config.secretKey });
    return { ...result, success: result.exitCode === 0 && !result.killed, sessionId: session.id, ...urls };
  },
});

/** The options of a scrape that its session has too. */
function sharedOptions({ request }: Pick<ScrapeToReplay, 'request'>) {
  const { profile, location, mobile, blockAds } = fieldsOf(request);
  const { ignored: _, ...place } = fieldsOf(acceptedLocation(location));
  return { profile, ...(location !== undefined && { location: place }), mobile, blockAds };
}

const stop = defineRoute({
  method: 'delete',
  path: PATH,
  tag: 'Browser',
  summary: 'End the browser session that continues a scrape',
  params: jobIdParams,
  response: schemas.sessionEndResponse,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SESSION_FAILED'],
  rateLimited: false,
  async handler({ caller, params: { id } }, deps) {
    await requireScrape(id, caller, deps);
    const session = await findSessionOfScrape(deps.db, id);
    if (!session)
      throw new ServiceError('NOT_FOUND', `Browser session not found. The scrape ${id} has none.`);
    return deleteSession(session, deps);
  },
});

/** What is done with a job of another kind, which has pages with scrapes of their own, or is a session itself. */
const instead = (id: string) => (kind: JobKind) => {
  const { path, hasPages } = JOB_KINDS[kind];
  if (kind === 'browser' || kind === 'interact')
    return `run code by POST ${path}/${id}/execute, and end it by DELETE ${path}/${id}`;
  return hasPages ? 'use metadata.scrapeId of one of its pages in the path' : '';
};

/** @throws ServiceError `NOT_FOUND`, or `FORBIDDEN` if the scrape belongs to another team */
async function requireScrape(id: string, caller: Caller, { db }: ApiDeps): Promise<ScrapeToReplay> {
  const scrape = await findScrapeToReplay(db, id);
  if (!scrape) {
    const message = `Job not found. There is no scrape ${id} that has ended, or it has expired.`;
    throw await jobNotFound(
      { db },
      { id, teamId: caller.teamId, message, kind: 'scrape', instead: instead(id) },
    );
  }
  if (scrape.teamId !== caller.teamId)
    throw new ServiceError('FORBIDDEN', 'Forbidden. The scrape belongs to another team.');
  return scrape;
}

/**
 * @throws ServiceError `INTERACT_REPLAY_UNAVAILABLE` with the reason if the scrape cannot be repeated in a
 * browser
 */
function requireReplayable(id: string, { wrappedKey, request }: ScrapeToReplay): void {
  const { upload } = fieldsOf(request);
  const reason =
    (wrappedKey && 'it had zero data retention, as with lockdown, so its options were not kept') ||
    (upload && 'it parsed an uploaded file, which is no page');
  if (!reason) return;
  throw new ServiceError(
    'INTERACT_REPLAY_UNAVAILABLE',
    `The scrape ${id} cannot be continued: ${reason}. Rerun the scrape without that and interact with the new one.`,
  );
}

/** @throws ServiceError `MODEL_NOT_CONFIGURED`, unless the operator has configured a language model */
function requireModel({ config }: ApiDeps): void {
  if (config.llm) return;
  throw new ServiceError(
    'MODEL_NOT_CONFIGURED',
    'A prompt needs a language model, and this service has none. Its operator can set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL. Send code instead.',
  );
}

/** The routes of sessions that continue a scrape. */
export const interactRoutes = [interact, stop];
