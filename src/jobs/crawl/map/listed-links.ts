import type { Egress } from '../../../fetch/net/checked-egress.ts';
import type { Database } from '../../../storage/db/client.ts';
import { listFetchedUrls } from '../../../storage/db/pages/fetched-pages.ts';
import { locateSitemaps, type SitemapReport, walkSitemaps } from '../sitemaps/fetch-sitemaps.ts';
import { startUrlAfterRedirect } from '../start-url.ts';
import { type MapContext, mayList } from './map-context.ts';

/**
 * Adds the URLs in the sitemaps.
 * @returns a report on the sitemap files; `timeout` if the time was over before all were read, `undefined` if
 *   there were enough links before that
 */
export async function addSitemapLinks(
  context: MapContext,
  { egress, userAgent }: { egress: Egress; userAgent: string },
): Promise<SitemapReport | 'timeout' | undefined> {
  const { request, base, scope, links, robots, sitemapDeadline, discoveryDeadline } = context;
  const signal = request.sitemap === 'only' ? discoveryDeadline : sitemapDeadline;
  const start = new URL(startUrlAfterRedirect(request.url, base));
  const rules = await robots.readRules(base, discoveryDeadline);
  const walk = walkSitemaps({ egress, userAgent, ...locateSitemaps(start, rules), signal });
  try {
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done) return step.value;
      for (const url of await scope.acceptPages(step.value)) if (mayList(context, url)) links.add(url);
      if (links.isFull) return undefined;
    }
  } catch (error) {
    if (signal.aborted) return 'timeout';
    throw error;
  } finally {
    // This closes the file that was being read.
    await walk.return({ files: 0, missing: [], failed: [], truncated: true });
  }
}

/** Adds pages that the team scraped before, on the host with and without `www`. */
export async function addIndexedLinks(context: MapContext, db: Database): Promise<void> {
  const { base, teamId, limit, scope, links } = context;
  const { host } = new URL(base);
  const hosts = [host, host.startsWith('www.') ? host.slice(4) : `www.${host}`];
  const fetched = await listFetchedUrls(db, { teamId, hosts, limit });
  for (const url of await scope.acceptPages(fetched)) if (mayList(context, url)) links.add(url, {});
}
