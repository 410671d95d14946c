import { z } from 'zod';
import { messageOf, ServiceError } from '../../errors.ts';
import { createOperatorFetch } from '../../fetch/net/operator-fetch.ts';
import { parseJson } from '../../json/json-object.ts';
import type { SearchData, SearchRequest, SearchSource } from '../../schemas/search.ts';
import { categoryOf, isInDomain, sitesOf } from './categories.ts';
import type { FoundResults } from './found-results.ts';

/** Pages of results that are read at most for one source. A page has about 10 to 30 results. */
const MAX_PAGES = 10;
const fetchFromSearxng = createOperatorFetch({ maxResponseBytes: 8 * 1024 * 1024 });
/** Most sites that fit into a query; search engines ignore what is longer. */
const MAX_SITES_IN_QUERY = 12;

const text = z.string().nullish().catch(undefined);

/** The response of SearXNG to `/search?format=json`, as far as it is used. */
const responseSchema = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: text,
      content: text,
      publishedDate: text,
      img_src: text,
      thumbnail: text,
      thumbnail_src: text,
      resolution: text,
    }),
  ),
  /** Pairs of an engine and why it did not respond. */
  unresponsive_engines: z.array(z.array(z.unknown())).catch([]),
});
type Hit = z.output<typeof responseSchema>['results'][number];

const SEARXNG_CATEGORIES: Record<SearchSource, string> = { web: 'general', images: 'images', news: 'news' };
/** SearXNG has no hours. */
const TIME_RANGES: Record<string, string> = { h: 'day', d: 'day', w: 'week', m: 'month', y: 'year' };

/**
 * Searches the web by a SearXNG.
 * @param baseUrl of the SearXNG, without a trailing slash
 * @throws ServiceError `SEARCH_UNAVAILABLE` if it cannot be used; the reason of the signal
 */
export async function searchSearxng(
  baseUrl: string,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<FoundResults> {
  const silent = new Map<string, string>();
  const lists = await Promise.all(
    request.sources.map(async (source) => {
      const hits = await findHits(
        baseUrl,
        { ...request, ...definedOf(source) },
        { source: source.type, signal, silent },
      );
      return [source.type, hits] as const;
    }),
  );
  const data: SearchData = Object.fromEntries(
    lists.map(([source, hits]) => [
      source,
      hits.map((hit, index) => toResult(source, hit, { index, request })),
    ]),
  );
  return { data, warnings: warningsOf(request, silent) };
}

type SourceRequest = SearchRequest & { type: SearchSource };

/** The options of a source that are set; they precede those of the request. */
const definedOf = (source: SearchRequest['sources'][number]) =>
  Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined)) as typeof source;

/** Reads pages of results until there are enough, or no new ones. */
async function findHits(
  baseUrl: string,
  request: SourceRequest,
  { source, signal, silent }: { source: SearchSource; signal: AbortSignal; silent: Map<string, string> },
): Promise<Hit[]> {
  const hits = new Map<string, Hit>();
  for (let page = 1; page <= MAX_PAGES && hits.size < request.limit; page++) {
    const response = await readPage(urlOf(baseUrl, request, { source, page }), signal);
    for (const [engine, reason] of response.unresponsive_engines) silent.set(String(engine), String(reason));
    const known = hits.size;
    for (const hit of response.results) {
      const key = source === 'images' ? (hit.img_src ?? hit.url) : hit.url;
      if (isWanted(hit, request) && !hits.has(key)) hits.set(key, hit);
    }
    if (hits.size === known) break;
  }
  return [...hits.values()].slice(0, request.limit);
}

async function readPage(url: URL, signal: AbortSignal) {
  const { status, text } = await get(url, signal);
  if (status === 403) {
    throw unavailable(
      `The SearXNG at ${url.origin} responded with 403.`,
      'Its settings.yml must list json under search.formats, and its limiter must let this service pass',
    );
  }
  if (status === 429)
    throw unavailable(
      `The SearXNG at ${url.origin} responded with 429.`,
      'Switch its limiter off for this service',
    );
  if (status !== 200)
    throw unavailable(`The SearXNG at ${url.origin} responded with ${status}.`, 'Check WINNOW_SEARXNG_URL');
  const parsed = responseSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw unavailable(`The response of ${url.origin} is not one of SearXNG.`, 'Check WINNOW_SEARXNG_URL');
}

/** @throws ServiceError `SEARCH_UNAVAILABLE` without a whole response; the reason of the signal */
async function get(url: URL, signal: AbortSignal): Promise<{ status: number; text: string }> {
  try {
    const response = await fetchFromSearxng(url, { headers: { Accept: 'application/json' }, signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    signal.throwIfAborted();
    // The reason of `TypeError: fetch failed` and `TypeError: terminated` is their cause.
    const reason = messageOf(error instanceof TypeError && error.cause ? error.cause : error);
    throw unavailable(
      `The SearXNG at ${url.origin} gave no whole response: ${reason}.`,
      'Check WINNOW_SEARXNG_URL and that it runs',
    );
  }
}

const unavailable = (what: string, remedy: string) =>
  new ServiceError('SEARCH_UNAVAILABLE', `The web could not be searched. ${what} ${remedy}.`);

function urlOf(
  baseUrl: string,
  request: SourceRequest,
  { source, page }: { source: SearchSource; page: number },
): URL {
  const { lang, country, tbs, safe } = request;
  const url = new URL(`${baseUrl}/search`);
  const language = lang && (country && !lang.includes('-') ? `${lang}-${country.toUpperCase()}` : lang);
  const timeRange = TIME_RANGES[/qdr:(\w)/.exec(tbs ?? '')?.[1] ?? ''];
  const parameters = {
    q: queryOf(request),
    format: 'json',
    categories: SEARXNG_CATEGORIES[source],
    pageno: String(page),
    ...(language && { language }),
    ...(timeRange && { time_range: timeRange }),
    ...(safe && { safesearch: '2' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** The query with operators that most search engines know. `isWanted` makes up for the others. */
function queryOf({ query, includeDomains, excludeDomains, categories }: SourceRequest): string {
  const sites = includeDomains.length ? includeDomains : sitesOf(categories);
  const isPdf = categories.some(({ type }) => type === 'pdf');
  const either = [
    ...sites.slice(0, MAX_SITES_IN_QUERY).map((site) => `site:${site}`),
    ...(isPdf && !includeDomains.length ? ['filetype:pdf'] : []),
  ];
  const excluded = excludeDomains.slice(0, MAX_SITES_IN_QUERY).map((site) => `-site:${site}`);
  const restriction = either.length > 1 ? `(${either.join(' OR ')})` : (either[0] ?? '');
  return [query, restriction, ...excluded].filter(Boolean).join(' ');
}

/** Whether a result is a page of the web that the request allows. */
function isWanted({ url }: Hit, { includeDomains, excludeDomains, categories }: SourceRequest): boolean {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return false;
  const { hostname } = parsed;
  if (includeDomains.length && !includeDomains.some((domain) => isInDomain(hostname, domain))) return false;
  if (excludeDomains.some((domain) => isInDomain(hostname, domain))) return false;
  return categories.length === 0 || categoryOf(url, categories) !== undefined;
}

/** Converts a result to that of the API. */
function toResult(
  source: SearchSource,
  hit: Hit,
  { index, request }: { index: number; request: SearchRequest },
) {
  const { url, content } = hit;
  const title = hit.title || url;
  const position = index + 1;
  if (source === 'images') {
    const [, width, height] = /(\d+)\D+(\d+)/.exec(hit.resolution ?? '') ?? [];
    return {
      title,
      url,
      position,
      imageUrl: absoluteUrl(hit.img_src, url) ?? url,
      ...(width && height && { imageWidth: Number(width), imageHeight: Number(height) }),
    };
  }
  const category = categoryOf(url, request.categories);
  const shared = { url, title, position, ...(category && { category }) };
  if (source === 'web') return { ...shared, description: content ?? '' };
  const imageUrl = absoluteUrl(hit.thumbnail ?? hit.thumbnail_src ?? hit.img_src, url);
  return {
    ...shared,
    snippet: content ?? '',
    ...(hit.publishedDate && { date: hit.publishedDate }),
    ...(imageUrl && { imageUrl }),
  };
}

const absoluteUrl = (url: string | null | undefined, base: string) =>
  url ? (URL.parse(url, base)?.href ?? undefined) : undefined;

function warningsOf(
  { sources, tbs, location }: SearchRequest,
  silent: ReadonlyMap<string, string>,
): string[] {
  const all = [{ tbs, location }, ...sources];
  const engines = [...silent].map(([engine, reason]) => `${engine} (${reason})`);
  const isOtherPeriod = all.some((each) => each.tbs && !/^qdr:[dwmy]$/.test(each.tbs));
  return [
    ...(engines.length
      ? [`Results may be missing, because search engines did not respond: ${engines.join(', ')}.`]
      : []),
    ...(isOtherPeriod ? ['tbs was applied in part: SearXNG knows the last day, week, month and year.'] : []),
    ...(all.some((each) => each.location)
      ? ['location was ignored, because SearXNG has no such option.']
      : []),
  ];
}
