import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from '../../system/logger.ts';
import { describeError } from '../http/error-responses.ts';
import { validate } from '../validation/validate.ts';
import { markedText } from './marked-text.ts';
import type { AnyTool, ToolContext } from './tool.ts';

/**
 * Runs a tool.
 * @param args its arguments as the client sent them
 * @returns its result; an error of the service is a result too, so that the model sees it and its code
 */
export async function callTool(
  tool: AnyTool,
  args: unknown,
  { logger, ...context }: ToolContext & { logger: Pick<Logger, 'error'> },
): Promise<CallToolResult> {
  try {
    validate(tool.input, args, 'body');
    return toResult(tool, await tool.run(args, context));
  } catch (error) {
    const { body } = describeError(error, logger);
    return {
      isError: true,
      content: [{ type: 'text', text: `${body.code}: ${body.error}` }],
      structuredContent: body,
    };
  }
}

const toResult = ({ name }: AnyTool, value: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: markedText(JSON.stringify(value), name) }],
  structuredContent: value,
});
