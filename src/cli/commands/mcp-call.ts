import { text } from 'node:stream/consumers';
import { ProtocolError } from '@modelcontextprotocol/server';
import { defineCommand } from 'citty';
import { callTool } from '../../api/mcp/call-tool.ts';
import { requireTool } from '../../api/mcp/mcp-server.ts';
import type { AnyTool } from '../../api/mcp/tool.ts';
import { readConfig } from '../../config.ts';
import { isErrorCode, messageOf, ServiceError } from '../../errors.ts';
import { fieldsOf, isJsonObject } from '../../json/json-object.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { createLogger } from '../../system/logger.ts';
import { type ServiceConnection, withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { callsTo, uploadsTo } from '../tool-calls.ts';

/** `mcp call`: calls one tool as a client of the Model Context Protocol does, and prints its result. */
export const mcpCallCommand = defineCommand({
  meta: { name: 'call', description: 'call one tool as a client does, and print its result' },
  args: {
    tool: { type: 'positional', description: 'name of the tool', required: true },
    arguments: {
      type: 'positional',
      description: 'its arguments as a JSON object; - reads them from stdin',
      default: '{}',
    },
    text: { type: 'boolean', description: 'print the text that a model gets, in place of the JSON' },
  },
  async run({ args }) {
    const tool = findTool(args.tool);
    const given = await readArguments(args.arguments);
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const { signal } = interrupt;
    const result = await withConnection({ config: readConfig(), progress, interrupt }, (target) =>
      progress.step(`Calling ${tool.name}`, ({ detail }) =>
        callTo(target, { tool, args: given, signal, tell: detail }),
      ),
    );
    const lines = result.content.map((part) => (part.type === 'text' ? part.text : ''));
    const json = JSON.stringify(result.structuredContent, null, 2);
    process.stdout.write(`${args.text ? lines.join('\n') : json}\n`);
  },
});

type Arguments = Record<string, unknown>;

/** @throws ServiceError `BAD_REQUEST` if there is no tool of that name */
function findTool(name: string): AnyTool {
  try {
    return requireTool(name);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw new ServiceError('BAD_REQUEST', cause.message, { cause });
  }
}

/** @throws ServiceError `BAD_REQUEST` unless the text is a JSON object */
async function readArguments(given: string): Promise<Arguments> {
  const json = given === '-' ? await text(process.stdin) : given;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new ServiceError(
      'BAD_REQUEST',
      `The arguments of the tool are not JSON: ${messageOf(cause)}. Write them as '{"url": "https://example.com"}', or send them to stdin and write -.`,
      { cause },
    );
  }
  if (isJsonObject(parsed)) return parsed;
  throw new ServiceError(
    'BAD_REQUEST',
    `The arguments of the tool are ${json}. Write a JSON object, such as '{"url": "https://example.com"}'.`,
  );
}

interface Call {
  tool: AnyTool;
  args: Arguments;
  signal: AbortSignal;
  /** Tells the user how far a long call is. */
  tell: (text: string) => void;
}

/** Calls a tool. @throws ServiceError if its result is an error */
async function callTo(target: ServiceConnection, { tool, args, signal, tell }: Call) {
  const result = await callTool(tool, args, {
    call: callsTo(target),
    parseFile: uploadsTo(target),
    disconnected: signal,
    closing: new AbortController().signal,
    notify: async ({ message }) => tell(message),
    knowsTasks: false,
    logger: createLogger('cli', 'silent'),
  });
  signal.throwIfAborted();
  const { code, error } = fieldsOf(result.structuredContent);
  if (result.isError && typeof error === 'string')
    throw new ServiceError(isErrorCode(code) ? code : 'UNKNOWN_ERROR', error);
  return result;
}
