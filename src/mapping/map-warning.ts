import { isBelow } from '../crawl/url-path.ts';
import { ServiceError } from '../errors.ts';
import type { MapRequest } from '../schemas/map.ts';
import type { DiscoveredLinks } from './discover-links.ts';

/** If there are fewer links than this below the requested path, the warning suggests how to find more. */
const FEW = 10;

const CRAWL_ENDS: Partial<Record<NonNullable<DiscoveredLinks['crawl']>, string>> = {
  time: 'The time was over before every page had been looked at; raise the timeout for more links.',
  pages: 'Not every page was looked at, for there are too many; map parts of the site by their paths.',
  refused: 'The site asked for a rest before every page had been looked at; try again later.',
};

function startWarning(start: DiscoveredLinks['start']): string | undefined {
  if (start instanceof ServiceError) return `The address itself could not be fetched: ${start.message}`;
  if (start === 'forbidden')
    return 'The robots.txt of the site asks not to visit the address itself. Set ignoreRobotsTxt if you may visit it all the same.';
  if (start && start.statusCode >= 400)
    return `The address itself was answered with HTTP ${start.statusCode}.`;
  return undefined;
}

function sitemapWarning(sitemaps: DiscoveredLinks['sitemaps'], found: number): string | undefined {
  if (sitemaps === 'cut') return 'The time was over before all sitemaps had been read; raise the timeout.';
  if (sitemaps?.truncated) return 'The site has more sitemaps than are read; map parts of it by their paths.';
  const failed = sitemaps?.failed[0];
  if (failed) return `A sitemap could not be read: ${failed.error}`;
  return sitemaps?.files === 0 && found === 0
    ? 'The site has no sitemap where one is looked for.'
    : undefined;
}

/** Explains why there are few links, if the requested path limits them. */
function folderWarning({ base, folder, links }: DiscoveredLinks, limit: number): string | undefined {
  if (!isBelow(folder, new URL(base)))
    return `The address leads to ${base}, which is not below ${folder}: only links below ${folder} are listed. Map ${base} for what lies there, or set filterByPath to false.`;
  return folder !== '' && links.size < Math.min(FEW, limit)
    ? `Only few links lie below ${folder}. For more, map ${new URL('/', base).href}, or set filterByPath to false.`
    : undefined;
}

function robotsWarning(excluded: string[]): string | undefined {
  const [first] = excluded;
  if (first === undefined) return undefined;
  const count = excluded.length.toLocaleString('en');
  return excluded.length === 1
    ? `The robots.txt of the site excludes ${first}, which is left out. Set ignoreRobotsTxt if you may list it all the same.`
    : `The robots.txt of the site excludes ${count} links, which are left out, such as ${first}. Set ignoreRobotsTxt if you may list them all the same.`;
}

/**
 * Explains why there may be more links than were found, and what the user can do about it.
 * @returns `undefined` if there is nothing to say
 */
export function warningOf(survey: DiscoveredLinks, { sitemap, limit }: MapRequest): string | undefined {
  const { start, sitemaps, crawl, links } = survey;
  const isOnly = sitemap === 'only';
  const reasons = [
    isOnly ? undefined : startWarning(start),
    // If links are followed too, a sitemap that could not be read hardly matters.
    isOnly || sitemaps === 'cut' ? sitemapWarning(sitemaps, links.size) : undefined,
    crawl && CRAWL_ENDS[crawl],
    folderWarning(survey, limit),
    robotsWarning(links.listExcluded()),
  ].filter((reason) => reason !== undefined);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}
