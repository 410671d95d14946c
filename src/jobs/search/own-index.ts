import { queryTerms } from '../../content/indexing/query-terms.ts';
import { rankPages } from '../../content/indexing/rank-pages.ts';
import type { SearchData, SearchRequest } from '../../schemas/search.ts';
import type { Database } from '../../storage/db/client.ts';
import { findIndexedPages } from '../../storage/db/pages/indexed-pages.ts';
import { categoryOf, sitesOf } from './categories.ts';
import type { FoundResults } from './found-results.ts';

/** Pages that are compared sentence by sentence for each one that is returned, and least of them. */
const CANDIDATES_PER_RESULT = 1.5;
const MIN_CANDIDATES = 20;

const LIMITS =
  'The results are pages that your team has scraped before, because the service has no web search (WINNOW_SEARXNG_URL).';

/** Searches the pages that a team has received. */
export async function searchOwnIndex(
  db: Database,
  teamId: string,
  request: SearchRequest,
): Promise<FoundResults> {
  const {
    query,
    limit,
    sources,
    categories,
    includeDomains,
    excludeDomains,
    highlights,
    lang = 'en',
  } = request;
  const candidates = Math.max(MIN_CANDIDATES, Math.ceil(limit * CANDIDATES_PER_RESULT));
  const { pages, terms } = await findIndexedPages(
    db,
    {
      teamId,
      terms: queryTerms(query, lang),
      includeDomains,
      excludeDomains,
      anyOf: categoryFilter(categories),
    },
    candidates,
  );
  const ranked = withoutDuplicates(rankPages(pages, terms)).slice(0, limit);
  const web = ranked.map(({ page, highlight }, index) => {
    const { url, title, description, content } = page;
    const own = description || content.slice(0, 200);
    const category = categoryOf(url, categories);
    return {
      url,
      title: title || url,
      description: highlights && highlight ? highlight : own,
      position: index + 1,
      ...(category && { category }),
    };
  });
  return { data: dataOf(sources, web), warnings: warningsOf(request) };
}

/** The sites of the categories, and whether PDF files count from any site; `undefined` without categories. */
function categoryFilter(categories: SearchRequest['categories']) {
  if (categories.length === 0) return undefined;
  return { sites: sitesOf(categories), pdf: categories.some(({ type }) => type === 'pdf') };
}

/** Leaves out pages with the same text as one before them, such as those under several URLs. */
function withoutDuplicates<Ranked extends { page: { title: string; content: string } }>(
  ranked: Ranked[],
): Ranked[] {
  const seen = new Set<string>();
  return ranked.filter(({ page: { title, content } }) => {
    const text = `${title}\n${content}`;
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** The index has web pages only, so other requested sources are empty. */
const dataOf = (sources: SearchRequest['sources'], web: NonNullable<SearchData['web']>): SearchData =>
  Object.fromEntries(sources.map(({ type }) => [type, type === 'web' ? web : []]));

/** Options that only a web search has. */
function warningsOf(request: SearchRequest): string[] {
  const { sources, safe, location } = request;
  const web = sources.find(({ type }) => type === 'web');
  const ignored = {
    tbs: request.tbs ?? web?.tbs,
    country: request.country ?? web?.country,
    location: location ?? web?.location,
    safe: safe || undefined,
  };
  const names = Object.entries(ignored).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const empty = sources.flatMap(({ type }) => (type === 'web' ? [] : [type]));
  return [
    LIMITS,
    ...(queryTerms(request.query, 'en').length ? [] : ['The query has no words.']),
    ...(empty.length ? [`It has no ${empty.join(' and ')}.`] : []),
    ...(names.length ? [`It ignores ${names.join(', ')}.`] : []),
  ];
}
