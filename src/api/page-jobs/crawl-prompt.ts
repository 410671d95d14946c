import { v7 as uuidv7 } from 'uuid';
import type { PreviewResult } from '../../activities/preview.ts';
import { type ServiceError, toServiceError } from '../../errors.ts';
import { parseCrawlPrompt } from '../../jobs/crawl/prompt/parse-crawl-prompt.ts';
import type { CrawlParams } from '../../jobs/crawl/prompt/prompt-rules.ts';
import { insertJob } from '../../storage/db/jobs/jobs.ts';
import { failJob } from '../../storage/db/jobs/take-credits.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import type { ApiDeps } from '../http/route.ts';
import { PROMPT_NOT_UNDERSTOOD } from './job-warning.ts';

/** How long a request waits for the model, in milliseconds. */
const MODEL_WAIT_MS = 30_000;

/** The options that the prompt of a crawl describes. */
export interface DerivedOptions {
  options: Omit<CrawlParams, 'url'>;
  /** Whether any part of the prompt was understood. */
  isUnderstood: boolean;
  /** Where the options come from, and what to check. */
  warning: string;
}

/**
 * Derives options from the prompt of a crawl: by a model in a workflow, because the API never reaches one, or
 * else by rules.
 * @param request.isEncrypted whether the prompt must not be stored, so that no workflow can get it
 */
export async function deriveCrawlOptions(
  request: { url: string; prompt: string; caller: Caller; isEncrypted: boolean },
  deps: ApiDeps,
): Promise<DerivedOptions> {
  const { options, reason } =
    deps.config.llm && !request.isEncrypted ? await askModel(request, deps) : ({} as PreviewResult);
  if (options) {
    const isUnderstood = Object.keys(options).length > 0;
    const found = isUnderstood ? 'A language model derived the options from the prompt.' : NOTHING_FOUND;
    return { options, isUnderstood, warning: `${found} Check that they cover the whole prompt.` };
  }
  const { params, understood } = parseCrawlPrompt(request.url, request.prompt);
  const { url: _, ...byRules } = params;
  const isUnderstood = understood.length > 0;
  const warning = isUnderstood ? BY_RULES : PROMPT_NOT_UNDERSTOOD;
  return { options: byRules, isUnderstood, warning: reason ? `${reason} ${warning}` : warning };
}

const NOTHING_FOUND = 'A language model found no options in the prompt.';
const BY_RULES =
  'The options were derived from the prompt by rules, without a model. Check that they cover the whole prompt.';

/**
 * Has a workflow ask the model. A failure is a reason for rules instead, so that no crawl depends on the
 * model.
 */
async function askModel(
  { url, prompt, caller: { teamId, apiKeyId } }: { url: string; prompt: string; caller: Caller },
  { config, db, results, temporal }: ApiDeps,
): Promise<PreviewResult> {
  const id = uuidv7();
  const job = { id, teamId, apiKeyId, kind: 'preview', target: null, request: { url, prompt } } as const;
  await insertJob(db, { ...job, ttlMs: config.resultTtlMs });
  try {
    const workflow = await temporal.startPreview({ jobId: id, teamId });
    const blob = await workflow.wait(MODEL_WAIT_MS);
    if (blob === undefined) return { reason: 'The language model did not respond in time.' };
    // `previewCrawl` stored the result in this shape.
    return JSON.parse((await results.get(blob)).toString()) as PreviewResult;
  } catch (thrown) {
    const error: ServiceError = toServiceError(thrown);
    if (error.code === 'UNKNOWN_ERROR') throw thrown;
    await failJob(db, { jobId: id, credits: 0, error });
    return { reason: error.message };
  }
}
