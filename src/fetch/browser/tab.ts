import type { Redirect } from '../../schemas/page-trace.ts';
import type { Logger } from '../../system/logger.ts';
import { createTooLargeError } from '../net/response-body.ts';
import type { BrowsingContext } from './chromium/browsing-context.ts';
import type { Session } from './chromium/cdp.ts';
import {
  type Appearance,
  defaultViewport,
  emulateDevice,
  type Size,
  setViewport,
  setWindowSize,
} from './device-emulation.ts';
import { type FrameTarget, rememberWorld } from './dom/isolated-world.ts';
import { attachFrames, type FrameSessions } from './frame-sessions.ts';
import { NetworkMonitor } from './network/network-monitor.ts';
import { ResponseRecorder } from './network/response-recorder.ts';
import { PageEnded } from './page-ended.ts';

/** An open page, with what is needed to watch and read it. */
export interface Tab extends FrameTarget, FrameSessions {
  context: BrowsingContext;
  targetId: string;
  network: NetworkMonitor;
  /** Keeps the responses as they come; absent if nobody wants them. */
  recorder: ResponseRecorder | undefined;
  /** Rejects when the page crashed or a document exceeds the size limit. */
  failure: Promise<never>;
  /** Warnings for the user. */
  warnings: string[];
  /** Logs steps that only help and have failed. */
  logger: Pick<Logger, 'warn'>;
  /** The current URL of the page. */
  url(): string;
  /** Resolves when the page has navigated to another document. */
  nextDocument(): Promise<void>;
  /** Whether the page runs in one thread: it has started no worker and has no frame of another site. */
  isAlone(): boolean;
  viewport(): Size;
  setViewport(size: Size): Promise<void>;
}

/** How a tab is opened. */
export interface TabOptions {
  appearance: Appearance;
  /** Whether to wait for style sheets, images and fonts, because a screenshot or PDF follows. */
  waitForVisuals: boolean;
  /** Maximum size of one document as it is sent, in bytes. */
  maxBytes: number;
  /** Called with each URL of the page that leads to another document. */
  onRedirect?: ((redirect: Redirect) => void) | undefined;
  /** Whether to keep the responses as they come, without headers of the user; absent if not. */
  archive?: { userHeaders: Record<string, string> } | undefined;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Interception does not see what service workers fetch, so registration fails as it does in a private window.
 */
const DISABLE_SERVICE_WORKERS = `if (navigator.serviceWorker) navigator.serviceWorker.register = async () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}`;

/** Opens an empty tab, in which dialogs are closed automatically. */
export async function openTab(context: BrowsingContext, options: TabOptions): Promise<Tab> {
  const { appearance, waitForVisuals, maxBytes, onRedirect, archive, logger } = options;
  const { targetId, session } = await context.openPage();
  const recorder = archive && new ResponseRecorder(targetId, archive.userHeaders);
  const network = new NetworkMonitor({ mainFrameId: targetId, waitForVisuals, onRedirect });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  // `visit` races with this promise; after the visit nothing handles its rejection.
  failure.catch(() => undefined);
  session.on('Inspector.targetCrashed', () => {
    const wasEnded = context.hasJustEndedPage?.() ?? false;
    reject(wasEnded ? new PageEnded('the page took too much memory') : new Error('the tab crashed'));
  });
  const currentUrl = watchUrl(session, targetId);
  let hasWorkers = false;
  const { sessions, prepareFrames } = attachFrames(context.connection, session, async (worker) => {
    hasWorkers = true;
    network.watch(worker);
    recorder?.watch(worker);
    await worker.send('Network.enable');
  });
  let viewport = defaultViewport(appearance);
  const prepared = prepareFrames(async (each) => {
    handleDialogs(each);
    network.watch(each);
    recorder?.watch(each);
    watchDocumentSize(each, maxBytes, () =>
      reject(createTooLargeError({ url: currentUrl(), maxBodyBytes: maxBytes })),
    );
    await enableDomains(each, appearance);
  });
  await Promise.all([prepared, setSize(context, { targetId, session, appearance, viewport })]);
  if (appearance.position) await context.grantPermission('geolocation');
  return {
    context,
    targetId,
    session,
    frameId: targetId,
    world: rememberWorld(session, targetId),
    network,
    recorder,
    failure,
    warnings: [],
    logger,
    sessions,
    prepareFrames,
    url: currentUrl,
    nextDocument: () => waitForNextDocument(session, targetId),
    isAlone: () => !hasWorkers && sessions().length === 1,
    viewport: () => viewport,
    async setViewport(size) {
      await setViewport(session, appearance, size);
      viewport = size;
    },
  };
}

async function setSize(
  { keepPage, connection }: BrowsingContext,
  {
    targetId,
    session,
    appearance,
    viewport,
  }: { targetId: string; session: Session; appearance: Appearance; viewport: Size },
): Promise<void> {
  // The page of a visit that leaves it open keeps its size when the emulation of the screen ends.
  if (keepPage) await setWindowSize(connection.browser, targetId, viewport);
  await setViewport(session, appearance, viewport);
}

/** Follows the navigations of a page. @returns a function that returns its current URL */
function watchUrl(session: Session, targetId: string): () => string {
  let url = '';
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === targetId) url = frame.url + (frame.urlFragment ?? '');
  });
  session.on('Page.navigatedWithinDocument', ({ frameId, url: urlInDocument }) => {
    if (frameId === targetId) url = urlInDocument;
  });
  return () => url;
}

/** Resolves when a page has navigated to another document. @param targetId the id of its tab */
export function waitForNextDocument(session: Session, targetId: string): Promise<void> {
  return new Promise((resolve) => {
    const onNavigated = ({ frame }: { frame: { id: string } }) => {
      if (frame.id !== targetId) return;
      session.off('Page.frameNavigated', onNavigated);
      resolve();
    };
    session.on('Page.frameNavigated', onNavigated);
  });
}

/** Prepares a page or frame before its scripts run. */
async function enableDomains(session: Session, appearance: Appearance): Promise<void> {
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable'),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: DISABLE_SERVICE_WORKERS }),
    emulateDevice(session, appearance),
  ]);
}

/** Closes dialogs, which would block the page. Only `beforeunload` is accepted; all others are dismissed. */
function handleDialogs(session: Session): void {
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    const handled = session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' });
    // The page may be gone, or Playwright may have closed the dialog.
    handled.catch(() => undefined);
  });
}

/** Calls `onTooLarge` when a document of the page or a frame exceeds `maxBytes`; some never end. */
function watchDocumentSize(session: Session, maxBytes: number, onTooLarge: () => void): void {
  const received = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Document') received.set(requestId, 0);
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const before = received.get(requestId);
    if (before === undefined) return;
    received.set(requestId, before + dataLength);
    if (before + dataLength > maxBytes) onTooLarge();
  });
}
