import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import { readConfig } from '../../../src/config.ts';
import { findConfinement } from '../../../src/sandbox/confinement.ts';
import type { CodeResult } from '../../../src/schemas/session.ts';
import { type CodeRequest, CodeRunner } from '../../../src/sessions/code/code-runner.ts';
import { ProtocolClients } from '../../../src/sessions/protocol-clients.ts';
import { CODE_PROGRAM } from '../../sandbox/code-program.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../../support/session-browser.ts';

/** A browser, and code that runs on it. */
export interface CodeSession {
  browser: TestSessionBrowser;
  runner: CodeRunner;
  /** The tab that clients use. */
  tab: { targetId: string | undefined };
  /** Executes code, by default JavaScript for at most 30 seconds. */
  run(code: string, options?: Partial<CodeRequest> & { signal?: AbortSignal }): Promise<CodeResult>;
  [Symbol.asyncDispose](): Promise<void>;
}

const { confinement } = await findConfinement(CODE_PROGRAM);

/** Starts a browser as a session has it, with a runner for code. @param cacheDir where languages are installed */
export async function startCodeSession({ cacheDir = readConfig().cacheDir } = {}): Promise<CodeSession> {
  const browser = await startTestSessionBrowser();
  const clients = new ProtocolClients(browser.chromium.connection);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    clients.connect(socket, { onActivity: () => undefined });
  });
  server.listen(join(browser.directory.path, 'cdp.sock'));
  await once(server, 'listening');
  const tab: CodeSession['tab'] = { targetId: undefined };
  const runner = new CodeRunner({
    ...{ confinement, cacheDir, directory: browser.directory.path },
    getTargetId: () => tab.targetId,
    setTargetId(id) {
      tab.targetId = id;
    },
    logger: { warn: () => undefined, debug: () => undefined },
  });
  return {
    ...{ browser, runner, tab },
    run: (code, { signal = new AbortController().signal, ...request } = {}) =>
      runner.run({ language: 'node', timeoutMs: 30_000, code, ...request }, signal),
    async [Symbol.asyncDispose]() {
      await runner.close('The session has ended.');
      sockets.close();
      server.close();
      await browser[Symbol.asyncDispose]();
    },
  };
}
