import {
  type Conversation,
  estimateTokens,
  type LanguageModel,
  type ModelFeature,
  type Prompt,
  type ResponseForm,
} from '../content/language-model.ts';
import { type CompletionDeps, Completions, type ModelWork } from './completions.ts';
import { createEndpoint, type EndpointSettings } from './endpoint.ts';
import { withServiceErrors } from './model-errors.ts';
import { promptMessages } from './prompt-messages.ts';
import { StructuredOutputs } from './structured-output.ts';
import { ToolCalls } from './tool-calls.ts';
import { formsOf } from './withheld-values.ts';

export type { ModelWork } from './completions.ts';

/** The language model of the operator. */
export interface ModelSettings extends EndpointSettings {
  model: string;
  /** Other models, by the feature that uses them. */
  featureModels: Partial<Record<ModelFeature, string>>;
  /** Tokens of prompt and response together that the models accept. */
  contextTokens: number;
  /** Tokens of a response at most. */
  outputTokens: number;
  /** Calls that this process has open at once. */
  concurrency: number;
}

/** The language models of the service. */
export interface Models {
  /** Tokens that a prompt may have, with its instructions and data. */
  readonly promptTokens: number;
  /** Returns the model for some work. */
  modelFor(work: ModelWork): LanguageModel;
}

/** Tokens that the marks and rules around the parts of a prompt take. */
const FRAME_TOKENS = 400;

/** Creates the access to the language models. It connects at the first call. */
export function createModels(
  settings: ModelSettings,
  deps: Pick<CompletionDeps, 'withheld' | 'record' | 'isBudgetSpent'>,
): Models {
  const { model, featureModels, contextTokens, outputTokens, concurrency } = settings;
  const modelOf = (feature: ModelFeature) => featureModels[feature] ?? model;
  const completions = new Completions({
    ...deps,
    withheld: { ...deps.withheld, texts: formsOf(deps.withheld.texts) },
    endpoint: createEndpoint(settings),
    concurrency,
    modelOf,
    outputTokens,
  });
  const structuredOutputs = new StructuredOutputs(completions, ({ feature }) => modelOf(feature));
  const toolCalls = new ToolCalls(completions, ({ feature }) => modelOf(feature));
  const promptTokens = contextTokens - outputTokens - FRAME_TOKENS;
  return {
    promptTokens,
    modelFor: (work) => ({
      outputTokens,
      roomFor({ instructions, request = '' }: Omit<Prompt, 'data'>, form?: Pick<ResponseForm, 'schema'>) {
        const fixed = estimateTokens(`${instructions}${request}${form ? JSON.stringify(form.schema) : ''}`);
        return Math.max(0, promptTokens - fixed);
      },
      write: (prompt: Prompt) =>
        withServiceErrors(async () => (await completions.complete(promptMessages(prompt), work)).text),
      fill: (prompt: Prompt, form: ResponseForm) =>
        withServiceErrors(() => structuredOutputs.fill(promptMessages(prompt), form, work)),
      takeTurn: (conversation: Conversation) =>
        withServiceErrors(async () => ({
          role: 'model' as const,
          ...(await toolCalls.takeTurn(conversation, work)),
        })),
    }),
  };
}
