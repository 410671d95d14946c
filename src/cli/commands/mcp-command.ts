import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { defineCommand } from 'citty';
import { createMcpServer } from '../../api/mcp/mcp-server.ts';
import type { CallRoute } from '../../api/mcp/route-call.ts';
import { readConfig } from '../../config.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { createLogger } from '../../system/logger.ts';
import { sendRequest } from '../api-client.ts';
import { type ServiceConnection, withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';

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
  const client = { call: callsTo(target), disconnected: signal, closing: new AbortController().signal };
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

const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;
