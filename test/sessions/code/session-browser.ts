import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CdpConnection, CdpMessage } from '../../../src/browser/chromium/cdp.ts';
import { launchChromium } from '../../../src/browser/chromium/launch-chromium.ts';
import { readConfig } from '../../../src/config.ts';
import { findChromium } from '../../../src/embedded/chromium.ts';
import { giveToSandbox } from '../../../src/sandbox/confinement.ts';

/** A browser with the directory that a session has. */
export interface SessionBrowser {
  /** It has `cdp.sock` and `downloads`. */
  directory: string;
  connection: CdpConnection;
  close(): Promise<void>;
}

/** Starts a browser with one tab and no access to the network but 127.0.0.1. */
export async function startSessionBrowser(): Promise<SessionBrowser> {
  const { path: executablePath } = await findChromium(readConfig());
  const logger = { warn: () => undefined };
  // No page leaves this machine, and pages of this machine need no proxy.
  const chromium = await launchChromium({ executablePath, proxyUrl: 'direct://', logger });
  const { connection } = chromium;
  await connection.browser.send('Target.createTarget', { url: 'about:blank' });
  const directory = await mkdtemp(join(tmpdir(), 'winnow-session-test-'));
  await chmod(directory, 0o711);
  await mkdir(join(directory, 'downloads'));
  await giveToSandbox(join(directory, 'downloads'));
  const server = createServer();
  const sockets = new WebSocketServer({ server, maxPayload: 256 * 1024 * 1024 });
  sockets.on('connection', (socket) => void bridge(connection, socket));
  server.listen(join(directory, 'cdp.sock'));
  await once(server, 'listening');
  return {
    directory,
    connection,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      await chromium.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Gives a client a session of its own with the browser. */
async function bridge(connection: CdpConnection, socket: WebSocket): Promise<void> {
  const waiting: string[] = [];
  let receive = (text: string) => void waiting.push(text);
  socket.on('message', (data) => receive(String(data)));
  const { sessionId: own } = await connection.browser.send('Target.attachToBrowserTarget');
  const sessions = new Set([own]);
  const send = ({ sessionId, ...message }: CdpMessage) =>
    socket.send(JSON.stringify(sessionId === own ? message : { ...message, sessionId }));
  const stop = connection.onEvent((event) => {
    if (!sessions.has(event.sessionId ?? '')) return;
    // Only this event has the member.
    const { sessionId } = (event.params ?? {}) as { sessionId?: string };
    if (event.method === 'Target.attachedToTarget' && sessionId) {
      sessions.add(sessionId);
      connection.session(sessionId);
    }
    send(event);
  });
  connection.session(own);
  socket.on('close', () => {
    stop();
    // The browser may have ended before.
    connection.browser.send('Target.detachFromTarget', { sessionId: own }).catch(() => undefined);
  });
  receive = (text) => {
    // A client sends messages of the protocol.
    const { id, ...message } = JSON.parse(text) as CdpMessage;
    void answer({ ...message, sessionId: message.sessionId ?? own }, id);
  };
  async function answer(message: CdpMessage, id: number | undefined): Promise<void> {
    const response = await connection
      .relay(message)
      .catch((error: Error) => ({ error: { message: error.message } }));
    send({ ...response, id, sessionId: message.sessionId } as CdpMessage);
  }
  waiting.forEach(receive);
}
