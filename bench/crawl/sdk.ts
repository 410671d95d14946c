import { Firecrawl } from 'firecrawl';
import { short, table } from '../figures.ts';
import type { Bench } from './bench.ts';
import { withSite } from './programs.ts';
import { startProxy } from './proxy.ts';
import { crawlRequest } from './request.ts';
import { readHead } from './service.ts';

/** Counts the requests of the official SDK while it waits for a crawl. @returns markdown tables */
export async function measureSdk({ options, service: { instance } }: Bench): Promise<string> {
  const { graph, sdkPages: pages = 0 } = options;
  const proxy = await startProxy(instance.url);
  try {
    return await withSite(pages, async ({ url: siteUrl }) => {
      const { url, ...request } = crawlRequest({ siteUrl, graph, pages });
      const client = new Firecrawl({ apiKey: instance.key, apiUrl: proxy.url });
      const { id, status, data } = await client.crawl(url, {
        ...request,
        includePaths: [...request.includePaths],
      });
      const head = await readHead(instance, `/v2/crawl/${id}`);
      const asked = proxy.passed.filter(
        ({ method, path }) => method === 'GET' && path.includes(`/crawl/${id}`),
      );
      const end = Date.parse(head.completedAt ?? '');
      const during = asked.filter(({ at }) => at <= end).length;
      const distinct = new Set(data.map(({ metadata }) => metadata?.sourceURL)).size;
      return `${table([
        {
          [`SDK, crawl of ${pages} pages`]: status,
          seconds: short(head.duration ?? 0),
          'status requests while it ran': during,
          'per second (≤ 1)': (during / (head.duration ?? 0)).toFixed(2),
          'after it': asked.length - during,
          documents: data.length,
          distinct,
        },
      ])}`;
    });
  } finally {
    proxy.close();
  }
}
