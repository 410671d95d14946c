import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../../errors.ts';
import type { AgentKind } from '../../job-kinds.ts';
import type { RulesReason } from '../../jobs/agent/task.ts';
import type { WebhookTarget } from '../../schemas/webhook.ts';
import { performOnce } from '../../storage/db/idempotency.ts';
import { insertRun } from '../../storage/db/jobs/agent-steps.ts';
import { isModelBudgetSpent } from '../../storage/db/teams/model-calls.ts';
import { requireOpenJob } from '../../storage/db/teams/quotas.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { requireStorage } from '../http/require-storage.ts';
import { reserveCredits } from '../http/required-credits.ts';
import type { ApiDeps } from '../http/route.ts';

/** Credits that a team must have left to start an agent or extract. */
export const RUN_MIN_CREDITS = 20;

/** An agent or extract that is requested. */
interface NewRun {
  kind: AgentKind;
  caller: Caller;
  /** The request as it is stored, without the webhook. */
  request: { urls: readonly string[] };
  webhook: WebhookTarget | undefined;
  /** The body by which a repetition of the request is recognised. */
  rawBody: unknown;
  idempotencyKey: string | undefined;
  baseUrl: string;
}

/**
 * Stores an agent or extract and starts its workflow.
 * @returns its id
 * @throws ServiceError `INSUFFICIENT_CREDITS`
 */
export async function startRun(
  { kind, caller, request, webhook, rawBody, idempotencyKey, baseUrl }: NewRun,
  deps: ApiDeps,
): Promise<string> {
  const { config, db, temporal } = deps;
  await requireStorage(deps, caller);
  const { teamId, apiKeyId } = caller;
  const call = { teamId, key: idempotencyKey, request: { kind, body: rawBody } };
  const [target = null] = request.urls;
  const { id } = await performOnce(db, call, async (query) => {
    await requireOpenJob(query, caller);
    const job = { id: uuidv7(), teamId, apiKeyId, kind, target, request, ttlMs: config.resultTtlMs };
    await insertRun(query, { ...job, webhook, baseUrl });
    await reserveCredits(query, caller, { minimum: RUN_MIN_CREDITS, jobId: job.id });
    return { id: job.id };
  });
  const host = URL.parse(target ?? '')?.host;
  await temporal.startAgent({ jobId: id, teamId, kind, host, webhook: webhook !== undefined });
  return id;
}

/**
 * Finds out why a team cannot use a language model.
 * @returns `undefined` if it can
 */
export async function findRulesReason(
  { config, db }: Pick<ApiDeps, 'config' | 'db'>,
  { teamId }: Caller,
): Promise<RulesReason | undefined> {
  if (!config.llm) return 'no-model';
  return (await isModelBudgetSpent(db, teamId)) ? 'budget-spent' : undefined;
}

/**
 * Creates the error for a request that needs a language model.
 * @param feature what was requested, as in "An agent"
 */
export function modelMissing(reason: RulesReason, feature: string, advice = ''): ServiceError {
  if (reason === 'no-model') {
    const message = `${feature} needs a language model, and this service has none. Its operator can set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL.${advice}`;
    return new ServiceError('MODEL_NOT_CONFIGURED', message);
  }
  const message = `${feature} needs a language model, and the team has used up its language model tokens of today. The operator of this service can raise the budget with \`team set --model-tokens\`; it is renewed at midnight UTC.${advice}`;
  return new ServiceError('MODEL_BUDGET_EXCEEDED', message);
}
