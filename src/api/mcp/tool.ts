import type { z } from 'zod';
import type { JobType } from './jobs.ts';
import type { Reading, RouteCall, RouteResponse } from './route-call.ts';

/** A file of the machine that the client runs on, and how it is parsed. */
export interface LocalFile {
  path: string;
  /** Its media type; absent if its name tells. */
  contentType?: string | undefined;
  /** The options of `POST /v2/parse`. */
  options: Readonly<Record<string, unknown>>;
}

/** What a tool works with, besides its arguments. */
export interface ToolContext {
  /** Calls a route as the client of the tool; see `CallRoute`. */
  call: (call: RouteCall) => Promise<RouteResponse>;
  /**
   * Sends a file to `POST /v2/parse`; absent where the server runs on another machine than its client, whose paths it
   * must not read.
   */
  parseFile?: ((file: LocalFile) => Promise<RouteResponse>) | undefined;
}

/** What a tool may do (MCP, `ToolAnnotations`). */
interface ToolHints {
  /** It changes nothing and costs nothing. */
  readOnly?: true;
  /** It deletes or ends something for good. */
  destructive?: true;
  /** The same call once more changes nothing. */
  idempotent?: true;
  /** It contacts sites that the caller names or a search finds. */
  openWorld?: true;
}

/** A tool: a route, or the few that do one thing, under the name and with the parameters that clients know. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  /** Says when to use the tool, and what it returns. */
  description: string;
  /**
   * Its parameters. Those that it does not name are passed on to the route, which refuses unknown ones; an input whose
   * others are not passed on is strict.
   */
  input: Input;
  /** The result, apart from what does not fit into one response. */
  output: z.ZodType;
  hints: ToolHints;
  /** How its result is read again, because it may be too long for one response; absent if it never is. */
  readAgain?: (value: RouteResponse, args: z.input<Input>) => Reading | undefined;
  /** The job that `run` starts; it then returns the response to the start. */
  starts?: JobType;
  run: (args: z.input<Input>, context: ToolContext) => Promise<RouteResponse>;
}

/** A tool whose parameters are not known, as lists of tools contain it. */
export type AnyTool = Tool<z.ZodType>;

/** Defines a tool. The compiler checks it against the types of its parameters. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): AnyTool {
  // Safe, because `callTool` runs it only with arguments that its schema has accepted.
  return tool as unknown as AnyTool;
}
