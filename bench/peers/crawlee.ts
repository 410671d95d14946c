import type { Document } from 'domhandler';
import { clean } from '../../src/content/html/clean.ts';
import { toMarkdown } from '../../src/content/html/markdown/index.ts';
import { extractMetadata } from '../../src/content/html/metadata.ts';
import { render } from '../../src/content/rendering/render.ts';
import type { CleanOptions, Snapshot } from '../../src/content/snapshot.ts';
import { type CrawlerTask, serveCrawler } from '../crawl/programs.ts';

/**
 * Runs Crawlee's CheerioCrawler with our extraction and stores the results in its dataset. These settings had
 * no measurable effect: requests without its header generator, an agent that keeps connections alive, the
 * queue without locks.
 */

/** The part of Crawlee that is used. Crawlee's own types are missing until it is installed. */
interface Crawlee {
  CheerioCrawler: new (
    options: { requestHandler(page: Page): Promise<void> },
    configuration: object,
  ) => { run(urls: string[]): Promise<{ requestsFinished: number; requestsFailed: number }> };
  Configuration: new (options: Record<string, unknown>) => object;
}

interface Page {
  request: { url: string; loadedUrl?: string };
  response: { statusCode?: number };
  body: string | Buffer;
  $: { root(): Document[] };
  pushData(item: object): Promise<void>;
  enqueueLinks(options: { globs: string[] }): Promise<unknown>;
}

/** Options of the crawler and of its configuration. */
interface Setting {
  crawler: Record<string, unknown>;
  configuration: Record<string, unknown>;
  /** Whether the extraction parses the page again instead of using Crawlee's tree. */
  parsesAgain?: boolean;
}

const PACKAGE = '@crawlee/cheerio';
const { CheerioCrawler, Configuration }: Crawlee = await import(PACKAGE);
const CLEAN: CleanOptions = { onlyMainContent: true, removeBase64Images: true };

const DEFAULT: Setting = { crawler: {}, configuration: {} };
/** Stores nothing on disk, uses no sessions and no cookies, and does not retry. */
const MEMORY: Setting = {
  crawler: { useSessionPool: false, maxRequestRetries: 0 },
  configuration: { persistStorage: false },
};
/** A fixed number of pages at once, without autoscaling. */
const steady = (atOnce: number): Setting => ({
  ...MEMORY,
  crawler: {
    ...MEMORY.crawler,
    minConcurrency: atOnce,
    maxConcurrency: atOnce,
    autoscaledPoolOptions: {
      systemStatusOptions: { maxEventLoopOverloadedRatio: 1, maxCpuOverloadedRatio: 1 },
    },
  },
});

const SETTINGS: Record<string, Setting> = {
  default: DEFAULT,
  'default-parsing-again': { ...DEFAULT, parsesAgain: true },
  memory: MEMORY,
  ...Object.fromEntries([4, 8, 16, 32].map((atOnce) => [`memory-${atOnce}`, steady(atOnce)])),
};

let crawls = 0;

async function crawl(siteUrl: string, { graph, setting }: CrawlerTask) {
  const { crawler: options, configuration, parsesAgain } = SETTINGS[setting]!;
  let markdownBytes = 0;
  const name = `crawl-${crawls++}`;
  const crawler = new CheerioCrawler(
    {
      ...options,
      async requestHandler(page) {
        const { request, response, pushData, enqueueLinks } = page;
        const { markdown, metadata } = parsesAgain ? await extractFromBody(page) : extractFromTree(page);
        markdownBytes += Buffer.byteLength(markdown);
        const { url, loadedUrl } = request;
        await pushData({
          markdown,
          metadata: { ...metadata, sourceURL: url, url: loadedUrl, statusCode: response.statusCode },
        });
        await enqueueLinks({ globs: [`${siteUrl}/${graph}/*`] });
      },
    },
    // The warm-up uses a separate queue and dataset.
    new Configuration({ defaultRequestQueueId: name, defaultDatasetId: name, ...configuration }),
  );
  const { requestsFinished, requestsFailed } = await crawler.run([`${siteUrl}/${graph}/0`]);
  if (requestsFailed) throw new Error(`Crawlee gave ${requestsFailed} pages up`);
  return { pages: requestsFinished, markdownBytes };
}

function extractFromTree(page: Page) {
  const tree = page.$.root()[0]!;
  return {
    markdown: toMarkdown(clean(tree, snapshotOf(page, ''), CLEAN).tree, { ...CLEAN, tidy: true }),
    metadata: extractMetadata(tree, page.request.url),
  };
}

async function extractFromBody(page: Page) {
  const snapshot = snapshotOf(page, String(page.body));
  const { fields, metadata } = await render({ snapshot, clean: CLEAN, formats: [{ type: 'markdown' }] });
  return { markdown: String(fields.markdown), metadata };
}

function snapshotOf({ request: { url }, response: { statusCode = 0 } }: Page, text: string): Snapshot {
  const contentType = 'text/html';
  return {
    sourceUrl: url,
    url,
    statusCode,
    contentType,
    text,
    kind: 'html',
    engine: 'http',
    fetchedAt: Date.now(),
    files: {},
    proxy: 'basic',
  };
}

await serveCrawler(crawl);
