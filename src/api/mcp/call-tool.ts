import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from '../../system/logger.ts';
import { describeError } from '../http/error-responses.ts';
import { validate } from '../validation/validate.ts';
import { followJob, type Waiting } from './follow-job.ts';
import type { RouteCall, RouteResponse } from './route-call.ts';
import { createTask } from './tasks.ts';
import type { AnyTool, LocalFile } from './tool.ts';
import { toResult } from './tool-result.ts';

/** The client of a call. */
export interface ToolClient extends Waiting {
  /** Whether it follows long calls as tasks. */
  knowsTasks: boolean;
  logger: Pick<Logger, 'error'>;
  /** See `ToolContext`. */
  parseFile?: ParseFile | undefined;
}

/** Sends a file of the machine of the client. @param disconnected ends the wait when it fires */
export type ParseFile = (file: LocalFile, disconnected: AbortSignal) => Promise<RouteResponse>;

/**
 * Runs a tool.
 * @param sent its arguments as the client sent them; undefined if `params` has no `arguments`
 * @returns its result; an error of the service is a result too, so that the model sees it and its code
 */
export async function callTool(tool: AnyTool, sent: unknown, client: ToolClient): Promise<CallToolResult> {
  const { disconnected, parseFile: send } = client;
  const call = (each: RouteCall) => client.call(each, disconnected);
  const parseFile = send && ((file: LocalFile) => send(file, disconnected));
  try {
    const args = requireArguments(tool, sent);
    const response = await tool.run(args, { call, parseFile });
    const { starts, name } = tool;
    const id = String(response.id);
    if (starts && client.knowsTasks) return await createTask(starts, id, call);
    const value = starts?.waits ? await followJob(starts, id, client) : response;
    return toResult(name, value, tool.readAgain?.(value, args));
  } catch (error) {
    return errorResult(error, client.logger);
  }
}

/** @throws ServiceError `BAD_REQUEST` that tells the mistakes, and where arguments belong if there are none */
function requireArguments(tool: AnyTool, sent: unknown): unknown {
  const args = sent ?? {};
  const where = 'The call has no arguments: send those of the tool in params.arguments. ';
  validate(tool.input, args, 'body', sent === undefined ? where : undefined);
  return args;
}

function errorResult(error: unknown, logger: Pick<Logger, 'error'>): CallToolResult {
  const { body } = describeError(error, logger);
  return {
    isError: true,
    content: [{ type: 'text', text: `${body.code}: ${body.error}` }],
    structuredContent: body,
  };
}
