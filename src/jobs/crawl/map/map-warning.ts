import { ServiceError } from '../../../errors.ts';
import type { MapRequest } from '../../../schemas/map.ts';
import { warnOfLocation } from '../../../schemas/visitor.ts';
import { isBelow } from '../url-path.ts';
import type { DiscoveredLinks } from './discover-links.ts';

/** If there are fewer links than this below the requested path, the warning suggests how to find more. */
const FEW_LINKS = 10;

const CRAWL_END_WARNINGS: Partial<Record<NonNullable<DiscoveredLinks['crawl']>, string>> = {
  time: 'The time ran out before every page had been visited. Raise the timeout to find more links.',
  pages: 'The site has too many pages to visit them all. Map parts of the site by their paths.',
  refused: 'The site asked to slow down before every page had been visited. Try again later.',
};

function startWarning(start: DiscoveredLinks['start']): string | undefined {
  if (start instanceof ServiceError) return `The requested URL could not be fetched: ${start.message}`;
  if (start === 'forbidden')
    return 'The robots.txt of the site disallows the requested URL. Set ignoreRobotsTxt if you are allowed to visit it anyway.';
  if (start && start.statusCode >= 400) return `The requested URL returned HTTP ${start.statusCode}.`;
  return undefined;
}

function sitemapWarning(sitemaps: DiscoveredLinks['sitemaps'], found: number): string | undefined {
  if (sitemaps === 'timeout')
    return 'The time ran out before all sitemaps had been read. Raise the timeout to find more links.';
  if (sitemaps?.truncated) return 'The site has more sitemaps than are read. Map parts of it by their paths.';
  const failed = sitemaps?.failed[0];
  if (failed) return `A sitemap could not be read: ${failed.error}`;
  return sitemaps?.files === 0 && found === 0
    ? 'The site has no sitemap in its robots.txt or at the usual URLs.'
    : undefined;
}

/** Explains why there are few links, if the requested path limits them. */
function pathWarning({ base, folder, links }: DiscoveredLinks, limit: number): string | undefined {
  if (!isBelow(folder, new URL(base)))
    return `The requested URL redirects to ${base}, which is not below ${folder}. Only links below ${folder} are listed. Map ${base} for the links there, or set filterByPath to false.`;
  return folder !== '' && links.size < Math.min(FEW_LINKS, limit)
    ? `There are only a few links below ${folder}. For more, map ${new URL('/', base).href}, or set filterByPath to false.`
    : undefined;
}

function robotsWarning(excluded: string[]): string | undefined {
  const [first] = excluded;
  if (first === undefined) return undefined;
  const count = excluded.length.toLocaleString('en');
  return excluded.length === 1
    ? `The robots.txt of the site disallows ${first}, so it is not listed. Set ignoreRobotsTxt if you are allowed to list it anyway.`
    : `The robots.txt of the site disallows ${count} links, such as ${first}, so they are not listed. Set ignoreRobotsTxt if you are allowed to list them anyway.`;
}

/**
 * Explains why there may be more links than were found, and what the user can do about it.
 * @returns `undefined` if nothing suggests that there are more links
 */
export function mapWarning(
  discovered: DiscoveredLinks,
  { sitemap, limit, location }: MapRequest,
): string | undefined {
  const { start, sitemaps, crawl, links } = discovered;
  const isSitemapOnly = sitemap === 'only';
  const reasons = [
    isSitemapOnly ? undefined : startWarning(start),
    // If links are followed too, a sitemap that could not be read hardly matters.
    isSitemapOnly || sitemaps === 'timeout' ? sitemapWarning(sitemaps, links.size) : undefined,
    crawl && CRAWL_END_WARNINGS[crawl],
    pathWarning(discovered, limit),
    robotsWarning(links.listExcluded()),
    ...warnOfLocation(location),
  ].filter((reason) => reason !== undefined);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}
