import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { CallDialogs } from './call-dialogs.ts';

/** The variables that code finds. */
export interface TabVariables {
  browser: Browser;
  context: BrowserContext;
  page: Page;
}

/** How long a tab that was just opened elsewhere may take to appear here, and how often that is checked. */
const APPEAR_MS = 2_000;
const POLL_MS = 10;

/** The connection to the browser of the session, and the tab that all languages use. */
export class BrowserTab {
  readonly #url: string;
  readonly #artifactsDir: string;
  #browser: Browser | undefined;
  readonly #targetIds = new WeakMap<Page, Promise<string | undefined>>();
  /** All tabs that were seen. One that is gone has been closed, and does not appear again. */
  readonly #seen = new Set<string>();
  readonly #dialogs = new CallDialogs();
  /** The page that the code brought to the front last. */
  #fronted: Page | undefined;

  /**
   * @param url the URL of the browser's protocol, such as `ws+unix:/path:/`
   * @param artifactsDir where Playwright finds downloads, and stores videos and traces
   */
  constructor(url: string, artifactsDir: string) {
    this.#url = url;
    this.#artifactsDir = artifactsDir;
  }

  /** Connects to the browser, also again after the code has disconnected. */
  async connect(): Promise<{ browser: Browser; context: BrowserContext }> {
    if (!this.#browser?.isConnected())
      this.#browser = await chromium.connectOverCDP(this.#url, { artifactsDir: this.#artifactsDir });
    const browser = this.#browser;
    return { browser, context: browser.contexts()[0] ?? (await browser.newContext()) };
  }

  /**
   * Begins a call.
   * @param targetId the tab that `page` shall be; by default any tab
   * @returns the variables of the call
   */
  async begin(targetId?: string): Promise<TabVariables> {
    const { browser, context } = await this.connect();
    this.#dialogs.begin(browser.contexts());
    const page = (await this.#find(context, targetId)) ?? context.pages().at(-1) ?? (await context.newPage());
    this.#watch(page);
    this.#fronted = undefined;
    return { browser, context, page };
  }

  /**
   * Ends a call.
   * @returns the tab that the code uses after it: the one that it assigned to `page`, else the one that it
   * brought to the front, else the same; the newest one if that is closed.
   * @param before the value of `page` before the call, and `after` the one after it
   */
  async end(before: Page, after: unknown): Promise<string | undefined> {
    this.#dialogs.end();
    const pages = this.#browser?.contexts().flatMap((context) => context.pages()) ?? [];
    const assigned = pages.find((page) => page === after);
    const used = assigned !== before ? assigned : (this.#fronted ?? assigned);
    const page = used && !used.isClosed() ? used : pages.at(-1);
    return page && (await this.#targetIdOf(page));
  }

  async #find(context: BrowserContext, targetId: string | undefined): Promise<Page | undefined> {
    if (targetId === undefined) return context.pages()[0];
    for (const deadline = performance.now() + APPEAR_MS; ; ) {
      for (const page of context.pages()) if ((await this.#targetIdOf(page)) === targetId) return page;
      if (this.#seen.has(targetId) || performance.now() > deadline) return undefined;
      await sleep(POLL_MS);
    }
  }

  /** @returns `undefined` if the tab has been closed */
  async #targetIdOf(page: Page): Promise<string | undefined> {
    const reading = this.#targetIds.get(page) ?? readTargetId(page);
    this.#targetIds.set(page, reading);
    const targetId = await reading;
    if (targetId !== undefined) this.#seen.add(targetId);
    return targetId;
  }

  /** Notices which page of the same class is brought to the front. */
  #watch(page: Page): void {
    const prototype = Object.getPrototypeOf(page) as Pick<Page, 'bringToFront'>;
    if (WATCHED.has(prototype)) return;
    WATCHED.add(prototype);
    const { bringToFront } = prototype;
    const notice = (fronted: Page) => {
      this.#fronted = fronted;
    };
    prototype.bringToFront = function (this: Page) {
      notice(this);
      return bringToFront.call(this);
    };
  }
}

const WATCHED = new WeakSet<object>();

/** @returns `undefined` if the tab is closed meanwhile, as a site may do at any time */
async function readTargetId(page: Page): Promise<string | undefined> {
  try {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return targetInfo.targetId;
  } catch (error) {
    if (page.isClosed()) return undefined;
    throw error;
  }
}
