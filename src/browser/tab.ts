import { ServiceError } from '../errors.ts';
import type { Session } from './cdp.ts';
import type { BrowsingContext } from './context.ts';
import { type Appearance, type Size, setViewport, viewportOf, wearDevice } from './device.ts';
import type { Place } from './isolated-world.ts';
import { type Traffic, watchTraffic } from './traffic.ts';

/** A page that is open, with what is needed to watch and read it. */
export interface Tab extends Place {
  context: BrowsingContext;
  targetId: string;
  traffic: Traffic;
  /** Rejects when nothing more can come of the page: it crashed, or sends more than may be read. */
  fault: Promise<never>;
  /** What could not be done as it was asked for, in words for the user. */
  warnings: string[];
  /** Where the page is. */
  url(): string;
  /** Resolves when it is another document. */
  nextDocument(): Promise<void>;
  /** The page's own session, then those of the frames that have processes of their own: other sites. */
  sessions(): Session[];
  /** Prepares the page and all such frames, those that come later before they run. */
  everywhere(prepare: (session: Session) => Promise<unknown>): Promise<void>;
  viewport(): Size;
  setViewport(size: Size): Promise<void>;
}

/** How a tab is opened. */
export interface TabOptions {
  appearance: Appearance;
  /** Whether it matters how the page looks. */
  pictures: boolean;
  /** Of one document, as it is sent. */
  maxBytes: number;
}

/** What they fetch no rule of ours sees; they are refused as in a private window, which pages know. */
const NO_SERVICE_WORKERS = `if (navigator.serviceWorker) navigator.serviceWorker.register = async () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}`;

/** Opens an empty tab that no dialog holds up. */
export async function openTab(context: BrowsingContext, options: TabOptions): Promise<Tab> {
  const { appearance, pictures, maxBytes } = options;
  const { targetId, session } = await context.open();
  const traffic = watchTraffic({ mainFrameId: targetId, pictures });
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // Whoever visits the page races with it; after the visit nobody listens.
  fault.catch(() => undefined);
  session.on('Inspector.targetCrashed', () => reject(new Error('the tab crashed')));

  let url = '';
  let viewport = viewportOf(appearance);
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

  const { sessions, everywhere } = openFrames(context, session, async (worker) => {
    traffic.watch(worker);
    await worker.send('Network.enable');
  });
  await everywhere(async (each) => {
    answerDialogs(each);
    traffic.watch(each);
    boundDocuments(each, maxBytes, tooLarge);
    await Promise.all([
      each.send('Page.enable'),
      each.send('Network.enable'),
      each.send('Page.addScriptToEvaluateOnNewDocument', { source: NO_SERVICE_WORKERS }),
      wearDevice(each, appearance),
    ]);
  });
  await setViewport(session, appearance, viewport);
  if (appearance.position) await context.permit('geolocation');

  return {
    ...{ context, targetId, session, frameId: targetId, traffic, fault, warnings: [], sessions, everywhere },
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
function openFrames(
  { connection }: BrowsingContext,
  main: Session,
  prepareWorker: (session: Session) => Promise<unknown>,
): Pick<Tab, 'sessions' | 'everywhere'> {
  const sessions = new Map([['', main]]);
  const preparations: ((session: Session) => Promise<unknown>)[] = [];
  preparations.push(async (session) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const part = connection.session(sessionId);
      const isFrame = targetInfo.type === 'iframe';
      if (isFrame) sessions.set(sessionId, part);
      const prepared = Promise.allSettled(
        (isFrame ? preparations : [prepareWorker]).map((prepare) => prepare(part)),
      );
      // One that went away meanwhile needs nothing.
      prepared.then(() => part.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => sessions.delete(sessionId));
    await session.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
    });
  });
  const first = preparations[0]!(main);
  return {
    sessions: () => [...sessions.values()],
    async everywhere(prepare) {
      preparations.push(prepare);
      await Promise.all([first, ...[...sessions.values()].map(prepare)]);
    },
  };
}

/** A dialog would hold the page for ever; only the question whether to leave is answered with yes. */
function answerDialogs(session: Session): void {
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    const answer = session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' });
    // Gone with its page, or answered by somebody else.
    answer.catch(() => undefined);
  });
}

/** Tells when a document, a frame's too, is larger than may be read: some never end. */
function boundDocuments(session: Session, maxBytes: number, tell: () => void): void {
  const received = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Document') received.set(requestId, 0);
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const before = received.get(requestId);
    if (before === undefined) return;
    received.set(requestId, before + dataLength);
    if (before + dataLength > maxBytes) tell();
  });
}
