import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserType, chromium, type Page } from 'playwright';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { unprivileged } from '../browser/unprivileged.ts';
import { serveVisitor, type VisitorTask } from '../browser/visitors.ts';

/**
 * Runs Crawlee's PlaywrightCrawler, which is told which text to wait for. It opens a fixed number of pages at
 * once in one browser, like the other visitors, and stores nothing on disk.
 */

/** The part of Crawlee that is used. Crawlee's own types are missing until it is installed. */
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

/** Options of the browser by the name of the visitor. */
const SETTINGS: Record<string, { useIncognitoPages?: boolean; useFingerprints?: boolean }> = {
  /** A context for each page, as the other visitors have; otherwise the pages of a browser share one. */
  'crawlee-contexts': { useIncognitoPages: true },
  /** The same without generated fingerprints, which are the default. */
  'crawlee-contexts-plain': { useIncognitoPages: true, useFingerprints: false },
  'crawlee-one-context': {},
};

/** Number of pages that one browser opens, as in our own pool. */
const USES = 1_000;
/** Interval at which Crawlee looks for new requests. The default of half a second would delay them. */
const LOOKS_EVERY_SECONDS = 0.02;

const PACKAGE = '@crawlee/playwright';
const { PlaywrightCrawler, Configuration }: Crawlee = await import(PACKAGE);
const [name = '', text = ''] = process.argv.slice(2);
// measureVisitor passes this argument.
const task = JSON.parse(text) as VisitorTask;
const { path: executablePath } = await findChromium(readConfig());
const directory = await mkdtemp(path.join(tmpdir(), 'winnow-bench-'));
const { useIncognitoPages, useFingerprints = true } = SETTINGS[name]!;

let onPage: (url: string, html: string) => void;
let onFailure: (error: Error) => void;

const crawler = new PlaywrightCrawler(
  {
    keepAlive: true,
    useSessionPool: false,
    maxRequestRetries: 0,
    minConcurrency: task.atOnce,
    maxConcurrency: task.atOnce,
    autoscaledPoolOptions: {
      maybeRunIntervalSecs: LOOKS_EVERY_SECONDS,
      systemStatusOptions: {
        maxEventLoopOverloadedRatio: 1,
        maxCpuOverloadedRatio: 1,
        maxMemoryOverloadedRatio: 1,
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
