import { randomUUID } from 'node:crypto';
import type { Conversation, ModelTool, ModelToolCall } from '../content/language-model.ts';
import { isJsonObject, parseJson } from '../json/json-object.ts';
import { parseCompletion } from './completion-text.ts';
import type { Completions, FullCompletion, ModelWork } from './completions.ts';
import { EndpointError } from './endpoint.ts';
import { conversationMessages, plainMessages } from './prompt-messages.ts';

/**
 * Ways in which a model calls tools: the endpoint knows tools, or the tools are a part of the prompt and the
 * calls are JSON in the text of the response.
 */
type ToolWay = 'tools' | 'prompt';

/** Gets the next step of conversations, in a way of calling tools that works with the model. */
export class ToolCalls {
  readonly #completions: Completions;
  readonly #modelOf: (work: ModelWork) => string;
  /** The way in which a model has called a tool, by model. */
  readonly #working = new Map<string, ToolWay>();

  constructor(completions: Completions, modelOf: (work: ModelWork) => string) {
    this.#completions = completions;
    this.#modelOf = modelOf;
  }

  /** Returns the way in which a model has called a tool; `undefined` before the first call. */
  workingWith(model: string): ToolWay | undefined {
    return this.#working.get(model);
  }

  /**
   * Asks for the next step. Where the endpoint refuses tools, or the model has never called one and does not
   * do so now, the tools are described in the prompt; what leads to a call is remembered.
   * @throws everything that {@link Completions.complete} throws
   */
  async takeTurn(conversation: Conversation, work: ModelWork): Promise<FullCompletion> {
    const model = this.#modelOf(work);
    const known = this.#working.get(model);
    if (conversation.tools.length === 0) return this.#ask('tools', conversation, work);
    if (known === 'prompt') return this.#ask('prompt', conversation, work);
    let refusal: EndpointError | undefined;
    let reply: FullCompletion | undefined;
    try {
      reply = await this.#ask('tools', conversation, work);
    } catch (error) {
      if (!(error instanceof EndpointError && error.fault === 'rejected')) throw error;
      refusal = error;
    }
    if (reply && (reply.calls.length > 0 || known === 'tools')) {
      this.#working.set(model, 'tools');
      return reply;
    }
    const described = await this.#askByPrompt(conversation, work);
    if (described && described.calls.length > 0) this.#working.set(model, 'prompt');
    const best = described?.calls.length ? described : (reply ?? described);
    if (best) return best;
    throw refusal;
  }

  /**
   * @returns `undefined` if the endpoint refuses this too, so that the refusal of the tools is the one that
   * is reported
   */
  async #askByPrompt(conversation: Conversation, work: ModelWork): Promise<FullCompletion | undefined> {
    try {
      return await this.#ask('prompt', conversation, work);
    } catch (error) {
      if (error instanceof EndpointError && error.fault === 'rejected') return undefined;
      throw error;
    }
  }

  async #ask(way: ToolWay, { tools, ...rest }: Conversation, work: ModelWork): Promise<FullCompletion> {
    const messages = conversationMessages(rest);
    const question =
      way === 'tools'
        ? { ...messages, tools }
        : {
            ...messages,
            instructions: `${messages.instructions}\n\n${toolRules(tools)}`,
            messages: plainMessages(messages.messages),
          };
    const reply = await this.#completions.complete(question, work);
    if (reply.calls.length > 0) return reply;
    const calls = callsInText(reply.text, tools);
    return calls.length > 0 ? { text: '', calls } : reply;
  }
}

/** Describes tools in the prompt. */
const toolRules = (tools: readonly ModelTool[]) =>
  `Act by calling tools. Respond with JSON only, without an explanation, in this form: {"calls": [{"name": "the name of a tool", "input": {}}]}. The results come in the next message. The tools, each with the JSON Schema of its input:\n${tools
    .map(({ name, description, schema }) => `- ${name}: ${description} ${JSON.stringify(schema)}`)
    .join('\n')}`;

/**
 * A call in the form that the templates of many open models teach them, which servers without a parser for it
 * pass on as text.
 */
const TAGGED_CALL = /<tool_call>([\s\S]*?)<\/tool_call>/g;

/** A code fence at the end of a text. */
const LAST_FENCE = /```(?:json)?[ \t]*\n([^`]*)\n?```$/;

/**
 * Finds calls of tools in the text of a response. It must end with them, because a model may also quote a
 * page; before them, models may explain what they do.
 */
function callsInText(text: string, tools: readonly Pick<ModelTool, 'name'>[]): ModelToolCall[] {
  const parsed = text.endsWith('</tool_call>')
    ? [...text.matchAll(TAGGED_CALL)].map(([, json = '']) => parseCompletion(json)?.value)
    : listOf(parseJson(LAST_FENCE.exec(text)?.[1] ?? text));
  const calls = parsed.flatMap((value) => toCall(value) ?? []);
  const isOffered = calls.every((call) => tools.some(({ name }) => name === call.name));
  return isOffered && calls.length === parsed.length ? calls : [];
}

function listOf(value: unknown): unknown[] {
  if (isJsonObject(value) && Array.isArray(value.calls)) return value.calls;
  return Array.isArray(value) ? value : [value];
}

/** Reads a call in the forms that models use. */
function toCall(value: unknown): ModelToolCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name } = isJsonObject(value.function) ? value.function : value;
  const { input, arguments: args, parameters } = isJsonObject(value.function) ? value.function : value;
  const given = input ?? args ?? parameters;
  const parsed = typeof given === 'string' ? parseJson(given) : given;
  return typeof name === 'string' && isJsonObject(parsed)
    ? { id: `call-${randomUUID()}`, name, input: parsed }
    : undefined;
}
