import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';

/** How the console is opened. */
interface Opening {
  isSignedIn?: boolean;
  theme?: 'light' | 'dark';
  /** In place of that of the first team. */
  key?: string;
}

/** A browser for the users of a service's console, for all tests of a file. It resolves no name. */
export function useConsole(service: { url: string; key: string }) {
  let browser: Browser;
  beforeAll(async () => {
    const { path: executablePath } = await findChromium(readConfig());
    browser = await chromium.launch({
      executablePath,
      args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
    });
  });
  afterAll(() => browser?.close());
  return {
    /** Opens the console at a path, as a user of its own. */
    async open(path: string, { isSignedIn = true, theme = 'light', key = service.key }: Opening = {}) {
      const context = await browser.newContext({ colorScheme: theme });
      // The timeout of the test ends it; a busy machine takes its time.
      context.setDefaultTimeout(0);
      if (isSignedIn) {
        const item = ['winnow-api-key', key] as const;
        await context.addInitScript(([name, key]) => sessionStorage.setItem(name, key), item);
      }
      const user = new User(await context.newPage(), context);
      await user.page.goto(`${service.url}/console${path}`);
      return user;
    },
  };
}

/** A user of the console, and what their browser met. */
class User {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly requests: string[] = [];
  readonly errors: string[] = [];

  constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.#context = context;
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', ({ message }) => this.errors.push(message));
  }

  /** Scrapes a page in the playground, and waits for the result. */
  async scrape(url: string): Promise<void> {
    await this.page.getByLabel('url', { exact: true }).fill(url);
    await this.page.getByRole('button', { name: 'Scrape', exact: true }).click();
    await this.page.getByRole('tab', { name: 'Markdown' }).waitFor();
  }

  async [Symbol.asyncDispose]() {
    await this.#context.close();
  }
}

/**
 * What axe-core finds on a page: the rules, and the elements that break them.
 * @param rule the only rule that is looked at; all of them by default
 */
export async function findFaults(page: Page, rule?: string): Promise<string[]> {
  // The page's policy lets no other script in; this way is that of the DevTools protocol.
  const options = rule === undefined ? {} : { runOnly: rule };
  const script = `${axe.source}; axe.run(${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(script)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
