import type { BrowsingContext } from '../browser/chromium/browsing-context.ts';
import type { CdpConnection } from '../browser/chromium/cdp.ts';

/**
 * The default context of a session's browser, for a visit that uses the tab in use and leaves it open. Unlike the
 * context of a scrape, it keeps popups and downloads.
 */
export function openSessionContext(connection: CdpConnection, targetId: string): BrowsingContext {
  const { browser } = connection;
  const sessionIds: string[] = [];
  return {
    id: undefined,
    connection,
    async openPage() {
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
      sessionIds.push(sessionId);
      return { targetId, sessionId, session: connection.session(sessionId) };
    },
    popupCount: () => 0,
    async grantPermission(permission) {
      await browser.send('Browser.grantPermissions', { permissions: [permission] });
    },
    async close() {
      // With the session, what the visit set for the page ends too, such as the interception of its requests.
      for (const sessionId of sessionIds) await browser.send('Target.detachFromTarget', { sessionId });
    },
  };
}
