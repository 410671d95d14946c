import type { Conversation, ResponseForm } from '../content/language-model.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import { Completions, type ModelWork } from './completions.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import type { ModelSettings } from './index.ts';
import { withServiceErrors } from './model-errors.ts';
import { promptMessages } from './prompt-messages.ts';
import { StructuredOutputs } from './structured-output.ts';
import { ToolCalls } from './tool-calls.ts';

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

/** A conversation whose next step is a call of its only tool. */
const TOOL_CONVERSATION: Conversation = {
  instructions: 'Call the tool report_ready once. Write no text.',
  steps: [{ role: 'user', text: 'Report that you are ready.' }],
  tools: [{ name: 'report_ready', description: 'Reports whether you are ready.', schema: FORM.schema }],
};

/** How a model calls tools, by the way that worked. */
const TOOL_CALLS = {
  tools: 'tools by the endpoint',
  prompt: 'tools by the prompt, because the endpoint or the model does not know tool calls',
};
const NO_TOOL_CALLS = 'it calls no tools, so agents and prompts for browser sessions will hardly work';

/**
 * Checks every configured model: whether the endpoint responds and knows it, which structured output works,
 * and how it calls tools. This costs a few tokens.
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
    const toolCalls = await findToolCalls(completions, { model, work });
    return {
      works: true,
      text: `${model} at ${host} responds; data by ${outputs.workingWith(model)}; ${toolCalls}.${listing}`,
    };
  } catch (error) {
    return { works: false, text: `${model} does not work: ${messageOf(error)}${listing}` };
  }
}

/**
 * Finds how a model calls tools. A model whose other responses work is not reported as broken without them.
 */
async function findToolCalls(
  completions: Completions,
  { model, work }: { model: string; work: ModelWork },
): Promise<string> {
  const calls = new ToolCalls(completions, () => model);
  try {
    await withServiceErrors(() => calls.takeTurn(TOOL_CONVERSATION, work));
  } catch (error) {
    return `its tool calls could not be checked: ${messageOf(error)}`.replace(/\.$/, '');
  }
  const way = calls.workingWith(model);
  return way === undefined ? NO_TOOL_CALLS : TOOL_CALLS[way];
}

const MAX_LISTED = 10;
const listed = (names: string[]) =>
  names.length === 0
    ? 'none'
    : `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ' and others' : ''}`;
