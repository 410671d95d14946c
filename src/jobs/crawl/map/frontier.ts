import { canonicalKey } from '../canonical-key.ts';

/** A URL to fetch, and the number of links between the start page and it. */
export interface FrontierUrl {
  url: string;
  depth: number;
}

/** The URLs still to be fetched. Each URL is returned once. */
export interface Frontier {
  /** Adds a URL. Known URLs are ignored, and so are all URLs once the maximum number is known. */
  add(entry: FrontierUrl): void;
  /** Puts back a URL that `next` returned, so that it is fetched again. */
  putBack(entry: FrontierUrl): void;
  /**
   * Removes and returns the next URL. Folders take turns, so that a large folder does not delay the others.
   * Within a folder, URLs with the smallest depth come first.
   */
  next(): FrontierUrl | undefined;
}

const MAX_URLS = 100_000;
const MAX_GROUPS = 500;
/** Maximum depth with a queue of its own; deeper pages are treated as if they had this depth. */
const MAX_DEPTH = 100;

/**
 * A first-in, first-out queue. `taken` is the position of the next item, so taking one needs constant time.
 */
interface Queue {
  entries: FrontierUrl[];
  taken: number;
}

/** The group of a URL: its host and first folder. URLs with a query form a group of their own. */
function groupName(url: string): string {
  const { host, pathname, search } = new URL(url); // the scope has already parsed it
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const folder = segments.length > 1 ? segments[0] : '';
  return `${host}/${folder}${search === '' ? '' : '?'}`;
}

const frontierKey = (url: string) =>
  canonicalKey(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });

/** Removes and returns the entry of a group with the smallest depth. */
function takeShallowest(levels: (Queue | undefined)[]): FrontierUrl | undefined {
  for (const [depth, queue] of levels.entries()) {
    const entry = queue?.entries[queue.taken++];
    if (entry) return entry;
    levels[depth] = undefined;
  }
  return undefined;
}

/**
 * Creates an empty frontier. URLs with different queries are different pages, because a query may select the
 * next page of a list.
 * @param alreadyFetched URLs that need not be fetched
 */
export function createFrontier(alreadyFetched: readonly string[]): Frontier {
  const known = new Set(alreadyFetched.map(frontierKey));
  /** The queues of each group, by group name; the index of a queue is the depth. */
  const groups = new Map<string, (Queue | undefined)[]>();
  let turns: string[] = [];

  function push(entry: FrontierUrl): void {
    const group = groupName(entry.url);
    // When there are too many groups, all new ones share the group with the empty name.
    const name = groups.has(group) || groups.size < MAX_GROUPS ? group : '';
    const levels = groups.get(name) ?? [];
    groups.set(name, levels);
    const depth = Math.min(entry.depth, MAX_DEPTH);
    const queue = levels[depth] ?? { entries: [], taken: 0 };
    levels[depth] = queue;
    queue.entries.push(entry);
  }

  return {
    add(entry) {
      const key = frontierKey(entry.url);
      if (known.has(key) || known.size >= MAX_URLS) return;
      known.add(key);
      push(entry);
    },
    putBack: push,
    next() {
      // First finish the current round of turns, then try one full round.
      for (let round = 0; round < 2; round++) {
        for (let name = turns.shift(); name !== undefined; name = turns.shift()) {
          const entry = takeShallowest(groups.get(name) ?? []);
          if (entry) return entry;
          groups.delete(name);
        }
        turns = [...groups.keys()];
      }
      return undefined;
    },
  };
}
