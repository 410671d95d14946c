import { z } from 'zod';
import type { ModelTool } from '../../content/language-model.ts';
import type { ToolName } from '../../storage/agent-steps/tool-name.ts';
import { answerSchema } from './answer.ts';
import { PAGE_TOOLS } from './page-tools.ts';
import type { AgentTask } from './task.ts';

/**
 * The tools of agents and extracts, each with its input and what the model is told about it. None of them
 * accepts code, headers or secrets, so that no page can make a run do more than read.
 */
const WEB_TOOLS = {
  search: {
    description: 'Searches the web. The result lists URLs, which may then be opened.',
    input: z.strictObject({ query: z.string().trim().min(1).max(500) }),
    summarize: ({ query }: { query: string }) => query,
  },
  map: {
    description: 'Lists the URLs of a site, those that fit the search words best first.',
    input: z.strictObject({ url: z.string().max(2_000), search: z.string().max(500).optional() }),
    summarize: ({ url }: { url: string }) => url,
  },
  scrape: {
    description: 'Opens a page or document. The result is its text, or its beginning if it is long.',
    input: z.strictObject({ url: z.string().max(2_000) }),
    summarize: ({ url }: { url: string }) => url,
  },
  read: {
    description: 'Reads on in a page that was opened before, or reads it again.',
    input: z.strictObject({
      page: z.int().min(0).describe('the number of the page, as the result of scrape names it'),
      from: z.int().min(0).default(0).describe('the character to begin with'),
    }),
    summarize: ({ page, from }: { page: number; from: number }) => `page ${page} from character ${from}`,
  },
} as const;

/** The tools of every run. */
const COMMON_TOOLS = {
  answer: {
    description:
      'Ends the work with its result. Use only values that the opened pages contain, and leave out what they do not.',
    input: z.strictObject({
      data: z.unknown(),
      sources: z.array(z.string().max(2_000)).max(200).default([]),
    }),
    summarize: () => 'result',
  },
} as const;

const TOOLS_OF_AGENTS = { ...WEB_TOOLS, ...COMMON_TOOLS };
const TOOLS_OF_PROMPTS = { ...PAGE_TOOLS, ...COMMON_TOOLS };

/** A tool: its input, its description for the model, and a line that shows people one of its calls. */
interface Tool {
  description: string;
  input: z.ZodType;
  summarize(input: never): string;
}

type CallOf<Tools extends Record<string, Tool>> = {
  [Name in keyof Tools]: { tool: Name; input: z.output<Tools[Name]['input']>; summary: string };
}[keyof Tools];

/** A call of a tool in the browser of a session whose input has been checked. */
export type PageCall = CallOf<typeof TOOLS_OF_PROMPTS>;
/** A call of a tool whose input has been checked. */
export type CheckedCall = CallOf<typeof TOOLS_OF_AGENTS> | PageCall;

/** The part of a task that decides which tools there are. */
type ToolTask = Pick<AgentTask, 'feature'>;

/** Finds a tool by the name that a model has written. */
function findTool(name: string, { feature }: ToolTask): Tool | undefined {
  const tools: Record<string, Tool> = feature === 'interact' ? TOOLS_OF_PROMPTS : TOOLS_OF_AGENTS;
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/** Lists the names of the tools that a task may use. */
export function toolNamesOf(task: AgentTask, isLastTurn: boolean): ToolName[] {
  if (isLastTurn) return ['answer'];
  // `Object.keys` has the type of its elements only as text.
  if (task.feature === 'interact') return Object.keys(TOOLS_OF_PROMPTS) as ToolName[];
  const opening: ToolName[] = task.opensUrlsFirst && task.onlyGivenUrls ? [] : ['map', 'scrape'];
  return [...(task.searches ? (['search'] as const) : []), ...opening, 'read', 'answer'];
}

/** Describes tools to the model. @param names see {@link toolNamesOf} */
export function describeTools(names: readonly ToolName[], task: AgentTask): ModelTool[] {
  return names.flatMap((name) => {
    const tool = findTool(name, task);
    if (!tool) return [];
    const schema = name === 'answer' ? answerSchema(task.schema) : plainSchema(tool.input);
    return [{ name, description: tool.description, schema }];
  });
}

const plainSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};

/**
 * Checks a call as the model wrote it.
 * @param allowed the tools that the model was offered
 * @returns the call, or a sentence for the model about what is wrong with it
 */
export function checkCall(
  { name, input }: { name: string; input: unknown },
  { task, allowed }: { task: ToolTask; allowed: readonly ToolName[] },
): { call: CheckedCall } | { fault: string } {
  const tool = findTool(name, task);
  if (!tool || !allowed.some((each) => each === name))
    return { fault: `There is no tool ${name.slice(0, 60)} now. The tools are ${allowed.join(', ')}.` };
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) {
    const reasons = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'input'}: ${message}`,
    );
    return { fault: `The input of ${name} is wrong: ${reasons.join('; ').slice(0, 500)}.` };
  }
  // The schema and the summary belong to the same tool.
  const summarize = tool.summarize as (checked: unknown) => string;
  const summary = summarize(parsed.data).slice(0, 200);
  return { call: { tool: name, input: parsed.data, summary } as CheckedCall };
}
