import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pageFunction } from '../../../content/open-page/page-function.ts';
import { untilAborted } from '../../../system/until-aborted.ts';
import { type Appearance, DESKTOP_VIEWPORT } from '../device-emulation.ts';
import { openIsolatedWorld } from '../dom/isolated-world.ts';
import { type CdpConnection, Disconnected, type Session } from './cdp.ts';

/** How long a hung page may delay the end of a visit, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A browser context: cookies, storage, caches and connections that no other context shares. */
export interface BrowsingContext {
  /** Its id; `undefined` for the default context of a browser. */
  id: string | undefined;
  connection: CdpConnection;
  /**
   * Present if the page of a visit stays open for other clients of the browser. It is called when the visit
   * has left the page, with the visitor that further tabs have to see too.
   */
  keepPage?: (appearance: Appearance) => void;
  /**
   * Present if visits of one job use the context one after the other. Clears what a page of the next one
   * could read: cookies, storage and the document. Only the cache remains.
   */
  clear?: () => Promise<void>;
  /** Whether the browser has ended a page for its memory so lately that its visit is about to hear of it. */
  hasJustEndedPage?: () => boolean;
  /** Opens an empty page. */
  openPage(): Promise<AttachedPage>;
  /** How many pages were opened by pages so far; they are closed at once. */
  popupCount(): number;
  /** Grants a permission to all pages of the context. */
  grantPermission(permission: 'geolocation'): Promise<void>;
  close(): Promise<void>;
}

/** A page that was opened. */
export interface AttachedPage {
  targetId: string;
  sessionId: string;
  session: Session;
}

/**
 * Opens a context in a browser that has target discovery enabled.
 * @param options.proxyUrl the proxy for all its traffic; without it, the proxy of the browser is used
 * @param options.isShared whether several visits use it, one after the other
 */
export async function openContext(
  connection: CdpConnection,
  options: { proxyUrl?: string | undefined; isShared?: boolean } & Pick<BrowsingContext, 'hasJustEndedPage'>,
): Promise<BrowsingContext> {
  const { browser } = connection;
  const { browserContextId: id } = await browser.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    ...(options.proxyUrl && { proxyServer: options.proxyUrl, proxyBypassList: '<-loopback>' }),
  });
  await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: id });
  const popups = closePopups(connection, id);
  const openPage = () =>
    popups.except(async () => {
      const { targetId } = await browser.send('Target.createTarget', {
        url: 'about:blank',
        browserContextId: id,
        // A page sees the size of its window too, which the emulation of a desktop does not change.
        ...DESKTOP_VIEWPORT,
      });
      return attachPage(connection, targetId);
    });
  return {
    id,
    connection,
    ...(options.hasJustEndedPage && { hasJustEndedPage: options.hasJustEndedPage }),
    ...(options.isShared ? reusePage(connection, { id, openPage }) : { openPage }),
    popupCount: popups.count,
    async grantPermission(permission) {
      await browser.send('Browser.grantPermissions', { permissions: [permission], browserContextId: id });
    },
    async close() {
      popups.stop();
      await browser.send('Target.disposeBrowserContext', { browserContextId: id });
    },
  };
}

/** Opens the page of the first visit, and the same one again for each visit after it. */
function reusePage(
  connection: CdpConnection,
  { id, openPage }: Pick<BrowsingContext, 'id' | 'openPage'>,
): Required<Pick<BrowsingContext, 'openPage' | 'clear'>> {
  let page: AttachedPage | undefined;
  return {
    async openPage() {
      page = page ? await attachPage(connection, page.targetId) : await openPage();
      return page;
    },
    async clear() {
      if (!page) return;
      const { session, sessionId, targetId } = page;
      const [world] = await Promise.all([
        openIsolatedWorld(session, targetId),
        // Timers and the like may not write anything any more.
        session.send('Emulation.setScriptExecutionDisabled', { value: true }),
      ]);
      // Chromium clears only what it has heard of, and hears of what a page has stored with a delay.
      await world.call(forgetVisit, undefined);
      await session.send('Page.navigate', { url: 'about:blank' });
      await Promise.all([
        connection.browser.send('Storage.clearCookies', { browserContextId: id }),
        session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }),
      ]);
      // Everything that the visit has set in the page ends with its session.
      await connection.browser.send('Target.detachFromTarget', { sessionId });
    },
  };
}

/** Runs in the page. */
const forgetVisit = pageFunction(z.void(), (_: undefined, dom) => {
  window.name = '';
  // A new document has no listeners, which might write something when the page is left.
  dom.open();
  // A document without an origin has no storage.
  if (origin === 'null') return;
  // An entry may be named as the method.
  for (const storage of [localStorage, sessionStorage]) Storage.prototype.clear.call(storage);
});

/** Attaches to a page. */
export async function attachPage(connection: CdpConnection, targetId: string): Promise<AttachedPage> {
  const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
  return { targetId, sessionId, session: connection.session(sessionId) };
}

/** The popups of a context, which are closed at once. */
export interface ClosedPopups {
  /** How many there were so far. */
  count(): number;
  /** Runs a function that opens a page which is no popup. */
  except<Result>(open: () => Promise<Result>): Promise<Result>;
  /** Leaves later popups open. */
  stop(): void;
}

/**
 * Closes all pages that pages of a context open, from now on.
 * @param contextId id of the context; without it, those of the whole browser
 */
export function closePopups({ browser }: CdpConnection, contextId: string | undefined): ClosedPopups {
  let popups = 0;
  let opening = 0;
  const onTargetCreated = ({
    targetInfo,
  }: {
    targetInfo: { browserContextId?: string; targetId: string };
  }) => {
    if ((contextId !== undefined && targetInfo.browserContextId !== contextId) || opening) return;
    popups++;
    // A popup that closed itself cannot be closed again.
    browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(() => undefined);
  };
  browser.on('Target.targetCreated', onTargetCreated);
  return {
    count: () => popups,
    async except(open) {
      opening++;
      try {
        return await open();
      } finally {
        opening--;
      }
    },
    stop: () => void browser.off('Target.targetCreated', onTargetCreated),
  };
}

/**
 * Runs `use` with a context, and closes the context.
 * @param options.keep is called instead of closing it if `use` has succeeded
 * @throws the reason of the signal when it fires, or `Disconnected` when the browser ends
 */
export async function useContext<Result>(
  context: BrowsingContext,
  use: (context: BrowsingContext) => Promise<Result>,
  { signal, keep }: { signal: AbortSignal; keep?: (() => Promise<void>) | undefined },
): Promise<Result> {
  const ended = context.connection.closed.then(() => {
    throw new Disconnected('Chromium ended under the page');
  });
  // The race below may have ended before this rejects.
  ended.catch(() => undefined);
  let end = () => context.close();
  try {
    const result = await untilAborted(() => Promise.race([ended, use(context)]), signal);
    if (keep) end = keep;
    return result;
  } finally {
    await Promise.race([
      // A browser that has ended has closed its contexts.
      end().catch(() => undefined),
      sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
}
