import { ServiceError } from '../errors.ts';
import type { Session } from './cdp.ts';
import type { BrowsingContext } from './browsing-context.ts';
import { type Appearance, type Size, setViewport, defaultViewport, emulateDevice } from './device-emulation.ts';
import type { FrameTarget } from './isolated-world.ts';
import { type NetworkMonitor, createNetworkMonitor } from './network-monitor.ts';

/** A page that is open, with what is needed to watch and read it. */
export interface Tab extends FrameTarget {
  context: BrowsingContext;
  targetId: string;
  network: NetworkMonitor;
  /** Rejects when nothing more can come of the page: it crashed, or sends more than may be read. */
  failure: Promise<never>;
  /** What could not be done as it was asked for, in words for the user. */
  warnings: string[];
  /** Where the page is. */
  url(): string;
  /** Resolves when it is another document. */
  nextDocument(): Promise<void>;
  /** The page's own session, then those of the frames that have processes of their own: other sites. */
  sessions(): Session[];
  /** Prepares the page and all such frames, those that come later before they run. */
  prepareFrames(prepare: (session: Session) => Promise<unknown>): Promise<void>;
  viewport(): Size;
  setViewport(size: Size): Promise<void>;
}

/** How a tab is opened. */
export interface TabOptions {
  appearance: Appearance;
  /** Whether it matters how the page looks. */
  waitForVisuals: boolean;
  /** Of one document, as it is sent. */
  maxBytes: number;
}

/** What they fetch no rule of ours sees; they are refused as in a private window, which pages know. */
const DISABLE_SERVICE_WORKERS = `if (navigator.serviceWorker) navigator.serviceWorker.register = async () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}`;

/** Opens an empty tab that no dialog holds up. */
export async function openTab(context: BrowsingContext, options: TabOptions): Promise<Tab> {
  const { appearance, waitForVisuals, maxBytes } = options;
  const { targetId, session } = await context.openPage();
  const network = createNetworkMonitor({ mainFrameId: targetId, waitForVisuals });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  // Whoever visits the page races with it; after the visit nobody listens.
  failure.catch(() => undefined);
  session.on('Inspector.targetCrashed', () => reject(new Error('the tab crashed')));

  let url = '';
  let viewport = defaultViewport(appearance);
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === targetId) url = frame.url + (frame.urlFragment ?? '');
  });
  session.on('Page.navigatedWithinDocument', ({ frameId, url: inside }) => {
    if (frameId === targetId) url = inside;
  });
  const tooLarge = () =>
    reject(
      new ServiceError(
        'SCRAPE_CONTENT_TOO_LARGE',
        `${url} sends more than ${maxBytes} bytes. The operator can raise WINNOW_MAX_BODY_MB.`,
      ),
    );

  const { sessions, prepareFrames } = attachFrames(context, session, async (worker) => {
    network.watch(worker);
    await worker.send('Network.enable');
  });
  await prepareFrames(async (each) => {
    handleDialogs(each);
    network.watch(each);
    watchDocumentSize(each, maxBytes, tooLarge);
    await Promise.all([
      each.send('Page.enable'),
      each.send('Network.enable'),
      each.send('Page.addScriptToEvaluateOnNewDocument', { source: DISABLE_SERVICE_WORKERS }),
      emulateDevice(each, appearance),
    ]);
  });
  await setViewport(session, appearance, viewport);
  if (appearance.position) await context.grantPermission('geolocation');

  return {
    ...{ context, targetId, session, frameId: targetId, network, failure, warnings: [], sessions, prepareFrames },
    url: () => url,
    nextDocument: () =>
      new Promise((resolve) => {
        session.on('Page.frameNavigated', ({ frame }) => frame.id === targetId && resolve());
      }),
    viewport: () => viewport,
    async setViewport(size) {
      await setViewport(session, appearance, size);
      viewport = size;
    },
  };
}

/**
 * Attaches to every frame that is a target of its own, and has it wait until it is prepared. Workers of the page wait
 * like them.
 */
function attachFrames(
  { connection }: BrowsingContext,
  main: Session,
  prepareWorker: (session: Session) => Promise<unknown>,
): Pick<Tab, 'sessions' | 'everywhere'> {
  const sessions = new Map([['', main]]);
  const preparations: ((session: Session) => Promise<unknown>)[] = [];
  preparations.push(async (session) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const childSession = connection.session(sessionId);
      const isFrame = targetInfo.type === 'iframe';
      if (isFrame) sessions.set(sessionId, childSession);
      const prepared = Promise.allSettled(
        (isFrame ? preparations : [prepareWorker]).map((prepare) => prepare(childSession)),
      );
      // One that went away meanwhile needs nothing.
      prepared.then(() => childSession.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => sessions.delete(sessionId));
    await session.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
    });
  });
  const first = preparations[0]!(main);
  return {
    sessions: () => [...sessions.values()],
    async prepareFrames(prepare) {
      preparations.push(prepare);
      await Promise.all([first, ...[...sessions.values()].map(prepare)]);
    },
  };
}

/** A dialog would hold the page for ever; only the question whether to leave is answered with yes. */
function handleDialogs(session: Session): void {
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    const handled = session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' });
    // Gone with its page, or answered by somebody else.
    handled.catch(() => undefined);
  });
}

/** Tells when a document, a frame's too, is larger than may be read: some never end. */
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
