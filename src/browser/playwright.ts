import { type BrowserContext, type ConnectOverCDPTransport, chromium, type Page } from 'playwright-core';
import type { Message } from './cdp.ts';
import type { Tab } from './tab.ts';

/** Playwright at work on a page that was opened without it. */
export interface Guest extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
}

/** What a browser does for all its contexts where it is not told for which. */
const OF_CONTEXT = /^Storage\.|^Browser\.(?:setDownloadBehavior|grantPermissions|resetPermissions)$/;

/**
 * Lets Playwright join for what it does best: hands that click and type as people do, and the state of a browser as a
 * file. It costs a page a third more, so it is called only where it is needed. It sees a browser that has this one
 * context and page.
 */
export async function joinPlaywright(tab: Tab): Promise<Guest> {
  const browser = await chromium.connectOverCDP(viewOf(tab), { noDefaults: true, isLocal: true, timeout: 0 });
  // It has been introduced to both.
  const context = browser.contexts()[0]!;
  return { context, page: context.pages()[0]!, [Symbol.asyncDispose]: () => browser.close() };
}

/** The protocol, cut down to a tab's context. */
function viewOf({ context, targetId }: Tab): ConnectOverCDPTransport {
  const { connection, id: browserContextId } = context;
  const sessions = new Set<string>();
  const tell = (message: Message) => transport.onmessage?.(message);
  const know = (sessionId: string) => {
    sessions.add(sessionId);
    connection.session(sessionId);
  };

  const untap = connection.tap((event) => {
    const about = (event.params as { sessionId?: string } | undefined)?.sessionId ?? '';
    const isOurs = sessions.has(event.sessionId ?? '');
    if (isOurs && event.method === 'Target.attachedToTarget') know(about);
    if (isOurs || (event.method === 'Target.detachedFromTarget' && sessions.has(about))) tell(event);
  });

  async function introduce(targetId: string): Promise<void> {
    const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
    know(sessionId);
    const { targetInfo } = await connection.browser.send('Target.getTargetInfo', { targetId });
    const params = { sessionId, targetInfo, waitingForDebugger: false };
    tell({ method: 'Target.attachedToTarget', params });
  }

  async function answer({ id: _, ...message }: Message): Promise<Message> {
    const { sessionId, method = '', params } = message;
    if (sessionId) return connection.relay(message);
    if (method === 'Target.setAutoAttach') {
      await introduce(targetId);
      return { result: {} };
    }
    if (method === 'Target.createTarget') {
      const opened = await context.open();
      await introduce(opened.targetId);
      return { result: { targetId: opened.targetId } };
    }
    const own = OF_CONTEXT.test(method) ? { params: { ...params, browserContextId } } : {};
    return connection.relay({ ...message, ...own });
  }

  const transport: ConnectOverCDPTransport = {
    send(given) {
      const message = given as Message;
      const { id, sessionId } = message;
      void answer(message)
        .catch((error: Error): Message => ({ error: { message: error.message } }))
        .then(({ result, error }) => tell({ id, sessionId, ...(error ? { error } : { result }) } as Message));
    },
    close() {
      untap();
      transport.onclose?.();
    },
  };
  void connection.closed.then(() => transport.onclose?.());
  return transport;
}
