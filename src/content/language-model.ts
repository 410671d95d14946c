/** The features that ask a language model. An operator can configure a model for each of these features. */
export const MODEL_FEATURES = [
  'summary',
  'json',
  'question',
  'highlights',
  'changeTracking',
  'onlyCleanContent',
  'checkPromptInjection',
  'redactPII',
  'crawl',
  'search',
  'extract',
  'agent',
  'interact',
  'support',
  'monitor',
] as const;

export type ModelFeature = (typeof MODEL_FEATURES)[number];

/** Text that the service did not write, such as that of a page. A model gets it marked as data. */
export interface PromptData {
  /** Its source in a few words, such as the URL of the page. */
  source: string;
  text: string;
}

/** A question for a language model. */
export interface Prompt {
  /** The task, in words of this service only. */
  instructions: string;
  /** The request of the user in their own words, such as a question about the page. */
  request?: string | undefined;
  data: PromptData[];
}

/** A parsed response after its check. */
export interface CheckedResponse {
  /** The value in its final form, for example without undeclared keys. */
  value: unknown;
  /** The faults of the value, in sentences for the model; empty for a valid one. */
  faults: string[];
  /**
   * The valid part of a value with faults, which is used if corrections do not help; `undefined` if there is
   * none.
   */
  rest?: unknown;
}

/** The form of a response that is data. */
export interface ResponseForm {
  /** JSON Schema of the data. Its root describes an object, because endpoints enforce no other. */
  schema: Record<string, unknown>;
  /** Checks parsed JSON. */
  check(value: unknown): CheckedResponse | Promise<CheckedResponse>;
}

/** A tool that a model may call. It is executed by the caller, never by the adapter. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of its input. */
  schema: Record<string, unknown>;
}

/** A call of a tool, as the model wrote it. Its input is JSON but not yet checked. */
export interface ModelToolCall {
  id: string;
  name: string;
  input: unknown;
}

/** A step of a conversation, as plain JSON data that can be stored between turns. */
type ConversationStep =
  | { role: 'user'; text: string; data?: PromptData[] }
  | { role: 'model'; text: string; calls: ModelToolCall[] }
  /** The result of a tool call. It reaches the model marked as data. */
  | { role: 'tool'; callId: string; name: string; result: string };

/** A conversation, and the tools of its next turn. */
export interface Conversation {
  instructions: string;
  steps: ConversationStep[];
  tools: ModelTool[];
}

/** A language model that works for one feature of one job. All methods throw ServiceError (`MODEL_…`). */
export interface LanguageModel {
  /** The number of tokens that a response may have. */
  readonly outputTokens: number;
  /** Estimates how many tokens of data fit into a prompt beside its other parts. */
  roomFor(prompt: Omit<Prompt, 'data'>, form?: Pick<ResponseForm, 'schema'>): number;
  /** Asks for text. */
  write(prompt: Prompt): Promise<string>;
  /** Asks for data. The model gets a response that is not JSON or has faults back, to correct it. */
  fill(prompt: Prompt, form: ResponseForm): Promise<unknown>;
  /** Asks for the next step of a conversation: text, calls of its tools, or both. */
  takeTurn(conversation: Conversation): Promise<Extract<ConversationStep, { role: 'model' }>>;
}

/** Characters of a token at least, on average, in European languages with markdown and URLs. */
const ASCII_PER_TOKEN = 3.2;

/** Estimates the number of tokens of a text, rather too high than too low. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) others++;
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN + others);
}

/** Cuts a text after about this many tokens, at the end of a line if there is one near. */
export function cutToTokens(text: string, tokens: number): { text: string; isCut: boolean } {
  if (estimateTokens(text) <= tokens) return { text, isCut: false };
  let length = 0;
  for (let used = 0; length < text.length; length++) {
    used += text.charCodeAt(length) > 127 ? 1 : 1 / ASCII_PER_TOKEN;
    if (used > tokens) break;
  }
  const line = text.lastIndexOf('\n', length);
  return { text: text.slice(0, line > length * 0.8 ? line : length), isCut: true };
}
