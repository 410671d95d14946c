import { canonicalKey } from './canonical.ts';

/** What pages say about themselves. */
export interface PageFacts {
  title?: string | undefined;
  description?: string | undefined;
}

/** A link of a map. */
export interface MapLink extends PageFacts {
  url: string;
}

/** The links of a map, each once, in the order in which they were found. */
export interface MapLinks {
  /** Adds a link unless it is known or there are enough. @returns whether it is new */
  add(url: string, facts?: PageFacts): boolean;
  /** Tells what a page says; of addresses that are one link, the link's own spelling is believed most. */
  describe(url: string, facts: PageFacts): void;
  /** Takes out a link whose page is gone; not for another spelling of it. */
  drop(url: string): void;
  /** Notes a link that robots.txt excludes. */
  exclude(url: string): void;
  /** The links that robots.txt excludes, each once, the first 100,000. */
  listExcluded(): string[];
  readonly size: number;
  /** There are as many as are wanted. */
  readonly isFull: boolean;
  list(): MapLink[];
}

const MOST_EXCLUDED = 100_000;

function spellingOf(url: string, ignoreQueryParameters: boolean): string {
  if (!ignoreQueryParameters || !url.includes('?')) return url;
  const parsed = new URL(url); // it was judged as an address before
  parsed.search = '';
  return parsed.href;
}

/** @param options.limit most links */
export function createMapLinks(options: { limit: number; ignoreQueryParameters: boolean }): MapLinks {
  const { limit, ignoreQueryParameters } = options;
  const links = new Map<string, MapLink>();
  const excluded = new Map<string, string>();
  const keyOf = (url: string) => canonicalKey(url, { ignoreQueryParameters, deduplicateSimilarURLs: true });
  return {
    add(url, facts = {}) {
      const key = keyOf(url);
      if (links.has(key) || links.size >= limit) return false;
      links.set(key, { url: spellingOf(url, ignoreQueryParameters), ...facts });
      return true;
    },
    describe(url, { title, description }) {
      const link = links.get(keyOf(url));
      if (!link) return;
      const isOwn = link.url === url;
      if (title && (isOwn || !link.title)) link.title = title;
      if (description && (isOwn || !link.description)) link.description = description;
    },
    drop(url) {
      const key = keyOf(url);
      if (links.get(key)?.url === url) links.delete(key);
    },
    exclude(url) {
      const key = keyOf(url);
      if (excluded.size < MOST_EXCLUDED && !excluded.has(key))
        excluded.set(key, spellingOf(url, ignoreQueryParameters));
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
