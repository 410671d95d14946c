import type { BrowserContext, ConnectOverCDPTransport, Page } from 'playwright';
import type { CdpMessage } from './chromium/cdp.ts';
import type { Tab } from './tab.ts';

/** Playwright attached to a page that was opened without it. */
export interface AttachedPlaywright extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
}

/**
 * Commands that need a `browserContextId`, because Chromium would otherwise apply them to its default
 * context.
 */
const CONTEXT_COMMANDS = /^Storage\.|^Browser\.(?:setDownloadBehavior|grantPermissions|resetPermissions)$/;

/** Playwright takes 60 MB, so it is loaded only once something needs it. */
const loadChromium = async () => (await import('playwright')).chromium;

/**
 * Attaches Playwright, which provides real clicks and typing, and storage state as a file. It makes a page a
 * third more expensive, so it is attached only where it is needed. Playwright sees a browser with only this
 * context and page.
 */
export async function attachPlaywright(tab: Pick<Tab, 'context' | 'targetId'>): Promise<AttachedPlaywright> {
  const chromium = await loadChromium();
  const browser = await chromium.connectOverCDP(createTabTransport(tab), {
    noDefaults: true,
    isLocal: true,
    timeout: 0,
  });
  // The transport has announced exactly one context and one page.
  const context = browser.contexts()[0]!;
  return { context, page: context.pages()[0]!, [Symbol.asyncDispose]: () => browser.close() };
}

/**
 * Connects Playwright to the default context of a browser, with all its pages. Dialogs of the pages are left
 * to others.
 * @param url WebSocket URL of the DevTools protocol; `ws+unix:PATH:/` for a Unix socket
 */
export async function connectPlaywright(url: string): Promise<{ context: BrowserContext } & AsyncDisposable> {
  const chromium = await loadChromium();
  const browser = await chromium.connectOverCDP(url, { noDefaults: true });
  // A browser always has a default context.
  const context = browser.contexts()[0]!;
  // Playwright dismisses dialogs that nothing listens to.
  context.on('dialog', () => undefined);
  return { context, [Symbol.asyncDispose]: () => browser.close() };
}

/**
 * A protocol transport for Playwright that is limited to the context of a tab. As Playwright's own transports
 * do, it delivers the messages of the browser in their order and each in a task of its own. Otherwise
 * Playwright would miss the events of a frame, because it takes some promises until it has read the earlier
 * response with this frame.
 */
export function createTabTransport({
  context,
  targetId,
}: Pick<Tab, 'context' | 'targetId'>): ConnectOverCDPTransport {
  const { connection, id: browserContextId } = context;
  const sessions = new Set<string>();
  const attached: string[] = [];
  const deliver = (message: CdpMessage) => void setImmediate(() => transport.onmessage?.(message));
  const registerSession = (sessionId: string) => {
    sessions.add(sessionId);
    connection.session(sessionId);
  };

  const stopEvents = connection.onEvent((event) => {
    const subjectId = (event.params as { sessionId?: string } | undefined)?.sessionId ?? '';
    const isOurs = sessions.has(event.sessionId ?? '');
    if (isOurs && event.method === 'Target.attachedToTarget') registerSession(subjectId);
    if (isOurs || (event.method === 'Target.detachedFromTarget' && sessions.has(subjectId))) deliver(event);
  });

  async function attachTarget(targetId: string): Promise<void> {
    const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
    registerSession(sessionId);
    attached.push(sessionId);
    const { targetInfo } = await connection.browser.send('Target.getTargetInfo', { targetId });
    const params = { sessionId, targetInfo, waitingForDebugger: false };
    deliver({ method: 'Target.attachedToTarget', params });
  }

  /**
   * Sends a command to the browser. The response is delivered before any later event, which a promise could
   * not ensure.
   */
  const forward = (message: CdpMessage, respond: (response: CdpMessage) => void) =>
    connection.forward(message, {
      resolve: respond,
      reject: (error) => respond({ error: { message: error.message } }),
    });

  /** Executes a command for the browser as a whole. */
  function handleBrowserCommand(message: CdpMessage, respond: (response: CdpMessage) => void): void {
    const { method = '', params } = message;
    const respondWith = (result: Promise<object>) =>
      void result.then(
        (each) => respond({ result: each }),
        (error: Error) => respond({ error: { message: error.message } }),
      );
    if (method === 'Target.setAutoAttach') respondWith(attachTarget(targetId).then(() => ({})));
    else if (method === 'Target.createTarget') respondWith(createTarget());
    else {
      const contextParams = CONTEXT_COMMANDS.test(method) ? { params: { ...params, browserContextId } } : {};
      forward({ ...message, ...contextParams }, respond);
    }
  }

  async function createTarget(): Promise<{ targetId: string }> {
    const opened = await context.openPage();
    await attachTarget(opened.targetId);
    return { targetId: opened.targetId };
  }

  const transport: ConnectOverCDPTransport = {
    send(sent) {
      const { id, ...message } = sent as CdpMessage;
      const { sessionId } = message;
      const respond = ({ result, error }: CdpMessage) =>
        deliver({ id, sessionId, ...(error ? { error } : { result }) } as CdpMessage);
      if (sessionId) forward(message, respond);
      else handleBrowserCommand(message, respond);
    },
    close() {
      stopEvents();
      // New frames of a page that stays open would wait for Playwright. The page may have been closed.
      for (const sessionId of attached)
        connection.browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
      transport.onclose?.();
    },
  };
  void connection.closed.then(() => transport.onclose?.());
  return transport;
}
