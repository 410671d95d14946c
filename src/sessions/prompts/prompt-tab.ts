import type { Dialog, Page } from 'playwright';
import { attachPlaywright } from '../../fetch/browser/attach-playwright.ts';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import { NetworkMonitor } from '../../fetch/browser/network/network-monitor.ts';
import { waitForNextDocument } from '../../fetch/browser/tab.ts';
import type { WatchedTab } from '../../fetch/browser/wait-until-settled.ts';
import type { Logger } from '../../system/logger.ts';
import { openSessionContext } from '../browser/session-context.ts';
import type { NavigationGuard } from './navigation-guard.ts';

/** Characters of the message of a dialog that the model gets at most. */
const MAX_DIALOG_TEXT = 500;

/** Dialogs of one action that the model is told about at most. */
const MAX_DIALOGS = 10;

/** A tab in which a prompt works. */
export interface PromptTab extends WatchedTab, AsyncDisposable {
  targetId: string;
  /** The same tab, as Playwright controls it. */
  page: Page;
  /** Whether dialogs are confirmed; otherwise they are dismissed. A page may always be left. */
  acceptsDialogs: boolean;
  /** Returns a sentence for each of the first dialogs that were answered since the last call. */
  takeDialogs(): string[];
}

/** Opens a tab of a session for a prompt. @throws Error if the tab has been closed */
export async function openPromptTab(
  targetId: string,
  {
    connection,
    guard,
    logger,
  }: { connection: CdpConnection; guard: NavigationGuard; logger: Pick<Logger, 'warn'> },
): Promise<PromptTab> {
  const session = await guard.guard(targetId);
  const network = new NetworkMonitor({ mainFrameId: targetId, waitForVisuals: false });
  network.watch(session);
  await Promise.all([session.send('Page.enable'), session.send('Network.enable')]);
  const context = openSessionContext(connection, targetId, () => undefined);
  const playwright = await attachPlaywright({ context, targetId });
  let dialogs: string[] = [];
  const tab: PromptTab = {
    targetId,
    session,
    network,
    logger,
    frameId: targetId,
    page: playwright.page,
    acceptsDialogs: false,
    nextDocument: () => waitForNextDocument(session, targetId),
    takeDialogs() {
      const taken = dialogs;
      dialogs = [];
      return taken;
    },
    [Symbol.asyncDispose]: () => playwright[Symbol.asyncDispose](),
  };
  playwright.page.on('dialog', (dialog) => {
    const isAccepted = tab.acceptsDialogs || dialog.type() === 'beforeunload';
    if (dialogs.length < MAX_DIALOGS) dialogs.push(describeDialog(dialog, isAccepted));
    // A viewer may have answered it.
    (isAccepted ? dialog.accept(dialog.defaultValue()) : dialog.dismiss()).catch(() => undefined);
  });
  return tab;
}

const describeDialog = (dialog: Dialog, isAccepted: boolean) =>
  `The page opened a dialog (${dialog.type()}: ${JSON.stringify(dialog.message().slice(0, MAX_DIALOG_TEXT))}), which was ${isAccepted ? 'confirmed' : 'dismissed'}.`;
