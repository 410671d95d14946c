import type { CdpConnection, Session } from './cdp.ts';

/** A browser context: cookies, storage, caches and connections that no other context shares. */
export interface BrowsingContext {
  /** Its id; `undefined` for the default context of a browser. */
  id: string | undefined;
  connection: CdpConnection;
  /** Opens an empty page. */
  openPage(): Promise<OpenedPage>;
  /** How many pages were opened by pages so far; they are closed at once. */
  popupCount(): number;
  /** Grants a permission to all pages of the context. */
  grantPermission(permission: 'geolocation'): Promise<void>;
  close(): Promise<void>;
}

/** A page that was opened. */
interface OpenedPage {
  targetId: string;
  sessionId: string;
  session: Session;
}

/**
 * Opens a context in a browser that has target discovery enabled.
 * @param options.proxyUrl the proxy for all its traffic; without it, the proxy of the browser is used
 */
export async function openContext(
  connection: CdpConnection,
  options: { proxyUrl?: string | undefined },
): Promise<BrowsingContext> {
  const { browser } = connection;
  const { browserContextId: id } = await browser.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    ...(options.proxyUrl && { proxyServer: options.proxyUrl, proxyBypassList: '<-loopback>' }),
  });
  await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: id });
  let popups = 0;
  let opening = 0;
  const onTargetCreated = ({
    targetInfo,
  }: {
    targetInfo: { browserContextId?: string; targetId: string };
  }) => {
    if (targetInfo.browserContextId !== id || opening) return;
    popups++;
    // A popup that closed itself cannot be closed again.
    browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(() => undefined);
  };
  browser.on('Target.targetCreated', onTargetCreated);

  return {
    ...{ id, connection },
    async openPage() {
      opening++;
      try {
        const { targetId } = await browser.send('Target.createTarget', {
          ...{ url: 'about:blank', browserContextId: id },
        });
        const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
        return { targetId, sessionId, session: connection.session(sessionId) };
      } finally {
        opening--;
      }
    },
    popupCount: () => popups,
    async grantPermission(permission) {
      await browser.send('Browser.grantPermissions', { permissions: [permission], browserContextId: id });
    },
    async close() {
      browser.off('Target.targetCreated', onTargetCreated);
      await browser.send('Target.disposeBrowserContext', { browserContextId: id });
    },
  };
}
