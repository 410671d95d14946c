import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright';
import { connectPlaywright } from '../../fetch/browser/attach-playwright.ts';
import type { OpenProfile } from '../../fetch/browser/browser-profile.ts';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import { HiddenTab } from '../protocol/hidden-tab.ts';

/**
 * How long tabs that were opened just before the end may take until their storage can be saved, in
 * milliseconds.
 */
const LAST_TABS_MS = 2_000;
const POLL_MS = 10;

/** Options of {@link SessionProfile.load}. */
export interface ProfileLoadOptions {
  connection: CdpConnection;
  /** The URL by which the host's own Playwright reaches the browser. */
  protocolUrl: string;
  /** The tab whose page the session uses first. */
  targetId: string;
  /**
   * Called with the tab in which storage is read, before Playwright uses it. Clients and viewers must not see
   * it.
   */
  onHiddenTab(tab: HiddenTab): void;
  /** Called if the profile is not saved after all. */
  onUnsaved(error: unknown): void;
}

/** The profile of a session. If it has a saver, it is saved while the session lasts and at its end. */
export class SessionProfile {
  /** Resolves when the session is about to end, so that its profile is saved for the last time. */
  readonly #end = Promise.withResolvers<void>();
  #saved: Promise<void> | undefined;

  constructor() {
    // Only a profile that is loaded waits for it.
    this.#end.promise.catch(() => undefined);
  }

  /**
   * Loads a profile into a browser, and keeps its lease until it has been saved for the last time.
   * @throws ServiceError `PROFILE_ERROR` if it cannot be loaded
   */
  async load(profile: OpenProfile, options: ProfileLoadOptions): Promise<void> {
    const loaded = Promise.withResolvers<void>();
    this.#saved = this.#run(profile, { ...options, onLoaded: loaded.resolve }).catch((error: unknown) => {
      loaded.reject(error);
      options.onUnsaved(error);
    });
    await loaded.promise;
  }

  /**
   * Saves the profile for the last time, if it has a saver.
   * @param maxMs how long that may take, in milliseconds
   */
  async finish(maxMs: number): Promise<void> {
    this.#end.resolve();
    await Promise.race([this.#saved, sleep(maxMs, undefined, { ref: false })]);
  }

  /** Gives up saving, because the browser is gone. The last checkpoint remains. */
  async abandon(): Promise<void> {
    this.#end.reject(new Error('the browser has ended'));
    await this.#saved;
  }

  async #run(profile: OpenProfile, options: ProfileLoadOptions & { onLoaded(): void }): Promise<void> {
    await using held = profile;
    const { connection, protocolUrl, targetId, onHiddenTab, onLoaded } = options;
    const hiddenTab = await HiddenTab.open(connection);
    onHiddenTab(hiddenTab);
    await using playwright = await connectPlaywright(protocolUrl);
    const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
    await held.runWith(playwright.context, { session: connection.session(sessionId) }, async () => {
      onLoaded();
      if (!held.isSaved) return;
      await this.#end.promise;
      await untilTabsAreKnown(playwright.context, { connection, hiddenTab });
    });
    if (!held.isSaved) await hiddenTab.close();
  }
}

/** Waits until Playwright knows all tabs, because it saves only the storage of sites that it has seen. */
async function untilTabsAreKnown(
  context: BrowserContext,
  { connection, hiddenTab }: Pick<ProfileLoadOptions, 'connection'> & { hiddenTab: HiddenTab },
): Promise<void> {
  const { targetInfos } = await connection.browser.send('Target.getTargets', { filter: [{ type: 'page' }] });
  // It is in the default context. The storage of others does not belong to the profile.
  const contextId = targetInfos.find(({ targetId }) => hiddenTab.has(targetId))?.browserContextId;
  const tabs = targetInfos.filter(
    (info) => info.browserContextId === contextId && !hiddenTab.has(info.targetId),
  );
  const deadline = performance.now() + LAST_TABS_MS;
  while (context.pages().length < tabs.length && performance.now() < deadline) await sleep(POLL_MS);
}
