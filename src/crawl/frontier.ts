import { canonicalKey } from './canonical.ts';

/** A URL to fetch, and the number of links between the start page and it. */
export interface Step {
  url: string;
  depth: number;
}

/** The URLs still to be fetched. Each URL is returned once. */
export interface Frontier {
  /** Adds a URL. Known URLs are ignored, and so are all URLs once the maximum number is known. */
  add(step: Step): void;
  /** Puts back a URL that `next` returned, so that it is fetched again. */
  putBack(step: Step): void;
  /**
   * Removes and returns the next URL. Folders take turns, so that a large folder does not delay the others.
   * Within a folder, URLs with the smallest depth come first.
   */
  next(): Step | undefined;
}

const MOST_KEPT = 100_000;
const MOST_GROUPS = 500;
/** Maximum depth that is told apart; deeper pages are treated as if they had this depth. */
const DEEPEST = 100;

/**
 * A first-in, first-out queue. `taken` is the position of the next item, so taking one needs constant time.
 */
interface Queue {
  steps: Step[];
  taken: number;
}

/** The group of a URL: its host and first folder. URLs with a query form a group of their own. */
function groupOf(url: string): string {
  const { host, pathname, search } = new URL(url); // the scope has already parsed it
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const folder = segments.length > 1 ? segments[0] : '';
  return `${host}/${folder}${search === '' ? '' : '?'}`;
}

const keyOf = (url: string) =>
  canonicalKey(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });

/** Removes and returns the step of a group with the smallest depth. */
function take(levels: (Queue | undefined)[]): Step | undefined {
  for (const [depth, queue] of levels.entries()) {
    const step = queue?.steps[queue.taken++];
    if (step) return step;
    levels[depth] = undefined;
  }
  return undefined;
}

/**
 * Creates an empty frontier. URLs with different queries are different pages, because a query may select the
 * next page of a list.
 * @param seen URLs that need not be fetched
 */
export function createFrontier(seen: readonly string[]): Frontier {
  const known = new Set(seen.map(keyOf));
  /** The queues of each group, by group name; the index of a queue is the depth. */
  const groups = new Map<string, (Queue | undefined)[]>();
  let turns: string[] = [];

  function push(step: Step): void {
    const wanted = groupOf(step.url);
    const name = groups.has(wanted) || groups.size < MOST_GROUPS ? wanted : '';
    const levels = groups.get(name) ?? [];
    groups.set(name, levels);
    const depth = Math.min(step.depth, DEEPEST);
    const queue = levels[depth] ?? { steps: [], taken: 0 };
    levels[depth] = queue;
    queue.steps.push(step);
  }

  return {
    add(step) {
      const key = keyOf(step.url);
      if (known.has(key) || known.size >= MOST_KEPT) return;
      known.add(key);
      push(step);
    },
    putBack: push,
    next() {
      // First finish the current round of turns, then try one full round.
      for (let round = 0; round < 2; round++) {
        for (let name = turns.shift(); name !== undefined; name = turns.shift()) {
          const step = take(groups.get(name) ?? []);
          if (step) return step;
          groups.delete(name);
        }
        turns = [...groups.keys()];
      }
      return undefined;
    },
  };
}
