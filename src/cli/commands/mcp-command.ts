import { once } from 'node:events';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { defineCommand } from 'citty';
import type { ParseFile } from '../../api/mcp/call-tool.ts';
import { createMcpServer } from '../../api/mcp/mcp-server.ts';
import type { CallRoute } from '../../api/mcp/route-call.ts';
import { readConfig } from '../../config.ts';
import { quote, ServiceError } from '../../errors.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { createLogger } from '../../system/logger.ts';
import { sendRequest } from '../api-client.ts';
import { type ServiceConnection, withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { openFile } from '../open-file.ts';

/** `mcp`: serves the Model Context Protocol over stdio, by requests to a service. */
export const mcpCommand = defineCommand({
  meta: {
    name: 'mcp',
    description:
      'serve the tools of the Model Context Protocol over stdin and stdout, for a client that starts it',
  },
  async run() {
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const { signal } = interrupt;
    await withConnection({ config: readConfig(), progress, interrupt }, async (target) => {
      // A wrong URL or key is told at once, and not as the result of a tool.
      await sendRequest(target, { method: 'GET', path: '/v2/team/credit-usage' }, signal);
      await serveUntilClosed(target, signal);
    });
  },
});

async function serveUntilClosed(target: ServiceConnection, signal: AbortSignal): Promise<void> {
  const ended = once(process.stdin, 'end', { signal });
  const client = {
    call: callsTo(target),
    parseFile: uploadsTo(target),
    disconnected: signal,
    closing: new AbortController().signal,
  };
  // Stdout belongs to the protocol; errors that nobody expected are told by the service.
  const logger = createLogger('cli', 'silent');
  const handle = serveStdio(({ era }) => createMcpServer(era, client, logger));
  try {
    await ended;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await handle.close();
  }
}

/** Calls routes over HTTP. */
const callsTo =
  (target: ServiceConnection): CallRoute =>
  async ({ method, path, params = {}, query = {}, body }, disconnected) => {
    const pathname = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    );
    const request = {
      method: METHODS[method],
      path: search.size > 0 ? `${pathname}?${search}` : pathname,
      ...(body !== undefined && { body }),
    };
    return { ...(await sendRequest(target, request, disconnected)) };
  };

/** Reads files of this machine, which is that of the client, and uploads them. */
const uploadsTo =
  (target: ServiceConnection): ParseFile =>
  async ({ path, contentType, options }, disconnected) => {
    const file = pathOf(path);
    const blob = await openFile(file);
    const form = new FormData();
    form.append('options', JSON.stringify(options));
    form.append('file', contentType ? new Blob([blob], { type: contentType }) : blob, basename(file));
    return { ...(await sendRequest(target, { method: 'POST', path: '/v2/parse', form }, disconnected)) };
  };

/**
 * The absolute path that a model means, which has no shell that replaces `~`.
 * @throws ServiceError `BAD_REQUEST` for the URL of a file on another machine
 */
function pathOf(path: string): string {
  if (/^file:/i.test(path)) {
    try {
      return fileURLToPath(path);
    } catch (cause) {
      throw new ServiceError('BAD_REQUEST', `${quote(path)} is not the URL of a file here. Send its path.`, {
        cause,
      });
    }
  }
  return /^~(\/|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(path);
}

const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;
