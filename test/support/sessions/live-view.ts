import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { WebSocketServer } from 'ws';
import { mountLiveViewAssets, renderLiveViewPage } from '../../../src/api/live-view/live-view-page.ts';
import { MESSAGE_PAGE_HEADERS, renderSessionEndedPage } from '../../../src/api/live-view/message-pages.ts';
import { readConfig } from '../../../src/config.ts';
import type { CdpConnection, Session } from '../../../src/fetch/browser/chromium/cdp.ts';
import { launchChromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { liveViewQuery } from '../../../src/schemas/live-view.ts';
import type { SessionEndReason } from '../../../src/schemas/session-end.ts';
import { applyRequestRules } from '../../../src/sessions/browser/session-requests.ts';
import { LiveView } from '../../../src/sessions/live-view/live-view.ts';
import { sessionFullError } from '../../../src/sessions/protocol/session-full-error.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { refuseUpgrade } from '../../../src/system/server.ts';
import { startDns } from '../network/dns.ts';
import { type Pages, startPages } from '../sites/pages.ts';

/** Names of other sites, whose frames Chromium puts into processes of their own. */
export const OTHER_SITE = 'other.test';
/** The size of the remote viewport in a new headless browser, and of the viewers in these tests. */
const VIEWPORT = { width: 800, height: 600 };
const logger = createLogger('test', 'warn');

/** A live view of a real browser, served over HTTP, and a second real browser in which viewers open it. */
export interface LiveViewFixture extends AsyncDisposable {
  liveView: LiveView;
  viewerBrowser: Browser;
  connection: CdpConnection;
  /** The pages that the session opens. */
  pages: Pages;
  /** Calls that the live view made to its session. */
  told: { activity: number; viewers: number[]; tabs: string[] };
  /** URLs of the live view. */
  urls: { view: string; control: string };
  /** The files of the session: their paths by their names. */
  files: Map<string, string>;
  /** Whether a program of the user is connected. */
  setOtherClients(areThere: boolean): void;
  /** Opens the live view in a window of its own. */
  openViewer(rights: 'view' | 'control', options?: ViewerSettings): Promise<Viewer>;
  /** Shows a page in the first tab of the session, and waits until it has loaded. */
  goto(path: string): Promise<void>;
  /** Evaluates an expression in the first tab of the session. */
  evaluate(expression: string): Promise<unknown>;
  /** Ends the connections of all viewers, without a word. */
  cutConnections(): void;
  /** Closes the WebSockets of all viewers, as an API does that has lost the host. */
  closeSockets(code: number, reason: string): void;
  /** Ends the session: the pages are those of an ended one from now on. */
  endSession(reason: SessionEndReason): void;
  /** Ends the session without telling viewers. */
  endSessionUnseen(reason: SessionEndReason): void;
}

interface ViewerSettings extends BrowserContextOptions {
  /** Query of the URL, such as `?maxFps=5`. By default, there is only the picture, in the upper left corner. */
  query?: string;
  /** A script that runs before the page. */
  initScript?: string;
}

/** A viewer in a window of its own. */
export interface Viewer {
  page: Page;
  /** Frames that the viewer has received. */
  frames(): number;
  /** The colour of a pixel of the picture, as `r,g,b`. */
  colorAt(x: number, y: number): Promise<string>;
}

interface LiveViewSettings {
  /** A further argument of the browser of the session. */
  flag?: string | undefined;
  /**
   * A browser that several live views use for their viewers, because a start takes a second. The caller
   * closes it.
   */
  viewerBrowser?: Browser;
}

/** Starts a browser in which viewers open live views. */
export async function startViewerBrowser(): Promise<Browser> {
  const { path: executablePath } = await findChromium(readConfig());
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'];
  return chromium.launch({ executablePath, args });
}

/**
 * Starts both browsers.
 * @param contents the pages by their path, as for `startPages`
 */
export async function startLiveView(
  contents: Record<string, string | RequestListener>,
  { flag, viewerBrowser: sharedBrowser }: LiveViewSettings = {},
): Promise<LiveViewFixture> {
  const { path: executablePath } = await findChromium(readConfig());
  const program = flag === undefined ? undefined : await withFlag(executablePath, flag);
  const pages = await startPages(contents);
  const dns = await startDns({ [OTHER_SITE]: ['127.0.0.1'] });
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'], dns: dns.address });
  const proxy = await startEgressProxy(egress);
  const session = await launchChromium({
    executablePath: program?.path ?? executablePath,
    proxy,
    logger,
  });
  const { connection } = session;
  const { targetId } = await connection.browser.send('Target.createTarget', { url: 'about:blank' });
  const told: LiveViewFixture['told'] = { activity: 0, viewers: [], tabs: [] };
  let hasOtherClients = false;
  const files = new Map<string, string>();
  const liveView = new LiveView({
    connection,
    targetId,
    logger,
    hasOtherClients: () => hasOtherClients,
    onActivity: () => told.activity++,
    onViewers: (count) => told.viewers.push(count),
    onFrame: () => undefined,
    onTabChange: (id) => told.tabs.push(id),
    pathOfFile: (name) => files.get(name),
  });
  await liveView.ready();
  await applyRequestRules(connection, {
    failureOf: proxy.failureOf,
    onPageFailed: (failure) => liveView.noteFailure(failure),
  });
  const tab = await attach(connection, targetId);
  const site = await serve(liveView);
  const viewerBrowser = sharedBrowser ?? (await startViewerBrowser());
  const viewers: Viewer[] = [];
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await tab.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
    return result.value as unknown;
  };
  return {
    liveView,
    viewerBrowser,
    connection,
    pages,
    told,
    files,
    evaluate,
    urls: site.urls,
    cutConnections: site.cutConnections,
    closeSockets: site.closeSockets,
    setOtherClients: (areThere) => {
      hasOtherClients = areThere;
    },
    async openViewer(rights, options) {
      const viewer = await openViewer(viewerBrowser, site.urls[rights], options);
      viewers.push(viewer);
      return viewer;
    },
    async goto(path) {
      const loaded = new Promise<void>((resolve) => tab.once('Page.loadEventFired', () => resolve()));
      await tab.send('Page.navigate', { url: pages.url + path });
      await loaded;
    },
    endSessionUnseen: (reason) => site.end(reason),
    endSession(reason) {
      site.end(reason);
      liveView.close(4410, reason);
    },
    async [Symbol.asyncDispose]() {
      if (sharedBrowser) await Promise.all(viewers.map(({ page }) => page.context().close()));
      else await viewerBrowser.close();
      liveView.close(1001, 'the test has ended');
      await session.close();
      await Promise.all([site.close(), proxy.close(), egress.close(), dns.close()]);
      await pages[Symbol.asyncDispose]();
      await program?.remove();
    },
  };
}

/** Makes a program that starts another one with one more flag. */
async function withFlag(executablePath: string, flag: string) {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-flag-'));
  const script = path.join(directory, 'chromium');
  await writeFile(script, `#!/bin/sh\nexec ${executablePath} "$@" ${flag}\n`, { mode: 0o755 });
  // Chromium runs as a user who may not enter the directory otherwise.
  await chmod(directory, 0o755);
  return { path: script, remove: () => rm(directory, { recursive: true }) };
}

/** A protocol session of the test's own, which the live view does not know. */
async function attach(connection: CdpConnection, targetId: string): Promise<Session> {
  const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
  const tab = connection.session(sessionId);
  await tab.send('Page.enable');
  return tab;
}

/** Serves pages and WebSockets at the URLs that the API has. */
async function serve(liveView: LiveView) {
  const app = express();
  // As in the API, where keys and secret URLs protect everything.
  app.use((_request, response, next) => {
    response.set('Access-Control-Allow-Origin', '*');
    next();
  });
  const paths = {
    view: '/v2/browser/one/view/secret-to-watch',
    control: '/v2/browser/one/view/secret-to-use',
  };
  let ended: SessionEndReason | undefined;
  for (const [rights, url] of Object.entries(paths)) {
    app.get(url, async (_request, response) => {
      if (ended)
        return void response.status(410).set(MESSAGE_PAGE_HEADERS).send(renderSessionEndedPage(ended));
      const mayControl = rights === 'control';
      const { html, headers } = await renderLiveViewPage({ mayControl, remainingMs: 600_000 });
      response.set(headers).send(html);
    });
  }
  mountLiveViewAssets(app);
  const server = createServer(app);
  const sockets = new WebSocketServer({ noServer: true });
  const streams = new Set<Socket>();
  server.on('upgrade', (request, stream: Socket, head) => {
    if (ended) return stream.end('HTTP/1.1 410 Gone\r\n\r\n');
    if (!liveView.hasRoom) return refuseUpgrade(stream, sessionFullError());
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { maxFps } = liveViewQuery.parse(Object.fromEntries(searchParams));
    sockets.handleUpgrade(request, stream, head, (socket) =>
      liveView.addViewer(socket, { mayControl: pathname === paths.control, maxFps }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { view: base + paths.view, control: base + paths.control },
    cutConnections: () => {
      for (const stream of streams) stream.destroy();
    },
    closeSockets: (code: number, reason: string) => {
      for (const socket of sockets.clients) socket.close(code, reason);
    },
    end(reason: SessionEndReason) {
      ended = reason;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const stream of streams) stream.destroy();
      await closed;
    },
  };
}

/** Opens a live view in a window of its own. */
export async function openViewer(
  browser: Browser,
  url: string,
  { query = '?toolbar=false', initScript, ...options }: ViewerSettings = {},
): Promise<Viewer> {
  const context = await browser.newContext({ viewport: VIEWPORT, ...options });
  if (initScript) await context.addInitScript(initScript);
  // The timeout of the test ends what hangs.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  let frames = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string') frames++;
    }),
  );
  await page.goto(url + query);
  await page.locator('#status').waitFor({ state: 'hidden' });
  return {
    page,
    frames: () => frames,
    colorAt: (x, y) =>
      page.evaluate(
        ([left, top]) => {
          const canvas = document.querySelector('canvas');
          return [...(canvas?.getContext('2d')?.getImageData(left!, top!, 1, 1).data ?? [])]
            .slice(0, 3)
            .join();
        },
        [x, y],
      ),
  };
}

/** How many frames arrive in a time of about `ms` milliseconds, and how long that really took. */
export async function countFrames(viewer: Viewer, ms: number): Promise<{ frames: number; seconds: number }> {
  const before = viewer.frames();
  const startedAt = performance.now();
  await sleep(ms);
  return { frames: viewer.frames() - before, seconds: (performance.now() - startedAt) / 1_000 };
}
