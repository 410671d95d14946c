import { messageOf, ServiceError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import type { ResponseForm } from '../language-model.ts';
import { Completions } from './completions.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import type { ModelSettings } from './index.ts';
import { withServiceErrors } from './model-errors.ts';
import { promptMessages } from './prompt-messages.ts';
import { StructuredOutputs } from './structured-output.ts';

/** Whether a language model works, and how or why not, in a sentence. */
export interface ModelFinding {
  works: boolean;
  text: string;
}

const FORM: ResponseForm = {
  schema: { type: 'object', properties: { ready: { type: 'boolean' } }, required: ['ready'] },
  check: (value) => ({
    value,
    faults: isJsonObject(value) && typeof value.ready === 'boolean' ? [] : ['ready must be true or false.'],
  }),
};

/**
 * Checks every configured model: whether the endpoint responds and knows it, and which structured output works. This costs
 * a few tokens.
 * @param timeoutMs after this time, a model that has not responded counts as one that does not work
 */
export async function checkModels(settings: ModelSettings, timeoutMs: number): Promise<ModelFinding[]> {
  const endpoint = createEndpoint(settings);
  const models = new Set([settings.model, ...Object.values(settings.featureModels)]);
  const late = new AbortController();
  const message = `The language model endpoint did not respond within ${timeoutMs / 1_000} seconds.`;
  const timer = setTimeout(() => late.abort(new ServiceError('MODEL_UNAVAILABLE', message)), timeoutMs);
  const { signal } = late;
  try {
    const known = await withServiceErrors(() => endpoint.listModels(signal));
    return await Promise.all(
      [...models].map((model) => checkModel(model, { settings, endpoint, known, signal })),
    );
  } catch (error) {
    return [{ works: false, text: messageOf(error) }];
  } finally {
    clearTimeout(timer);
  }
}

async function checkModel(
  model: string,
  {
    settings: { baseUrl, outputTokens },
    endpoint,
    known,
    signal,
  }: { settings: ModelSettings; endpoint: Endpoint; known: string[] | undefined; signal: AbortSignal },
): Promise<ModelFinding> {
  const { host } = new URL(baseUrl);
  const completions = new Completions({
    endpoint,
    outputTokens,
    concurrency: 1,
    modelOf: () => model,
    withheld: { texts: [], isApiKey: async () => false },
    isBudgetSpent: async () => false,
    record: async () => undefined,
  });
  const outputs = new StructuredOutputs(completions, () => model);
  const listing =
    !known || known.includes(model) ? '' : ` The endpoint does not list it; it lists ${listed(known)}.`;
  try {
    const prompt = { instructions: 'Say whether you are ready.', request: 'Are you ready?', data: [] };
    const work = { feature: 'support' as const, teamId: '', jobId: '', signal };
    await withServiceErrors(() => outputs.fill(promptMessages(prompt), FORM, work));
    return {
      works: true,
      text: `${model} at ${host} responds; data by ${outputs.workingWith(model)}.${listing}`,
    };
  } catch (error) {
    return { works: false, text: `${model} does not work: ${messageOf(error)}${listing}` };
  }
}

const MAX_LISTED = 10;
const listed = (names: string[]) =>
  names.length === 0
    ? 'none'
    : `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ' and others' : ''}`;

/** The note for an installation without a language model. */
export const WITHOUT_MODEL =
  'none is configured, so rules derive summaries, answers and data from the words of pages; set WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL for one';
