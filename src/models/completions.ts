import { performance } from 'node:perf_hooks';
import { estimateTokens, type ModelFeature, type ModelTool } from '../content/language-model.ts';
import { ServiceError } from '../errors.ts';
import type { ModelCall } from '../storage/db/teams/model-calls.ts';
import { CallSlots } from '../system/call-slots.ts';
import { pause } from '../system/pause.ts';
import { cleanCompletion } from './completion-text.ts';
import { type Completion, type Endpoint, EndpointError, type ResponseFormat } from './endpoint.ts';
import type { Messages } from './prompt-messages.ts';
import { carriesWithheldValue, type WithheldValues } from './withheld-values.ts';

/** The work that a model is asked for: one feature of one job. */
export interface ModelWork {
  feature: ModelFeature;
  teamId: string;
  jobId: string;
  /** Aborts a call; its reason is thrown. */
  signal: AbortSignal;
  /**
   * When the work must have ended, as a value of `performance.now()`. A wait that would exceed it is not
   * begun.
   */
  endsAt?: number | undefined;
  /** Called after each call of the model, whether it could be used or not. */
  onCall?: ((call: ModelCall) => void) | undefined;
}

/** A question for the model, and what the response is like. */
export interface Question extends Messages {
  format?: ResponseFormat | undefined;
  tools?: readonly ModelTool[];
  /** Whether a response has what was asked for. It only decides what the accounting says of the call. */
  isValid?(text: string): Promise<boolean>;
}

/** Dependencies of completions. */
export interface CompletionDeps {
  endpoint: Endpoint;
  withheld: WithheldValues;
  /** Stores what a call cost. */
  record(call: ModelCall): Promise<void>;
  /** Returns whether a team has used up the tokens that it may use today. */
  isBudgetSpent(teamId: string): Promise<boolean>;
  /** Maximum number of calls at once. */
  concurrency: number;
  modelOf(feature: ModelFeature): string;
  outputTokens: number;
}

/** A response that is complete and not empty. Its text has no reasoning and no code fence around it. */
export type FullCompletion = Pick<Completion, 'text' | 'calls'>;

/** Requests that fail with an error that may pass are sent this many times. */
const MAX_ATTEMPTS = 5;
/**
 * If there is no response at all, they are sent only this many times, because the endpoint may be down for
 * long.
 */
const MAX_UNREACHABLE_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** Prompts with fewer words are not checked for silent truncation. */
const MIN_CHECKED_WORDS = 500;
/**
 * An endpoint that counts fewer tokens than this share of the words has cut the prompt, because no word is
 * less than a token.
 */
const MIN_TOKENS_PER_WORD = 0.75;

/**
 * Sends questions to the endpoint: within the budget of the team, a limited number at once, and again after
 * errors that may pass. It records what each call cost.
 */
export class Completions {
  readonly #deps: CompletionDeps;
  readonly #slots: CallSlots;

  constructor(deps: CompletionDeps) {
    this.#deps = deps;
    this.#slots = new CallSlots(deps.concurrency);
  }

  /**
   * Asks a question.
   * @throws ServiceError `MODEL_BUDGET_EXCEEDED`, `MODEL_PROMPT_WITHHELD`, or `MODEL_RESPONSE_UNUSABLE` for a
   * response that
   *   is empty or was cut; EndpointError if there is no response; the reason of the signal
   */
  async complete(question: Question, work: ModelWork): Promise<FullCompletion> {
    await this.#checkPrompt(question, work);
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#slots.run(() => this.#attempt(question, work), {
          owner: work.teamId,
          signal: work.signal,
        });
      } catch (error) {
        const ms = retryPauseMs(error, attempts);
        if (ms === undefined || (work.endsAt !== undefined && performance.now() + ms > work.endsAt))
          throw error;
        await pause(ms, work.signal);
        work.signal.throwIfAborted();
      }
    }
  }

  async #checkPrompt(question: Question, { teamId }: ModelWork): Promise<void> {
    const { withheld, isBudgetSpent } = this.#deps;
    if (await isBudgetSpent(teamId)) {
      throw new ServiceError(
        'MODEL_BUDGET_EXCEEDED',
        'The team has used up its language model tokens of today. The operator of this service can raise the budget with `team set --model-tokens`; it is renewed at midnight UTC.',
      );
    }
    if (await carriesWithheldValue(promptText(question), withheld)) {
      throw new ServiceError(
        'MODEL_PROMPT_WITHHELD',
        'The prompt contained a key, a setting or a path of this service, so it was not sent to the language model. Remove it from the request or the page.',
      );
    }
  }

  /** Sends the question once, and records the call. */
  async #attempt(question: Question, work: ModelWork): Promise<FullCompletion> {
    const { endpoint, modelOf, outputTokens } = this.#deps;
    const model = modelOf(work.feature);
    const { instructions, messages, format, tools } = question;
    const startedAt = performance.now();
    const record = (outcome: ModelCall['outcome'], completion?: Completion) => {
      const call = {
        teamId: work.teamId,
        jobId: work.jobId,
        feature: work.feature,
        model,
        outcome,
        promptTokens: completion ? (completion.promptTokens ?? estimateTokens(promptText(question))) : 0,
        outputTokens: completion ? (completion.outputTokens ?? estimateTokens(completion.text)) : 0,
        ms: Math.round(performance.now() - startedAt),
      };
      work.onCall?.(call);
      return this.#deps.record(call);
    };
    let completion: Completion;
    try {
      completion = await endpoint.complete({
        model,
        instructions,
        messages,
        format,
        maxOutputTokens: outputTokens,
        signal: work.signal,
        ...(tools && { tools }),
      });
    } catch (error) {
      await record(error instanceof EndpointError ? error.fault : 'aborted');
      throw error;
    }
    const text = cleanCompletion(completion.text);
    const fault = this.#findFault(question, { ...completion, text });
    const isValid = fault || !question.isValid || (await question.isValid(text));
    await record(fault?.outcome ?? (isValid ? 'ok' : 'invalid'), completion);
    if (fault) throw new ServiceError('MODEL_RESPONSE_UNUSABLE', fault.message);
    return { text, calls: completion.calls };
  }

  /**
   * Finds out whether a response was cut, is empty, gives the prompt away, or responds to a prompt that the
   * endpoint has cut.
   */
  #findFault(question: Question, { text, calls, isTruncated, promptTokens }: Completion) {
    const words = countWords(promptText(question));
    const isPromptCut =
      words > MIN_CHECKED_WORDS && promptTokens !== undefined && promptTokens < words * MIN_TOKENS_PER_WORD;
    if (isPromptCut) {
      const message = `The language model endpoint cut the prompt: it counted ${promptTokens} tokens of at least ${words}. Let the endpoint accept longer prompts, or set WINNOW_LLM_CONTEXT_TOKENS to what it accepts.`;
      return { outcome: 'prompt_cut' as const, message };
    }
    if (isTruncated) {
      const message = `The response of the language model was cut after ${this.#deps.outputTokens} tokens. Raise WINNOW_LLM_OUTPUT_TOKENS, or ask for less.`;
      return { outcome: 'truncated' as const, message };
    }
    if (text.includes(question.mark)) {
      const message =
        'The response of the language model repeated its prompt, as a page may have told it to.';
      return { outcome: 'invalid' as const, message };
    }
    if (text === '' && calls.length === 0)
      return { outcome: 'empty' as const, message: 'The response of the language model was empty.' };
    return undefined;
  }
}

/**
 * Decides whether a failed attempt is repeated.
 * @returns milliseconds to wait before; `undefined` if it is not repeated
 */
function retryPauseMs(error: unknown, attempts: number): number | undefined {
  if (!(error instanceof EndpointError)) return undefined;
  const { fault } = error;
  const most =
    fault === 'unreachable'
      ? MAX_UNREACHABLE_ATTEMPTS
      : fault === 'busy' || fault === 'failed'
        ? MAX_ATTEMPTS
        : 1;
  if (attempts >= most) return undefined;
  return error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempts - 1);
}

/** All text of a question, as the endpoint receives it. */
function promptText({ instructions, messages }: Pick<Messages, 'instructions' | 'messages'>): string {
  const parts = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.map((part) => ('text' in part ? part.text : JSON.stringify(part))),
  );
  return [instructions, ...parts].join('\n');
}

/** Counts words; in languages without spaces, four characters count as one. */
function countWords(text: string): number {
  const ascii = text.match(/[A-Za-z0-9]+/g)?.length ?? 0;
  const others = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return ascii + Math.floor(others / 4);
}
