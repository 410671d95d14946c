import { locateSitemaps, type SitemapReport, walkSitemaps } from '../crawl/sitemaps/walk-sitemaps.ts';
import { startUrlAfterRedirect } from '../crawl/start-url.ts';
import type { Database } from '../db/client.ts';
import { listFetchedUrls } from '../db/pages/fetched-pages.ts';
import type { Egress } from '../net/egress.ts';
import { type MapContext, mayList } from './map-context.ts';

/**
 * Adds the URLs in the sitemaps.
 * @returns a report on the sitemap files; `cut` if the time was over before all were read, `undefined` if
 *   there were enough links before that
 */
export async function addSitemapLinks(
  ground: MapContext,
  deps: { egress: Egress; userAgent: string },
): Promise<SitemapReport | 'cut' | undefined> {
  const { request, base, scope, links, rules, half, enough } = ground;
  const signal = request.sitemap === 'only' ? enough : half;
  const places = locateSitemaps(
    new URL(startUrlAfterRedirect(request.url, base)),
    await rules.readRules(base, enough),
  );
  const walk = walkSitemaps({ egress: deps.egress, userAgent: deps.userAgent, ...places, signal });
  try {
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done) return step.value;
      for (const named of step.value) {
        const url = scope.acceptPage(named);
        if (url && mayList(ground, url)) links.add(url);
      }
      if (links.isFull) return undefined;
    }
  } catch (error) {
    if (signal.aborted) return 'cut';
    throw error;
  } finally {
    // This closes the file that was being read.
    await walk.return({ files: 0, missing: [], failed: [], truncated: true });
  }
}

/** Adds pages that the team scraped before, on the host with and without `www`. */
export async function addIndexedLinks(ground: MapContext, db: Database): Promise<void> {
  const { base, teamId, limit, scope, links } = ground;
  const { host } = new URL(base);
  const hosts = [host, host.startsWith('www.') ? host.slice(4) : `www.${host}`];
  for (const known of await listFetchedUrls(db, { teamId, hosts, limit })) {
    const url = scope.acceptPage(known);
    if (url && mayList(ground, url)) links.add(url, {});
  }
}
