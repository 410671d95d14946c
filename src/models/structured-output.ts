import type { CheckedResponse, ResponseForm } from '../content/language-model.ts';
import { ServiceError } from '../errors.ts';
import { parseCompletion } from './completion-text.ts';
import type { Completions, ModelWork } from './completions.ts';
import { EndpointError, type ResponseFormat } from './endpoint.ts';
import type { Messages } from './prompt-messages.ts';

/**
 * Ways to get data from an endpoint, the most reliable one first: the endpoint enforces the schema, it
 * enforces JSON and the schema is part of the prompt, or everything is only asked for.
 */
const STRUCTURED_OUTPUTS = ['json_schema', 'json_object', 'prompt'] as const;
export type StructuredOutput = (typeof STRUCTURED_OUTPUTS)[number];

/** A response with faults is asked for again this many times. */
const MAX_CORRECTIONS = 2;
/** Faults that the model is told at once. */
const MAX_FAULTS = 20;

/** Gets data from the endpoint, in the most reliable way that works with the model. */
export class StructuredOutputs {
  readonly #completions: Completions;
  readonly #modelOf: (work: ModelWork) => string;
  /** The way that worked last, by model. */
  readonly #working = new Map<string, StructuredOutput>();

  constructor(completions: Completions, modelOf: (work: ModelWork) => string) {
    this.#completions = completions;
    this.#modelOf = modelOf;
  }

  /** Returns the way that worked last with a model; `undefined` before the first response. */
  workingWith(model: string): StructuredOutput | undefined {
    return this.#working.get(model);
  }

  /**
   * Asks for data. Where the endpoint refuses or ignores a way, the next one is tried and remembered.
   * @throws ServiceError `MODEL_RESPONSE_UNUSABLE` for a response that stays without JSON or with faults;
   * everything that
   *   {@link Completions.complete} throws
   */
  async fill(messages: Messages, form: ResponseForm, work: ModelWork): Promise<unknown> {
    const model = this.#modelOf(work);
    const known = this.#working.get(model);
    const ways = STRUCTURED_OUTPUTS.slice(known === undefined ? 0 : STRUCTURED_OUTPUTS.indexOf(known));
    let refusal: unknown;
    for (const way of ways) {
      try {
        const value = await this.#fillIn(way, { messages, form, work, isLast: way === ways.at(-1) });
        if (value === undefined) continue;
        this.#working.set(model, way);
        return value.value;
      } catch (error) {
        if (!(error instanceof EndpointError && error.fault === 'rejected')) throw error;
        refusal ??= error;
      }
    }
    throw refusal ?? unusable(NOT_JSON.faults);
  }

  /**
   * Asks for data in one way, and again with the faults of the response.
   * @returns `undefined` if the first response is no JSON, although there are other ways
   */
  async #fillIn(
    way: StructuredOutput,
    {
      messages,
      form,
      work,
      isLast,
    }: { messages: Messages; form: ResponseForm; work: ModelWork; isLast: boolean },
  ): Promise<{ value: unknown } | undefined> {
    const conversation = [...messages.messages];
    const instructions = `${messages.instructions}\n\n${jsonRules(way, form)}`;
    let last = NOT_JSON;
    for (let corrections = 0; corrections <= MAX_CORRECTIONS; corrections++) {
      let checked = NOT_JSON;
      const { text } = await this.#completions.complete(
        {
          instructions,
          messages: conversation,
          mark: messages.mark,
          format: formatOf(way, form),
          async isValid(response) {
            checked = await checkResponse(response, form);
            return checked.faults.length === 0;
          },
        },
        work,
      );
      if (checked.faults.length === 0) return { value: checked.value };
      if (checked === NOT_JSON && !isLast) return undefined;
      const isRepeated = corrections > 0 && checked.faults.join() === last.faults.join();
      last = checked;
      if (isRepeated) break;
      conversation.push(
        { role: 'assistant', content: text },
        { role: 'user', content: correctionOf(checked.faults) },
      );
    }
    if (last.rest !== undefined) return { value: last.rest };
    throw unusable(last.faults);
  }
}

const NOT_JSON: CheckedResponse = { value: undefined, faults: ['It is not JSON.'] };

const unusable = (faults: string[]) =>
  new ServiceError(
    'MODEL_RESPONSE_UNUSABLE',
    `The language model gave no usable data. ${faults.slice(0, 3).join(' ').slice(0, 500)}`,
  );

async function checkResponse(text: string, form: ResponseForm): Promise<CheckedResponse> {
  const parsed = parseCompletion(text);
  return parsed ? form.check(parsed.value) : NOT_JSON;
}

function formatOf(way: StructuredOutput, { schema }: ResponseForm): ResponseFormat | undefined {
  if (way === 'prompt') return undefined;
  if (way === 'json_object') return { type: 'json_object' };
  // The strict variant allows only a part of JSON Schema, so schemas of users would be refused.
  return { type: 'json_schema', json_schema: { name: 'response', schema, strict: false } };
}

function jsonRules(way: StructuredOutput, { schema }: ResponseForm): string {
  const rule = 'Respond with JSON only: no explanation, no code fence.';
  return way === 'json_schema'
    ? rule
    : `${rule} It must be valid for this JSON Schema:\n${JSON.stringify(schema)}`;
}

const correctionOf = (faults: string[]) =>
  `Your response has faults:\n${faults
    .slice(0, MAX_FAULTS)
    .map((fault) => `- ${fault}`)
    .join('\n')}\nRespond with the corrected JSON only, complete and without an explanation.`;
