import type { WebSocket } from 'ws';
import { readConfig } from '../../../src/config.ts';
import type { Chromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import type { Appearance } from '../../../src/fetch/browser/device-emulation.ts';
import { appearanceOf } from '../../../src/fetch/engines/visitor.ts';
import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { USER_AGENT } from '../../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { openBrowserSandbox, sandboxProbe } from '../../../src/sessions/browser/session-browser.ts';
import { CodeRunner } from '../../../src/sessions/code/code-runner.ts';
import { BrowserDownloads } from '../../../src/sessions/downloads/browser-downloads.ts';
import { type CanceledDownload, Downloads } from '../../../src/sessions/downloads/downloads.ts';
import { MAX_MESSAGE_BYTES } from '../../../src/sessions/protocol/client-socket.ts';
import { ProtocolClients } from '../../../src/sessions/protocol/protocol-clients.ts';
import { createSessionDirectory, type SessionDirectory } from '../../../src/sessions/session-directory.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { type Confinement, findConfinement } from '../../../src/system/sandbox/confinement.ts';
import { serveSockets } from '../network/serve-sockets.ts';

/** The browser of a session, with a gateway for protocol clients on loopback. */
export interface TestSessionBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
  code: CodeRunner;
  downloads: BrowserDownloads;
  /** The downloads that were not kept. */
  canceled: CanceledDownload[];
  /** Never resolves, because it is not measured. */
  exceeded: Promise<never>;
  /** The visitor that sites see, and the time zone of the browser. */
  visitor: Appearance;
  timezone: string;
  proxy: EgressProxy;
  /** How it is confined. */
  confinement: Confinement;
  /** WebSocket URL for Playwright. */
  url: string;
  /** The messages that clients have sent so far. */
  activity(): number;
  /** The connections of clients, which a test may close. */
  sockets: Set<WebSocket>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the browser of a session as the product does, with access to loopback only.
 * @param cacheDir where languages are installed
 */
export async function startTestSessionBrowser({
  cacheDir = readConfig().cacheDir,
} = {}): Promise<TestSessionBrowser> {
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  const proxy = await startEgressProxy(egress);
  const { path: executablePath } = await findChromium(readConfig());
  const directory = await createSessionDirectory();
  const { confinement } = await findConfinement(sandboxProbe({ executablePath, directory }));
  const sandbox = await openBrowserSandbox({
    executablePath,
    confinement,
    directory,
    logger: createLogger('test', 'warn'),
  });
  const visitor = appearanceOf(
    { location: undefined, mobile: false, skipTlsVerification: false },
    USER_AGENT,
  );
  const chromium = await sandbox.startBrowser(visitor, proxy.serve);
  const logger = { warn: () => undefined, debug: () => undefined };
  const code = new CodeRunner({ confinement, cacheDir, directory, logger });
  let activity = 0;
  const canceled: CanceledDownload[] = [];
  const downloads = new BrowserDownloads(chromium.connection, {
    directory,
    logger: createLogger('test', 'warn'),
    onCanceled: (download) => canceled.push(download),
  });
  const clients = new ProtocolClients(chromium.connection, {
    downloads,
    files: new Downloads(directory.downloads),
  });
  const server = await serveSockets(
    (socket) => clients.connect(socket, { onActivity: () => void activity++ }),
    { maxPayload: MAX_MESSAGE_BYTES },
  );
  return {
    chromium,
    directory,
    code,
    downloads,
    canceled,
    confinement,
    sockets: server.sockets,
    exceeded: new Promise<never>(() => undefined),
    visitor,
    timezone: visitor.timezone,
    proxy,
    url: server.url,
    activity: () => activity,
    async [Symbol.asyncDispose]() {
      await code.close('The session has ended.');
      await chromium.close();
      await server[Symbol.asyncDispose]();
      await Promise.all([proxy.close(), egress.close(), directory.remove()]);
    },
  };
}
