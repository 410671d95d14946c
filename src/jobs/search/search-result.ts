import type { SearchData, SearchResult } from '../../schemas/search.ts';
import { escapeOtherReferences } from '../../storage/blobs/file-urls.ts';
import type { FoundResults } from './found-results.ts';

/** Documents that a response contains at most, in bytes. The API parses all of them at once. */
export const MAX_DOCUMENTS_BYTES = 32 * 1024 ** 2;

/** The outcome of a search. */
export interface SearchOutcome {
  found: FoundResults;
  /** Credits of the search itself. */
  credits: number;
  /** Credits of the scrapes, which are billed with them. */
  scraped?: number;
  /** The documents of the scrapes by URL, as JSON. */
  documents?: ReadonlyMap<string, string>;
  scrapeIds?: SearchResult['scrapeIds'];
}

/**
 * The final results as JSON. The JSON of the documents stays as it is, because text in them that looks like a
 * file reference is escaped in a way that parsing would undo.
 */
export function resultJson({ found, credits, scraped = 0, documents, scrapeIds }: SearchOutcome): string {
  const ofResult = (source: string, result: { url: string }) => {
    const json = escapeOtherReferences(JSON.stringify(result), []);
    // The URL of an image is that of its page, which may be a result of its own.
    const document = source === 'images' ? undefined : documents?.get(result.url);
    return document === undefined ? json : `${document.slice(0, -1)},${json.slice(1)}`;
  };
  const data = Object.entries(found.data).map(
    ([source, results]) =>
      `${JSON.stringify(source)}:[${results.map((result) => ofResult(source, result)).join(',')}]`,
  );
  const rest = {
    warning: found.warnings.join(' ') || null,
    creditsUsed: credits + scraped,
    ...(scrapeIds && { scrapeIds }),
  } satisfies Omit<SearchResult, 'data'>;
  return `{"data":{${data.join(',')}},${JSON.stringify(rest).slice(1)}`;
}

/** The ids of the scrapes of each source, in the order of its results. @param ids by URL */
export function idsBySource(
  { web, news }: SearchData,
  ids: Record<string, string>,
): SearchResult['scrapeIds'] {
  const idsOf = (results: { url: string }[]) => results.flatMap(({ url }) => ids[url] ?? []);
  return { ...(web && { web: idsOf(web) }), ...(news && { news: idsOf(news) }) };
}

/** Says why results have no document. @param ends the scrapes of a search, ended or not */
export function scrapeWarnings(
  ends: { id: string; status: string; error: { code: string } | null }[],
): string[] {
  const running = ends.filter(({ status }) => status === 'scraping');
  const codes = Map.groupBy(
    ends.flatMap(({ error }) => error ?? []),
    ({ code }) => code,
  );
  const failures = [...codes].map(([code, errors]) => `${code} ${errors.length}`);
  return [
    ...(failures.length ? [`Pages that could not be scraped: ${failures.join(', ')}.`] : []),
    ...(running.length
      ? [
          `${running.length} pages were not scraped within the timeout. GET /v2/scrape/{id} returns them later: ${running.map(({ id }) => id).join(', ')}.`,
        ]
      : []),
  ];
}

/** Says which documents a response has no room for. @param ids of their scrapes */
export const sizeWarnings = (ids: readonly string[]): string[] =>
  ids.length === 0
    ? []
    : [
        `The documents are larger than ${MAX_DOCUMENTS_BYTES / 1024 ** 2} MiB together, so ${ids.length} of them were left out; get them by GET /v2/scrape/{id}: ${ids.join(', ')}.`,
      ];
