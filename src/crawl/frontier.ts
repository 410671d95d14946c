import { canonicalKey } from './canonical.ts';

/** An address to be fetched, and how many links lie between it and the start. */
export interface Step {
  url: string;
  depth: number;
}

/** Addresses still to be fetched, each given out once. */
export interface Frontier {
  /** Adds an address that was never added before; beyond the most that are kept, it is forgotten. */
  add(step: Step): void;
  /** Puts an address back that was given out. */
  putBack(step: Step): void;
  /**
   * Folders take turns, so that a large one does not keep the others from being seen; in each, what is nearest to the
   * start comes first.
   */
  next(): Step | undefined;
}

const MOST_KEPT = 100_000;
const MOST_GROUPS = 500;
/** Deeper pages count as this deep. */
const DEEPEST = 100;

/** First in, first out; taking is cheap however long it is. */
interface Queue {
  steps: Step[];
  taken: number;
}

/** Pages of one folder, apart from those that only a query tells from each other. */
function groupOf(url: string): string {
  const { host, pathname, search } = new URL(url); // it was judged as an address before
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const folder = segments.length > 1 ? segments[0] : '';
  return `${host}/${folder}${search === '' ? '' : '?'}`;
}

const keyOf = (url: string) =>
  canonicalKey(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });

/** The nearest step of a group, taken out of it. */
function take(levels: (Queue | undefined)[]): Step | undefined {
  for (const [depth, queue] of levels.entries()) {
    const step = queue?.steps[queue.taken++];
    if (step) return step;
    levels[depth] = undefined;
  }
  return undefined;
}

/**
 * Starts empty. Another query is another address here: behind it may stand the next page of a list.
 * @param seen addresses that need not be fetched
 */
export function createFrontier(seen: readonly string[]): Frontier {
  const known = new Set(seen.map(keyOf));
  /** By name, a queue for each depth. */
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
      // What is left of this round, then a whole one.
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
