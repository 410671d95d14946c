import {
  attachPage,
  type BrowsingContext,
  closePopups,
} from '../../fetch/browser/chromium/browsing-context.ts';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import type { Appearance } from '../../fetch/browser/device-emulation.ts';
import { allowDownloads } from './session-browser.ts';

/**
 * The default context of a session's browser, for a visit that uses the tab in use and leaves it open. Unlike
 * the context of a scrape, it keeps popups and downloads.
 * @param keepPage as in {@link BrowsingContext}
 */
export function openSessionContext(
  connection: CdpConnection,
  targetId: string,
  keepPage: (appearance: Appearance) => void,
): BrowsingContext {
  const { browser } = connection;
  return {
    id: undefined,
    connection,
    keepPage,
    openPage: () => attachPage(connection, targetId),
    popupCount: () => 0,
    async grantPermission(permission) {
      await browser.send('Browser.grantPermissions', { permissions: [permission] });
    },
    close: async () => undefined,
  };
}

/**
 * The default context of a browser that nobody has used, for a scrape whose page a session may take over.
 * Until it is closed, popups and downloads are refused as in other scrapes.
 * @param keepPage as in {@link BrowsingContext}
 */
export async function openScrapeContext(
  connection: CdpConnection,
  keepPage: (appearance: Appearance) => void,
): Promise<BrowsingContext> {
  const { browser } = connection;
  await browser.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  const { targetInfos } = await browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
  // A browser starts with one tab. Further ones are those in which the storage of other origins is read.
  const firstTargets = targetInfos.slice(0, 1).map(({ targetId }) => targetId);
  const popups = closePopups(connection, undefined);
  return {
    ...openSessionContext(connection, '', keepPage),
    openPage: () =>
      popups.except(async () => {
        const targetId =
          firstTargets.pop() ?? (await browser.send('Target.createTarget', { url: 'about:blank' })).targetId;
        return attachPage(connection, targetId);
      }),
    popupCount: popups.count,
    async close() {
      popups.stop();
      await allowDownloads(connection);
    },
  };
}
