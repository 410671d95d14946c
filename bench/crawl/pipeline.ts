import { availableParallelism } from 'node:os';
import { createRenderPool } from '../../src/content/rendering/render-pool.ts';
import { PLAIN_PAGE } from '../../src/fetch/engines/engine.ts';
import { createHttpEngine } from '../../src/fetch/engines/http-engine.ts';
import { createEgress } from '../../src/fetch/net/checked-egress.ts';
import { USER_AGENT } from '../../src/fetch/net/user-agent.ts';
import { createLinkFilter } from '../../src/jobs/crawl/link-filter.ts';
import { ALLOW_ALL } from '../../src/jobs/crawl/robots/fetch-robots-txt.ts';
import { crawlBody } from '../../src/schemas/crawl.ts';
import { NULL_CIPHER } from '../../src/system/encryption/job-cipher.ts';
import { type CrawlerTask, serveCrawler } from './programs.ts';
import { crawlRequest } from './request.ts';

/**
 * Runs the service's fetch, rendering threads and link discovery with the frontier in memory, which is the
 * minimum cost of a crawl. Results are discarded. The setting is the number of pages at once.
 */

const PAGE_MS = 30_000;
const MAX_BODY_BYTES = 50 * 1024 * 1024;
/** The same limit as in the worker. */
const THREAD_MEMORY_MB = 512;

const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
const http = createHttpEngine({ egress, userAgent: USER_AGENT, maxBodyBytes: MAX_BODY_BYTES });
/** The site has no robots.txt rules. */
const robots = { readRules: async () => ({ rules: ALLOW_ALL }), readRulesIfAvailable: async () => ALLOW_ALL };
const renderer = createRenderPool({
  threads: availableParallelism(),
  maxMemoryMb: THREAD_MEMORY_MB,
  maxTaskMs: 60_000,
});

async function scrape(url: string) {
  const signal = AbortSignal.timeout(PAGE_MS);
  const snapshot = await http.fetchPage(
    {
      ...PLAIN_PAGE,
      sourceUrl: url,
      url,
    },
    signal,
  );
  if (snapshot.statusCode !== 200) throw new Error(`${url} answered ${snapshot.statusCode}`);
  const clean = { onlyMainContent: true, removeBase64Images: true };
  const task = { snapshot, clean, formats: [{ type: 'markdown' }], discover: true };
  return renderer.render(task, { owner: 'bench', signal, urgent: false });
}

async function crawl(siteUrl: string, { graph, pages: limit, setting }: CrawlerTask) {
  const request = crawlBody.parse(crawlRequest({ siteUrl, graph, pages: limit }));
  const guide = createLinkFilter(
    { jobId: 'in memory', teamId: 'bench', cipher: NULL_CIPHER, request, start: request.url },
    { robots, renderer },
  );
  const pages = [{ url: request.url, depth: 0 }];
  const met = new Set([guide.pageKey(request.url).toString('hex')]);
  const running = new Set<Promise<void>>();
  let markdownBytes = 0;

  async function visit(page: { url: string; depth: number }): Promise<void> {
    const { fields, discovered = [] } = await scrape(page.url);
    markdownBytes += Buffer.byteLength(String(fields.markdown));
    const { found } = await guide.filterLinks(discovered, page, AbortSignal.timeout(PAGE_MS));
    for (const { key, url, depth } of found) {
      const name = key?.toString('hex') ?? url;
      if (met.has(name)) continue;
      met.add(name);
      pages.push({ url, depth });
    }
  }

  for (let next = 0; next < Math.min(pages.length, limit) || running.size; ) {
    while (next < Math.min(pages.length, limit) && running.size < Number(setting)) {
      const visiting = visit(pages[next++]!).finally(() => running.delete(visiting));
      running.add(visiting);
    }
    await Promise.race(running);
  }
  return { pages: Math.min(pages.length, limit), markdownBytes };
}

await serveCrawler(crawl);
