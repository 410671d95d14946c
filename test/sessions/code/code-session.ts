import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import type { CodeResult } from '../../../src/schemas/session.ts';
import type { CodeRequest, CodeRunner, SharedTab } from '../../../src/sessions/code/code-runner.ts';
import { Downloads } from '../../../src/sessions/downloads/downloads.ts';
import { ProtocolClients } from '../../../src/sessions/protocol/protocol-clients.ts';
import { giveToSession, PROTOCOL_SOCKET } from '../../../src/sessions/session-directory.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../../support/sessions/session-browser.ts';

/** A browser, and code that runs on it. */
export interface CodeSession {
  browser: TestSessionBrowser;
  runner: CodeRunner;
  /** The tab that clients use. */
  tab: { targetId: string | undefined };
  /**
   * Executes code, by default JavaScript. It has as long as the test, because a busy machine takes its time.
   */
  run(code: string, options?: Partial<CodeRequest> & { signal?: AbortSignal }): Promise<CodeResult>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a browser as a session has it, with a runner for code.
 * @param cacheDir where languages are installed
 */
export async function startCodeSession(options: { cacheDir?: string } = {}): Promise<CodeSession> {
  const browser = await startTestSessionBrowser(options);
  const clients = new ProtocolClients(browser.chromium.connection, {
    downloads: browser.downloads,
    files: new Downloads(browser.directory.downloads),
  });
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    clients.connect(socket, { onActivity: () => undefined, isOfCode: true });
  });
  const socket = join(browser.directory.protocol, PROTOCOL_SOCKET);
  server.listen(socket);
  await once(server, 'listening');
  await giveToSession(socket);
  const tab: CodeSession['tab'] = { targetId: undefined };
  const shared: SharedTab = {
    get: () => tab.targetId,
    set(id) {
      tab.targetId = id;
    },
  };
  return {
    browser,
    runner: browser.code,
    tab,
    run: (code, { signal = new AbortController().signal, ...request } = {}) =>
      browser.code.run({ language: 'node', timeoutMs: 150_000, code, ...request }, { tab: shared, signal }),
    async [Symbol.asyncDispose]() {
      sockets.close();
      server.close();
      await browser[Symbol.asyncDispose]();
    },
  };
}
