import type { JSONValue, ModelMessage, ToolSet } from 'ai';
import type { ModelTool, ModelToolCall } from '../content/language-model.ts';
import { isErrorCode, messageOf } from '../errors.ts';
import { createOperatorFetch } from '../fetch/net/operator-fetch.ts';
import { parseRetryAfter } from '../fetch/net/retry-after.ts';
import { fieldsOf, parseJson } from '../json/json-object.ts';

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/**
 * The name under which calls of tools that were not offered are passed on. A page may have chosen the real
 * one.
 */
const UNKNOWN_TOOL = 'unknown';

/** How to reach the endpoint of the operator. */
export interface EndpointSettings {
  /** Base URL of its OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | undefined;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** URL of an HTTP proxy. */
  proxy: string | undefined;
}

/** The field `response_format` of a request for data. */
export type ResponseFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; json_schema: { name: string; schema: Record<string, unknown>; strict: boolean } };

/** One request for a chat completion. */
interface CompletionRequest {
  model: string;
  instructions: string;
  messages: ModelMessage[];
  format?: ResponseFormat | undefined;
  tools?: readonly ModelTool[];
  maxOutputTokens: number;
  signal: AbortSignal;
}

/** A chat completion. */
export interface Completion {
  text: string;
  calls: ModelToolCall[];
  /** Whether the output limit ended it. */
  isTruncated: boolean;
  /** Tokens as the endpoint counted them; `undefined` if it did not. */
  promptTokens: number | undefined;
  outputTokens: number | undefined;
}

/**
 * Why the endpoint gave no completion.
 * - `unreachable`: there was no response.
 * - `busy`: the response was HTTP 429.
 * - `failed`: the response was another error that may pass, such as HTTP 500.
 * - `rejected`: the endpoint does not accept the request.
 * - `denied`: the endpoint does not accept the key, or does not know the URL or the model.
 * - `malformed`: the response is no chat completion.
 */
type Fault = 'unreachable' | 'busy' | 'failed' | 'rejected' | 'denied' | 'malformed';

/** An error of the endpoint. It carries neither the request, which has text of pages, nor the key. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly fault: Fault;
  /** Time that the endpoint asked to wait for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(fault: Fault, message: string, retryAfterMs?: number) {
    super(message);
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An OpenAI-compatible endpoint. */
export interface Endpoint {
  /** @throws EndpointError; after an abort the reason of the signal */
  complete(request: CompletionRequest): Promise<Completion>;
  /**
   * Lists the ids of the models that the endpoint offers.
   * @returns `undefined` if it has no such list
   * @throws EndpointError if there is no response
   */
  listModels(signal: AbortSignal): Promise<string[] | undefined>;
}

const FAULT_OF_STATUS: Record<number, Fault> = {
  400: 'rejected',
  401: 'denied',
  403: 'denied',
  404: 'denied',
  413: 'rejected',
  422: 'rejected',
  408: 'failed',
  409: 'failed',
  429: 'busy',
  501: 'rejected',
};

/** Parameters that some models do not accept. What the endpoint refuses is not sent again to that model. */
interface Quirks {
  /** Newer models of OpenAI limit the output by another parameter. */
  usesMaxCompletionTokens: boolean;
  /** Reasoning models have a fixed temperature. */
  hasFixedTemperature: boolean;
}

const NO_QUIRKS: Quirks = { usesMaxCompletionTokens: false, hasFixedTemperature: false };

/** Creates the client of an endpoint. The SDK is loaded at the first request, because that takes 0.4 s. */
export function createEndpoint(settings: EndpointSettings): Endpoint {
  return new OpenAiEndpoint(settings);
}

class OpenAiEndpoint implements Endpoint {
  readonly #settings: EndpointSettings;
  readonly #url: ReturnType<typeof splitQuery>;
  readonly #fetch: ReturnType<typeof createOperatorFetch>;
  readonly #quirks = new Map<string, Quirks>();
  #sdk: ReturnType<typeof loadSdk> | undefined;

  constructor(settings: EndpointSettings) {
    this.#settings = settings;
    this.#url = splitQuery(settings.baseUrl);
    this.#fetch = createOperatorFetch({ maxResponseBytes: MAX_RESPONSE_BYTES, proxy: settings.proxy });
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    const known = this.#quirks.get(request.model) ?? NO_QUIRKS;
    try {
      return await this.#attempt(request, known);
    } catch (error) {
      request.signal.throwIfAborted();
      const body = responseBodyOf(error);
      const learned = {
        usesMaxCompletionTokens: known.usesMaxCompletionTokens || /max_completion_tokens/.test(body),
        hasFixedTemperature: known.hasFixedTemperature || /temperature/.test(body),
      };
      if (JSON.stringify(learned) === JSON.stringify(known)) {
        const failure = toEndpointError(error, this.#settings.baseUrl);
        // Servers refuse tools with HTTP 400, 404 or 500. To send them again would not help.
        const isRefused =
          request.tools?.length && ['denied', 'failed'].includes(failure.fault) && namesTools(error);
        throw isRefused ? new EndpointError('rejected', failure.message) : failure;
      }
      this.#quirks.set(request.model, learned);
      return this.complete(request);
    }
  }

  async #attempt(request: CompletionRequest, quirks: Quirks): Promise<Completion> {
    const { base, query } = this.#url;
    this.#sdk ??= loadSdk({ ...this.#settings, base, query, fetch: this.#fetch });
    const { generateText, provider, jsonSchema, tool } = await this.#sdk;
    const { model, instructions, messages, tools = [], signal } = request;
    const toolSet: ToolSet = Object.fromEntries(
      tools.map(({ name, description, schema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(schema) }),
      ]),
    );
    const result = await generateText({
      model: provider(model),
      instructions,
      messages,
      maxRetries: 0,
      abortSignal: signal,
      ...(quirks.hasFixedTemperature ? {} : { temperature: 0 }),
      ...(tools.length > 0 && { tools: toolSet }),
      // Parameters by the name of the provider become part of the body as they are.
      providerOptions: { endpoint: bodyParameters(request, quirks) },
    });
    return {
      text: result.text,
      calls: tools.length === 0 ? [] : result.toolCalls.map((call) => toModelCall(call, tools)),
      isTruncated: result.finishReason === 'length',
      promptTokens: result.usage.inputTokens,
      outputTokens: result.usage.outputTokens,
    };
  }

  async listModels(signal: AbortSignal): Promise<string[] | undefined> {
    const { apiKey, headers, baseUrl } = this.#settings;
    const url = new URL(`${this.#url.base}/models`);
    for (const [name, value] of Object.entries(this.#url.query)) url.searchParams.set(name, value);
    const authorization: Record<string, string> =
      apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    try {
      const response = await this.#fetch(url, { headers: { ...authorization, ...headers }, signal });
      const text = await response.text();
      if (response.status === 401 || response.status === 403) throw statusError(response.status, baseUrl);
      return response.ok ? modelIds(text) : undefined;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof EndpointError ? error : unreachable(error, baseUrl);
    }
  }
}

async function loadSdk({
  apiKey,
  headers,
  base,
  query,
  fetch,
}: Pick<EndpointSettings, 'apiKey' | 'headers'> &
  ReturnType<typeof splitQuery> & { fetch: typeof globalThis.fetch }) {
  const [sdk, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ]);
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: base,
    ...(apiKey !== undefined && { apiKey }),
    headers,
    queryParams: query,
    fetch,
  });
  return { ...sdk, provider };
}

/** The parameters that the SDK does not know or that depend on the model. */
function bodyParameters(
  { format, maxOutputTokens }: CompletionRequest,
  { usesMaxCompletionTokens }: Quirks,
): Record<string, JSONValue> {
  return {
    [usesMaxCompletionTokens ? 'max_completion_tokens' : 'max_tokens']: maxOutputTokens,
    // A JSON Schema is JSON.
    ...(format && { response_format: format as unknown as JSONValue }),
  };
}

/** Hides the name of a tool that was not offered. Whoever asked refuses the call, and the model goes on. */
function toModelCall(
  { toolCallId: id, toolName: name, input }: { toolCallId: string; toolName: string; input: unknown },
  tools: readonly ModelTool[],
): ModelToolCall {
  return tools.some((tool) => tool.name === name)
    ? { id, name, input }
    : { id, name: UNKNOWN_TOOL, input: {} };
}

/** Separates the query of a base URL, in which some providers want the version of their API. */
function splitQuery(baseUrl: string): { base: string; query: Record<string, string> } {
  const url = new URL(baseUrl);
  const query = Object.fromEntries(url.searchParams);
  url.search = '';
  return { base: url.href.replace(/\/+$/, ''), query };
}

/** The ids in a list of models, `{data: [{id}]}`. An endpoint without such a list may respond with a page. */
function modelIds(text: string): string[] | undefined {
  const { data } = fieldsOf(parseJson(text));
  return Array.isArray(data) ? data.map((model) => String(fieldsOf(model).id)) : undefined;
}

/** Whether the body of an error response is about tools. */
const namesTools = (error: unknown) =>
  error instanceof Error && 'responseBody' in error && /tool/i.test(String(error.responseBody));

/** The body of an error response; empty for any other error. */
function responseBodyOf(error: unknown): string {
  const isRefusal = error instanceof Error && 'statusCode' in error && error.statusCode === 400;
  return isRefusal && 'responseBody' in error ? String(error.responseBody) : '';
}

/** The codes of the causes of an error, the deepest last. The SDK wraps those of the connection. */
function causeCodes(error: unknown): string[] {
  const codes = [];
  for (let link = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++)
    if ('code' in link && typeof link.code === 'string' && !isErrorCode(link.code)) codes.push(link.code);
  return codes;
}

/** The code of undici for a response with more than {@link MAX_RESPONSE_BYTES}. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** Converts an error of the SDK, which contains the whole request, to one that does not. */
function toEndpointError(error: unknown, baseUrl: string): EndpointError {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status !== 200) {
    const headers = 'responseHeaders' in Object(error) ? fieldsOf(fieldsOf(error).responseHeaders) : {};
    const retryAfter = headers['retry-after'];
    return statusError(
      status,
      baseUrl,
      parseRetryAfter(typeof retryAfter === 'string' ? retryAfter : undefined),
    );
  }
  const name = error instanceof Error ? error.name : '';
  if (/InvalidPrompt/.test(name)) {
    const reason = messageOf(error).slice(0, 200);
    return new EndpointError('rejected', `The prompt cannot be sent: ${reason}`);
  }
  const reported = reportedStatus(error);
  if (status === 200 && reported !== undefined) return statusError(reported, baseUrl);
  // A connection that fails before or during the response has a cause with a code.
  const codes = causeCodes(error);
  const isLost = codes.length > 0 && !codes.includes(TOO_LARGE);
  if (!isLost && (status === 200 || /InvalidResponseData|TypeValidation|JSONParse/.test(name)))
    return new EndpointError(
      'malformed',
      `The response of the language model endpoint ${hostOf(baseUrl)} is not a chat completion. Check WINNOW_LLM_BASE_URL.`,
    );
  return unreachable(error, baseUrl);
}

/**
 * The status in the body of an error that a gateway reports by HTTP 200, because it had begun with the
 * response before.
 */
function reportedStatus(error: unknown): number | undefined {
  const body = 'responseBody' in Object(error) ? parseJson(String(fieldsOf(error).responseBody)) : undefined;
  const { code } = fieldsOf(fieldsOf(body).error);
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}

function statusError(status: number, baseUrl: string, retryAfterMs?: number): EndpointError {
  const isRedirect = status >= 300 && status < 400;
  const fault = isRedirect ? 'denied' : (FAULT_OF_STATUS[status] ?? (status >= 500 ? 'failed' : 'rejected'));
  const advice: Record<string, string> = {
    401: ' Check WINNOW_LLM_API_KEY.',
    403: ' Check WINNOW_LLM_API_KEY.',
    404: ' Check WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL.',
  };
  const hint = isRedirect
    ? ', a redirect, which is not followed. Set WINNOW_LLM_BASE_URL to the URL that it leads to.'
    : `.${advice[status] ?? ''}`;
  return new EndpointError(
    fault,
    `The language model endpoint ${hostOf(baseUrl)} responded with HTTP ${status}${hint}`,
    retryAfterMs,
  );
}

/** The codes of a connection that the endpoint, or something on the way to it, has closed. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function unreachable(error: unknown, baseUrl: string): EndpointError {
  const code = causeCodes(error).at(-1);
  const reason = code === undefined ? '' : ` (${code})`;
  const host = hostOf(baseUrl);
  const message =
    code !== undefined && CLOSED.has(code)
      ? `The language model endpoint ${host} closed the connection before it had responded${reason}.`
      : `The language model endpoint ${host} cannot be reached${reason}. Check WINNOW_LLM_BASE_URL.`;
  return new EndpointError('unreachable', message);
}

/** Host and port, without the user name and password that a URL may have. */
const hostOf = (baseUrl: string) => new URL(baseUrl).host;
