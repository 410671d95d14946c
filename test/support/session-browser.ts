import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Chromium } from '../../src/browser/chromium/launch-chromium.ts';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/embedded/chromium.ts';
import { createEgress } from '../../src/net/egress.ts';
import { startEgressProxy } from '../../src/net/egress-proxy.ts';
import { findConfinement } from '../../src/sandbox/confinement.ts';
import { MAX_MESSAGE_BYTES } from '../../src/sessions/client-socket.ts';
import { ProtocolClients } from '../../src/sessions/protocol-clients.ts';
import { sandboxedChromium, startSessionBrowser } from '../../src/sessions/session-browser.ts';
import { createSessionDirectory, type SessionDirectory } from '../../src/sessions/session-directory.ts';

/** The browser of a session, with a gateway for protocol clients on loopback. */
export interface TestSessionBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
  /** WebSocket URL for Playwright. */
  url: string;
  /** The messages that clients have sent so far. */
  activity(): number;
  /** The connections of clients, which a test may close. */
  sockets: Set<WebSocket>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the browser of a session as the product does, with access to loopback only. */
export async function startTestSessionBrowser(): Promise<TestSessionBrowser> {
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  const proxy = await startEgressProxy(egress);
  const { path: executablePath } = await findChromium(readConfig());
  const directory = await createSessionDirectory();
  const program = sandboxedChromium({ executablePath, directory });
  const { confinement } = await findConfinement({ ...program, command: ['/bin/sh', '-c', 'exit 0'] });
  const chromium = await startSessionBrowser({
    ...{ executablePath, confinement, directory },
    serveProxy: proxy.serve,
  });
  let activity = 0;
  const clients = new ProtocolClients(chromium.connection);
  const server = createServer();
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES });
  sockets.on('connection', (socket) => {
    clients.connect(socket, { onActivity: () => void activity++ });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    ...{ chromium, directory, sockets: sockets.clients },
    url: `ws://127.0.0.1:${port}/`,
    activity: () => activity,
    async [Symbol.asyncDispose]() {
      await chromium.close();
      sockets.close();
      server.close();
      await Promise.all([proxy.close(), egress.close(), directory.remove()]);
    },
  };
}
