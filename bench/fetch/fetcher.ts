import { availableParallelism } from 'node:os';
import { Agent, request } from 'undici';
import { createRenderPool } from '../../src/content/rendering/render-pool.ts';
import type { FetchedSnapshot } from '../../src/content/snapshot.ts';
import { type Engines, fetchPage } from '../../src/fetch/engines/fetch-page.ts';
import { createHttpEngine } from '../../src/fetch/engines/http-engine.ts';
import { createEgress } from '../../src/fetch/net/checked-egress.ts';
import { USER_AGENT } from '../../src/fetch/net/user-agent.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { serveCrawler } from '../crawl/programs.ts';
import { measure } from '../figures.ts';

/**
 * Fetches all pages of a site and converts them in the service's threads. The setting names the fetcher and
 * the number of pages at once: `engine-8` uses the service's engines with the escalation, `undici-8` uses
 * undici and decodes every response as UTF-8.
 */

const PAGE_MS = 30_000;
/** The same limit as in the worker. */
const THREAD_MEMORY_MB = 512;

type GetPage = (url: string, signal: AbortSignal) => Promise<FetchedSnapshot>;

const WAYS: Record<string, GetPage> = { engine: throughEngines(), undici: throughUndici() };
const renderer = createRenderPool({
  threads: availableParallelism(),
  maxMemoryMb: THREAD_MEMORY_MB,
  maxTaskMs: 60_000,
});

await serveCrawler(async (siteUrl, { graph, pages, setting }) => {
  const [way = '', atOnce] = setting.split('-');
  let markdownBytes = 0;
  await measure(pages, Number(atOnce), async (n) => {
    const signal = AbortSignal.timeout(PAGE_MS);
    const snapshot = await WAYS[way]!(`${siteUrl}/${graph}/${n}`, signal);
    if (snapshot.statusCode !== 200) throw new Error(`${snapshot.url} answered ${snapshot.statusCode}`);
    const clean = { onlyMainContent: true, removeBase64Images: true };
    const task = { snapshot, clean, formats: [{ type: 'markdown' }] };
    const { fields } = await renderer.render(task, { owner: 'bench', signal });
    markdownBytes += Buffer.byteLength(String(fields.markdown));
  });
  return { pages, markdownBytes };
});

function throughEngines(): GetPage {
  const unused = (what: string) => () => Promise.reject(new Error(`${what} was asked for a static page`));
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  const engines: Engines = {
    http: createHttpEngine({ egress, userAgent: USER_AGENT, maxBodyBytes: 50 * 1024 * 1024 }),
    browser: { fetchPage: unused('the browser') },
    upload: { readUpload: unused('an uploaded file') },
    proxies: egress.upstreams,
    convertIfDocument: async (page) => page,
    cache: { find: unused('the cache'), store: unused('the cache') },
  };
  return async (url, signal) => {
    const asked = scrapeBody.parse({ url, maxAge: 0, storeInCache: false });
    return (await fetchPage(engines, asked, { signal, teamId: 'bench', conversionOwner: 'bench' })).snapshot;
  };
}

function throughUndici(): GetPage {
  const dispatcher = new Agent();
  return async (url, signal) => {
    const { statusCode, headers, body } = await request(url, { dispatcher, signal });
    return {
      sourceUrl: url,
      url,
      statusCode,
      contentType: String(headers['content-type']),
      kind: 'html',
      text: await body.text(),
      engine: 'http',
      proxy: 'basic',
      fetchedAt: Date.now(),
      files: {},
    };
  };
}
