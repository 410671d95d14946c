import type { Session } from '../../fetch/browser/chromium/cdp.ts';
import type { ControlMessage } from '../../schemas/live-view.ts';

/** What the bar of a browser shows of a tab, and what its buttons need. */
export interface Navigation {
  isLoading: boolean;
  canGoBack: boolean;
  canGoForward: boolean;
  /** Why its page could not be opened; `undefined` if it was. */
  failure: string | undefined;
}

/** The navigation of a tab that has just opened. */
export const NO_NAVIGATION: Navigation = {
  isLoading: false,
  canGoBack: false,
  canGoForward: false,
  failure: undefined,
};

/** A tab whose navigations are watched. */
interface NavigatedTab {
  targetId: string;
  session: Session;
  navigation: Navigation;
  /** Why its last request for a page failed. */
  lastFailure?: { url: string; reason: string } | undefined;
}

/** Keeps the navigation of a tab up to date, whose domain `Page` is enabled. */
export function watchNavigation(tab: NavigatedTab, onChanged: () => void): void {
  const { session, targetId, navigation } = tab;
  const setLoading = (frameId: string, isLoading: boolean) => {
    if (frameId !== targetId || navigation.isLoading === isLoading) return;
    navigation.isLoading = isLoading;
    onChanged();
  };
  session.on('Page.frameStartedLoading', ({ frameId }) => setLoading(frameId, true));
  session.on('Page.frameStoppedLoading', ({ frameId }) => setLoading(frameId, false));
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    const { unreachableUrl } = frame;
    const known = tab.lastFailure?.url === unreachableUrl ? tab.lastFailure?.reason : undefined;
    navigation.failure = unreachableUrl === undefined ? undefined : (known ?? 'Failed');
    onChanged();
  });
  session.on('Page.navigatedWithinDocument', ({ frameId }) => {
    if (frameId === targetId) onChanged();
  });
}

/** Reads whether a tab can go back and forward. One that is closed meanwhile needs no history. */
export async function readHistory({ session, navigation }: NavigatedTab): Promise<void> {
  const history = await session.send('Page.getNavigationHistory').catch(() => undefined);
  if (!history) return;
  navigation.canGoBack = history.currentIndex > 0;
  navigation.canGoForward = history.currentIndex < history.entries.length - 1;
}

/** Does what a button of the bar stands for. A tab that is closed meanwhile does nothing. */
export async function moveInHistory(
  session: Session,
  { move }: Extract<ControlMessage, { type: 'history' }>,
): Promise<void> {
  if (move === 'reload') await session.send('Page.reload');
  else if (move === 'stop') await session.send('Page.stopLoading');
  else {
    const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
    const entry = entries[currentIndex + (move === 'back' ? -1 : 1)];
    if (entry) await session.send('Page.navigateToHistoryEntry', { entryId: entry.id });
  }
}
