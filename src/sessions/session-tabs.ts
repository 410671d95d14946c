import type { CdpConnection } from '../fetch/browser/chromium/cdp.ts';
import type { HiddenTab } from './protocol/hidden-tab.ts';

/** The tabs of a session that clients and viewers see, and which of them is in use. */
export class SessionTabs {
  /** The target id of the tab that was last used; it may have been closed meanwhile. */
  lastUsed: string | undefined;
  readonly #connection: CdpConnection;
  #hidden: HiddenTab | undefined;

  constructor(connection: CdpConnection) {
    this.#connection = connection;
  }

  /** Leaves out a tab that only the host uses. */
  hide(tab: HiddenTab): void {
    this.#hidden = tab;
  }

  /** Returns the target ids of all tabs. */
  async list(): Promise<string[]> {
    const { targetInfos } = await this.#connection.browser.send('Target.getTargets', {
      filter: [{ type: 'page' }],
    });
    return targetInfos.map(({ targetId }) => targetId).filter((targetId) => !this.#hidden?.has(targetId));
  }

  /**
   * Returns the target id of the tab in use: the oldest one if that was closed, a new one if there is none.
   */
  async current(): Promise<string> {
    const targetIds = await this.list();
    const current = targetIds.find((targetId) => targetId === this.lastUsed) ?? targetIds[0];
    if (current !== undefined) return current;
    const { browser } = this.#connection;
    return (await browser.send('Target.createTarget', { url: 'about:blank' })).targetId;
  }
}
