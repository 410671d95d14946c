import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../errors.ts';
import type { StoredAnswer } from '../jobs/support/answer.ts';
import { askBody, askResponse, docsSearchBody, docsSearchResponse } from '../schemas/support.ts';
import { insertJob } from '../storage/db/jobs/jobs.ts';
import { failJob } from '../storage/db/jobs/take-credits.ts';
import { sumModelTokens } from '../storage/db/teams/model-calls.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import { rejectWhenAborted } from './deliver-result.ts';
import { type ApiDeps, defineRoute } from './http/route.ts';

/** The workflow ends after 55 seconds at the latest; the rest is for storing and delivering its answer. */
const HARD_BUDGET_MS = 58_000;

/** Loads the code that searches the guides. An API that nobody asks goes without its libraries. */
const loadGuideCode = () =>
  Promise.all([import('../jobs/guides/index.ts'), import('../jobs/guides/extract-answer.ts')]);

const ask = defineRoute({
  method: 'post',
  path: '/v2/support/ask',
  tag: 'Support',
  summary: 'Find out why a job went as it did, and which parameters help',
  body: askBody,
  response: askResponse,
  errors: ['SUPPORT_TIMEOUT', 'INSUFFICIENT_STORAGE'],
  async handler({ caller, body, signal }, deps) {
    const startedAt = performance.now();
    const requestId = uuidv7();
    const stored = await runSupport({ id: requestId, caller, request: body, signal, docsOnly: false }, deps);
    const { answer, isPartial } = stored ?? { answer: UNANSWERED, isPartial: true };
    const response = { requestId, ...answer, durationMs: Math.round(performance.now() - startedAt) };
    if (isPartial) throw timeoutError(response);
    return response;
  },
});

const MAX_EVIDENCE = 3;
const NOT_COVERED = 'The guides and the API reference of this service do not cover the question.';

const searchDocs = defineRoute({
  method: 'post',
  path: '/v2/support/docs-search',
  tag: 'Support',
  summary: 'Answer a question from the guides and the API reference',
  body: docsSearchBody,
  response: docsSearchResponse,
  errors: ['INSUFFICIENT_STORAGE'],
  async handler({ caller, body, baseUrl, signal }, deps) {
    const startedAt = performance.now();
    const requestId = uuidv7();
    const { question } = body;
    const [{ loadGuides }, { extractAnswer }] = await loadGuideCode();
    const { search } = await loadGuides();
    const found = search.search(question, MAX_EVIDENCE);
    const [best] = found;
    // Only workers reach a language model, so that the answer is theirs where there is one.
    const asksModel = best !== undefined && deps.config.llm !== undefined;
    const stored = asksModel
      ? await runSupport({ id: requestId, caller, request: body, signal, docsOnly: true }, deps)
      : undefined;
    return {
      requestId,
      answer: stored?.answer.answer ?? (best ? extractAnswer(question, best) : NOT_COVERED),
      evidence: found.map(({ path, title, heading, words }) => ({
        pathOrUrl: `${baseUrl}${path}`,
        reason: `The section "${heading}" of "${title}" is about ${words.join(', ')}.`,
      })),
      usage: asksModel ? await sumModelTokens(deps.db, requestId) : NO_TOKENS,
      durationMs: Math.round(performance.now() - startedAt),
    };
  },
});

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

interface SupportOrder {
  id: string;
  caller: Caller;
  request: object;
  signal: AbortSignal;
  /** Whether only the guides are to be consulted. */
  docsOnly: boolean;
}

/**
 * Stores a question, starts its workflow and waits for the answer.
 * @returns `undefined` if the workflow did not end in time
 */
async function runSupport(
  { id, caller, request, signal, docsOnly }: SupportOrder,
  { config, db, results, temporal, storage, closing }: ApiDeps,
): Promise<{ answer: StoredAnswer; isPartial: boolean } | undefined> {
  await storage.requireSpace();
  const { teamId, apiKeyId } = caller;
  const job = { id, teamId, apiKeyId, kind: 'support', target: null, request } as const;
  await insertJob(db, { ...job, ttlMs: config.resultTtlMs });
  const workflow = await temporal
    .startSupport({ jobId: id, teamId, docsOnly })
    .catch(async (error: ServiceError) => {
      await failJob(db, { jobId: id, credits: 0, error });
      throw error;
    });
  const blob = await Promise.race([
    workflow.wait(HARD_BUDGET_MS),
    rejectWhenAborted(signal, closing, 'Ask again when the service is back.'),
  ]);
  // `concludeSupport` wrote the answer in this shape.
  return blob === undefined ? undefined : JSON.parse((await results.get(blob)).toString());
}

/** The answer if the workflow has not even begun. */
const UNANSWERED: StoredAnswer = {
  answer:
    'Nothing was found out, because no worker answers support questions at the moment. Ask again later.',
  confidence: 'low',
  fixParameters: null,
  validation: null,
  feedback: { blockedBy: 'No worker with the role "models" took the question in time.', attempted: [] },
};

const timeoutError = (answer: object) =>
  new ServiceError(
    'SUPPORT_TIMEOUT',
    'The question could not be answered within 60 seconds. The response has what was found out so far.',
    { partialResult: answer },
  );

/** The routes of support. */
export const supportRoutes = [ask, searchDocs];
