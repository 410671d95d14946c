import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { defineCommand } from 'citty';
import { createMcpServer } from '../../api/mcp/mcp-server.ts';
import { readConfig } from '../../config.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { createLogger } from '../../system/logger.ts';
import { sendRequest } from '../api-client.ts';
import { type ServiceConnection, withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { callsTo, uploadsTo } from '../tool-calls.ts';
import { mcpCallCommand } from './mcp-call.ts';

/** `mcp`: serves the Model Context Protocol over stdio, by requests to a service; its subcommand calls one tool. */
export const mcpCommand = defineCommand({
  meta: {
    name: 'mcp',
    description:
      'serve the tools of the Model Context Protocol over stdin and stdout, for a client that starts it',
  },
  subCommands: { call: mcpCallCommand },
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
