import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from '../../system/logger.ts';
import { describeError } from '../http/error-responses.ts';
import { validate } from '../validation/validate.ts';
import { followJob, type Waiting } from './follow-job.ts';
import { markedText } from './marked-text.ts';
import type { RouteCall, RouteResponse } from './route-call.ts';
import { createTask } from './tasks.ts';
import type { AnyTool } from './tool.ts';

/** The client of a call. */
export interface ToolClient extends Waiting {
  /** Whether it follows long calls as tasks. */
  knowsTasks: boolean;
  logger: Pick<Logger, 'error'>;
}

/**
 * Runs a tool.
 * @param args its arguments as the client sent them
 * @returns its result; an error of the service is a result too, so that the model sees it and its code
 */
export async function callTool(tool: AnyTool, args: unknown, client: ToolClient): Promise<CallToolResult> {
  const call = (each: RouteCall) => client.call(each, client.disconnected);
  try {
    validate(tool.input, args, 'body');
    const response = await tool.run(args, { call });
    const { starts } = tool;
    if (!starts) return toResult(tool.name, response);
    const id = String(response.id);
    if (client.knowsTasks) return await createTask(starts, id, call);
    return toResult(tool.name, starts.waits ? await followJob(starts, id, client) : response);
  } catch (error) {
    return errorResult(error, client.logger);
  }
}

function errorResult(error: unknown, logger: Pick<Logger, 'error'>): CallToolResult {
  const { body } = describeError(error, logger);
  return {
    isError: true,
    content: [{ type: 'text', text: `${body.code}: ${body.error}` }],
    structuredContent: body,
  };
}

/** The result of a tool. A job that has failed is an error, although its state was read. */
export const toResult = (name: string, value: RouteResponse): CallToolResult => ({
  ...(value.status === 'failed' && { isError: true }),
  content: [{ type: 'text', text: markedText(JSON.stringify(value), name) }],
  structuredContent: value,
});
