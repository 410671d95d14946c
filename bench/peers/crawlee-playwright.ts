import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserType, chromium, type Page } from 'playwright';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/embedded/chromium.ts';
import { unprivileged } from '../browser/unprivileged.ts';
import { serveVisitor, type VisitorTask } from '../browser/visitors.ts';

/**
 * Crawlee's PlaywrightCrawler, told what to wait for. It opens as many pages at once as the others from the start to
 * the end, in one browser, and keeps nothing on disk.
 */

/** What is used of Crawlee; it is not there before it is installed, so neither are its types. */
interface Crawlee {
  PlaywrightCrawler: new (
    options: {
      launchContext: { launcher: BrowserType; [option: string]: unknown };
      requestHandler(visited: { page: Page; request: { url: string } }): Promise<void>;
      [option: string]: unknown;
    },
    configuration: object,
  ) => {
    run(): Promise<unknown>;
    addRequests(urls: string[]): Promise<unknown>;
    teardown(): Promise<void>;
  };
  Configuration: new (options: Record<string, unknown>) => object;
}

/** How its browser is set up, by the visitor's name. */
const SETTINGS: Record<string, { useIncognitoPages?: boolean; useFingerprints?: boolean }> = {
  /** A context for each page, as everybody else has; else, the pages of a browser share one. */
  'crawlee-contexts': { useIncognitoPages: true },
  /** The same without made-up fingerprints, which are its default. */
  'crawlee-contexts-plain': { useIncognitoPages: true, useFingerprints: false },
  'crawlee-one-context': {},
};

/** Those of our own pool: pages that one browser opens. */
const USES = 1_000;
/** Half a second by default, which new requests would wait for. */
const LOOKS_EVERY_SECONDS = 0.02;

const PACKAGE = '@crawlee/playwright';
const { PlaywrightCrawler, Configuration }: Crawlee = await import(PACKAGE);
const [name = '', text = ''] = process.argv.slice(2);
// Its parent is measureVisitor.
const task = JSON.parse(text) as VisitorTask;
const { path: executablePath } = await findChromium(readConfig());
const directory = await mkdtemp(path.join(tmpdir(), 'winnow-bench-'));
const { useIncognitoPages, useFingerprints = true } = SETTINGS[name]!;

let onPage: (url: string, html: string) => void;
let onFailure: (error: Error) => void;

const crawler = new PlaywrightCrawler(
  {
    ...{ keepAlive: true, useSessionPool: false, maxRequestRetries: 0 },
    ...{ minConcurrency: task.atOnce, maxConcurrency: task.atOnce },
    autoscaledPoolOptions: {
      maybeRunIntervalSecs: LOOKS_EVERY_SECONDS,
      systemStatusOptions: {
        ...{ maxEventLoopOverloadedRatio: 1, maxCpuOverloadedRatio: 1, maxMemoryOverloadedRatio: 1 },
      },
    },
    browserPoolOptions: { useFingerprints, retireBrowserAfterPageCount: USES },
    launchContext: {
      launcher: chromium,
      ...(useIncognitoPages && { useIncognitoPages }),
      launchOptions: {
        executablePath: await unprivileged(directory, executablePath),
        chromiumSandbox: true,
        args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
      },
    },
    async requestHandler({ page, request }) {
      await page.waitForSelector('article p');
      onPage(request.url, await page.content());
    },
    failedRequestHandler: (_visited: unknown, error: Error) => onFailure(error),
  },
  new Configuration({ persistStorage: false }),
);
const running = crawler.run();
await serveVisitor(task, async (urls, check) => {
  const done = Promise.withResolvers<void>();
  let open = urls.length;
  onFailure = done.reject;
  onPage = (url, html) => {
    check(url, html);
    if (--open === 0) done.resolve();
  };
  await crawler.addRequests(urls);
  await Promise.race([done.promise, running]);
});
await crawler.teardown();
await rm(directory, { recursive: true, force: true });
process.exit();
