import { createFrontier, type Step } from '../crawl/frontier.ts';
import type { Guides } from '../crawl/guides.ts';
import { type LightCrawlEnd, runLightCrawl, type Visit } from '../crawl/light-crawl.ts';
import { createMapLinks, type MapLinks } from '../crawl/map-links.ts';
import { createMapScope, type MapScope } from '../crawl/map-scope.ts';
import type { Robots } from '../crawl/robots.ts';
import { type SitemapReport, sitemapRoots, walkSitemaps } from '../crawl/sitemaps.ts';
import { createTrapGuard } from '../crawl/traps.ts';
import type { Database } from '../db/client.ts';
import { listKnownPages } from '../db/known-pages.ts';
import { ServiceError } from '../errors.ts';
import type { MapRequest } from '../schemas/map.ts';
import { createMapPages, type MapPage, type MapPageDoors, type MapPages } from './map-pages.ts';

/** What a survey needs from outside. */
export interface SurveyDoors extends MapPageDoors {
  db: Database;
  guides: Guides;
}

/** Which site, for whom, and for how long. */
export interface SurveyOrder {
  request: MapRequest;
  teamId: string;
  /** Most links; with words to search for they are more than are answered. */
  limit: number;
  /** When it fires, the survey ends with what it has. */
  enough: AbortSignal;
  /** When it fires, no more sitemaps are read, unless they are all that is wanted. */
  half: AbortSignal;
  /** When it fires, nothing is of use any more. */
  over: AbortSignal;
}

/** What became of each way to find links; absent where it was not gone. */
export interface Survey {
  links: MapLinks;
  folder: string;
  /** The start page, or why there is none; `undefined` where it does not matter. */
  start: MapPage | ServiceError | 'forbidden' | undefined;
  sitemaps?: SitemapReport | 'cut';
  crawl?: LightCrawlEnd;
}

/** Addresses remembered, so that a link in every page's footer is judged once. */
const MOST_REMEMBERED = 200_000;
/** Gone for good. */
const GONE = new Set([404, 410]);
const ASKS_FOR_REST = new Set([429, 503]);
/** Pages that hold no links, or not as HTML: not worth a request. */
const NO_PAGE = /\.(?:pdf|docx?|odt|rtf|epub|xml|rss|atom|json|txt|csv|md|ps)$/i;

/** What the robots.txt of the hosts that were met allow. */
function createRules({ robots }: Guides) {
  const known = new Map<string, Robots>();
  async function of(url: string, signal: AbortSignal): Promise<Robots> {
    const { origin } = new URL(url);
    const rules = known.get(origin) ?? (await robots.of(origin, undefined, signal));
    known.set(origin, rules);
    return rules;
  }
  return {
    of,
    mayVisit: async (url: string, signal: AbortSignal) => (await of(url, signal)).allows(url),
    /** Rules of other hosts are asked for when their turn comes. */
    mayList: (url: string) => known.get(new URL(url).origin)?.allows(url) ?? true,
  };
}

type Rules = ReturnType<typeof createRules>;

/** What the ways share. */
interface Ground extends SurveyOrder {
  scope: MapScope;
  links: MapLinks;
  rules: Rules;
  base: string;
}

async function openStart(
  pages: MapPages,
  rules: Rules,
  { request, enough }: SurveyOrder,
): Promise<Survey['start']> {
  if (!(await rules.mayVisit(request.url, enough))) return 'forbidden';
  // It only tells where the site is, if it has moved.
  if (request.sitemap === 'only') return pages.plain(request.url, enough);
  try {
    return await pages.start(request.url, enough);
  } catch (error) {
    enough.throwIfAborted();
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Adds what sitemaps name. */
async function addFromSitemaps(
  ground: Ground,
  { egress, userAgent }: SurveyDoors,
): Promise<Survey['sitemaps']> {
  const { base, rules, scope, links, enough, half } = ground;
  const signal = ground.request.sitemap === 'only' ? enough : half;
  const roots = sitemapRoots(new URL(base), await rules.of(base, enough));
  const walk = walkSitemaps({ egress, roots, userAgent, signal });
  try {
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done) return step.value;
      for (const named of step.value) {
        const url = scope.ofPage(named);
        if (url && rules.mayList(url)) links.add(url);
      }
      if (links.isFull) return undefined;
    }
  } catch (error) {
    if (signal.aborted) return 'cut';
    throw error;
  } finally {
    await walk.return({ files: 0, missing: [], failed: [], truncated: true });
  }
}

/** Adds pages that were seen before. */
async function addFromIndex(
  { base, teamId, limit, scope, rules, links }: Ground,
  db: Database,
): Promise<void> {
  const { host } = new URL(base);
  const hosts = [host, host.startsWith('www.') ? host.slice(4) : `www.${host}`];
  for (const { url: known, title, description } of await listKnownPages(db, { teamId, hosts, limit })) {
    const url = scope.ofPage(known);
    if (!url || !rules.mayList(url)) continue;
    links.add(url, { ...(title && { title }), ...(description && { description }) });
  }
}

/** Adds what the pages of the site link to. */
async function addFromLinks(ground: Ground, pages: MapPages, start: MapPage): Promise<LightCrawlEnd> {
  const { scope, links, rules, enough } = ground;
  const frontier = createFrontier([start.url]);
  const traps = createTrapGuard();
  const met = new Set<string>();

  function follow(page: MapPage, depth: number): number {
    const before = links.size;
    for (const link of page.links) {
      if (met.has(link)) continue;
      if (met.size >= MOST_REMEMBERED) met.clear();
      met.add(link);
      const url = scope.ofLink(link, page.url);
      if (!url || !traps.admits(url) || !rules.mayList(url)) continue;
      links.add(url);
      if (!NO_PAGE.test(new URL(url).pathname)) frontier.add({ url, depth: depth + 1 });
    }
    return links.size - before;
  }

  async function visit({ url, depth }: Step, signal: AbortSignal): Promise<Visit> {
    const page = (await rules.mayVisit(url, signal)) ? await pages.plain(url, signal) : 'forbidden';
    if (page === 'forbidden' || (page && GONE.has(page.statusCode))) links.drop(url);
    if (!page || page === 'forbidden') return { fresh: 0 };
    if (ASKS_FOR_REST.has(page.statusCode)) return { fresh: 0, asksForRest: true, restMs: page.retryAfterMs };
    if (page.statusCode >= 400) return { fresh: 0 };
    links.describe(url, page.facts);
    const target = page.url === url ? undefined : scope.ofPage(page.url);
    const isNew = target !== undefined && rules.mayList(target) && links.add(target, page.facts);
    // Links of a page outside are not the site's.
    const isOutside = page.url !== url && target === undefined;
    return { fresh: Number(isNew) + (isOutside ? 0 : follow(page, depth)) };
  }

  follow(start, 0);
  const { crawlDelayMs: delayMs } = await rules.of(start.url, enough);
  return runLightCrawl({ frontier, visit, isEnough: () => links.isFull, signal: enough, delayMs });
}

/**
 * Finds the links of a site: its start, what its sitemaps name, what was seen before, and last by following links from
 * the start, as far as links are missing and time is left.
 * @throws the reason of `enough` when it fires before the start has answered
 */
export async function surveySite(order: SurveyOrder, doors: SurveyDoors): Promise<Survey> {
  const { request, limit, enough } = order;
  const { sitemap, ignoreQueryParameters } = request;
  const rules = createRules(doors.guides);
  const pages = createMapPages(doors, request, order.over);
  const start = await openStart(pages, rules, order);
  const page = start instanceof ServiceError || start === 'forbidden' ? undefined : start;
  const base = page?.url ?? request.url;
  const scope = createMapScope(base, request);
  const links = createMapLinks({ limit, ignoreQueryParameters });
  const ground: Ground = { ...order, base, scope, rules, links };
  await rules.of(base, enough);

  const first = scope.ofPage(base);
  if (sitemap !== 'only' && page && first && !GONE.has(page.statusCode)) links.add(first, page.facts);
  const survey: Survey = { links, folder: scope.folder, start };
  if (sitemap !== 'skip') survey.sitemaps = await addFromSitemaps(ground, doors);
  if (sitemap === 'only') return survey;
  if (request.useIndex && !request.ignoreCache) await addFromIndex(ground, doors.db);
  if (page && !links.isFull) survey.crawl = await addFromLinks(ground, pages, page);
  return survey;
}
