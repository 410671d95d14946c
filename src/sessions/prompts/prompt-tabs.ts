import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import type { Logger } from '../../system/logger.ts';
import { untilAborted } from '../../system/until-aborted.ts';
import { NavigationGuard } from './navigation-guard.ts';
import { openPromptTab, type PromptTab } from './prompt-tab.ts';

/** How long a hung page may delay the end of a prompt, in milliseconds. */
const LEAVE_MS = 1_000;
/** How long a tab may take to respond, in milliseconds. */
const OPEN_MS = 5_000;

/** The tab in use of a session, for one prompt. It follows viewers and popups to other tabs. */
export class PromptTabs implements AsyncDisposable {
  readonly guard: NavigationGuard;
  readonly #connection: CdpConnection;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #currentTarget: () => Promise<string>;
  /** The tab that was used last; `undefined` if it could not be opened. */
  #tab: Promise<PromptTab | undefined> | undefined;

  /**
   * @param options.currentTarget returns the id of the tab in use
   * @param options.hosts the hosts on which the prompt is kept
   */
  constructor({
    connection,
    currentTarget,
    hosts,
    logger,
  }: {
    connection: CdpConnection;
    currentTarget: () => Promise<string>;
    hosts: readonly string[];
    logger: Pick<Logger, 'warn'>;
  }) {
    this.#connection = connection;
    this.#logger = logger;
    this.#currentTarget = currentTarget;
    this.guard = new NavigationGuard(connection, hosts);
  }

  /** Returns the tab in use. @throws Error if it was closed at this moment, or does not respond */
  async current(): Promise<PromptTab> {
    const targetId = await this.#currentTarget();
    const known = await this.#tab;
    if (known?.targetId === targetId) return known;
    await known?.[Symbol.asyncDispose]();
    const opening = openPromptTab(targetId, {
      connection: this.#connection,
      guard: this.guard,
      logger: this.#logger,
    });
    this.#tab = opening.catch(() => undefined);
    try {
      return await untilAborted(() => opening, AbortSignal.timeout(OPEN_MS));
    } catch (error) {
      // It may open later, and is not waited for then.
      this.#tab = undefined;
      void opening.then(
        (tab) => tab[Symbol.asyncDispose](),
        () => undefined,
      );
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const leaving = this.#tab?.then((tab) => tab?.[Symbol.asyncDispose]());
    // A page that hangs may be attached to only later, and is left then.
    await Promise.race([leaving, sleep(LEAVE_MS, undefined, { ref: false })]);
    await this.guard.stop();
  }
}
