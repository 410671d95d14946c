import { canonicalKey } from '../canonical-key.ts';

/** The title and description of a page. */
export interface PageDescription {
  title?: string | undefined;
  description?: string | undefined;
}

/** A link of a map. */
export interface MapLink extends PageDescription {
  url: string;
}

/** The links of a map without duplicates, in the order in which they were found. */
export interface MapLinks {
  /** Adds a link, unless it is known or the limit is reached. @returns whether the link was added */
  add(url: string, facts?: PageDescription): boolean;
  /**
   * Adds the title and description of a page to its link. When several URLs are one link, the values of the
   * URL that the link is listed with take precedence.
   */
  describe(url: string, facts: PageDescription): void;
  /** Removes a link whose page does not exist, if it is listed with exactly this URL. */
  remove(url: string): void;
  /** Records a link that robots.txt excludes. */
  addExcluded(url: string): void;
  /** The first 100,000 links that robots.txt excludes, without duplicates. */
  listExcluded(): string[];
  readonly size: number;
  /** Whether the limit is reached. */
  readonly isFull: boolean;
  list(): MapLink[];
}

const MAX_EXCLUDED = 100_000;

function listedUrl(url: string, ignoreQueryParameters: boolean): string {
  if (!ignoreQueryParameters || !url.includes('?')) return url;
  const parsed = new URL(url); // the scope has already parsed it
  parsed.search = '';
  return parsed.href;
}

/** @param options.limit maximum number of links */
export function createMapLinks(options: { limit: number; ignoreQueryParameters: boolean }): MapLinks {
  const { limit, ignoreQueryParameters } = options;
  const links = new Map<string, MapLink>();
  const excluded = new Map<string, string>();
  const keyOf = (url: string) => canonicalKey(url, { ignoreQueryParameters, deduplicateSimilarURLs: true });
  return {
    add(url, facts = {}) {
      const key = keyOf(url);
      if (links.has(key) || links.size >= limit) return false;
      links.set(key, { url: listedUrl(url, ignoreQueryParameters), ...facts });
      return true;
    },
    describe(url, { title, description }) {
      const link = links.get(keyOf(url));
      if (!link) return;
      const isOwn = link.url === url;
      if (title && (isOwn || !link.title)) link.title = title;
      if (description && (isOwn || !link.description)) link.description = description;
    },
    remove(url) {
      const key = keyOf(url);
      if (links.get(key)?.url === url) links.delete(key);
    },
    addExcluded(url) {
      const key = keyOf(url);
      if (excluded.size < MAX_EXCLUDED && !excluded.has(key))
        excluded.set(key, listedUrl(url, ignoreQueryParameters));
    },
    listExcluded: () => [...excluded.values()],
    get size() {
      return links.size;
    },
    get isFull() {
      return links.size >= limit;
    },
    list: () => [...links.values()],
  };
}
