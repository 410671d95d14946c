import { diffArrays } from 'diff';

/** Lines of two texts that stand for each other: places in the one and in the other, both rising. */
export interface Matching {
  pairs: [number, number][];
  /** More could stand for each other than was looked for. */
  isCoarse: boolean;
}

/** Lines to take away or put in, beyond which the shortest way is no longer looked for: its price grows by the square. */
const MOST_EDITS = 1_500;
/** The same between two lines that stand for each other in a coarse matching. */
const MOST_EDITS_BETWEEN = 50;

/**
 * Finds the lines that two texts have in common, in order: as many as there are, unless that would take too long. The
 * time is bound by the number of lines.
 */
export function matchLines(before: string[], after: string[]): Matching {
  const pairs: [number, number][] = [];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    pairs.push([start, start]);
    start++;
  }
  let ends: readonly [number, number] = [before.length, after.length];
  const tail: [number, number][] = [];
  while (ends[0] > start && ends[1] > start && before[ends[0] - 1] === after[ends[1] - 1]) {
    ends = [ends[0] - 1, ends[1] - 1];
    tail.push([ends[0], ends[1]]);
  }
  const left = placesOf(before, start, ends[0], new Set(after.slice(start, ends[1])));
  const right = placesOf(after, start, ends[1], new Set(before.slice(start, ends[0])));
  const { pairs: middle, isCoarse } = matchCommon(left, right);
  for (const [i, j] of middle) pairs.push([left[i]!.place, right[j]!.place]);
  for (const pair of tail.reverse()) pairs.push(pair);
  return { pairs, isCoarse };
}

interface Placed {
  line: string;
  place: number;
}

/** Lines that the other text has too; no other can stand for anything, and most of a rewritten page are others. */
function placesOf(lines: string[], start: number, end: number, others: Set<string>): Placed[] {
  const placed: Placed[] = [];
  for (let place = start; place < end; place++) {
    const line = lines[place]!;
    if (others.has(line)) placed.push({ line, place });
  }
  return placed;
}

function matchCommon(left: Placed[], right: Placed[]): Matching {
  const [before, after] = numbered(left, right);
  const exact = shortest(before, after, MOST_EDITS);
  if (exact) return { pairs: exact, isCoarse: false };
  const pairs: [number, number][] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...anchors(before, after), [before.length, after.length] as const]) {
    const between = shortest(before.slice(from[0], i), after.slice(from[1], j), MOST_EDITS_BETWEEN) ?? [];
    for (const [a, b] of between) pairs.push([from[0] + a, from[1] + b]);
    if (i < before.length) pairs.push([i, j]);
    from = [i + 1, j + 1];
  }
  return { pairs, isCoarse: true };
}

/** Numbers for lines: the same for the same, so that comparing costs no more for long ones. */
function numbered(left: Placed[], right: Placed[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = ({ line }: Placed) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  return [left.map(numberOf), right.map(numberOf)];
}

/** As many pairs as there can be; `undefined` where more than so many edits lie between the two. */
function shortest(before: number[], after: number[], mostEdits: number): [number, number][] | undefined {
  const changes = diffArrays(before, after, { maxEditLength: mostEdits });
  if (!changes) return undefined;
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  for (const { count, added, removed } of changes) {
    if (removed) i += count;
    else if (added) j += count;
    else for (let each = 0; each < count; each++) pairs.push([i++, j++]);
  }
  return pairs;
}

/** Pairs of what either has once only: the most that keep their order (patience). */
function anchors(before: number[], after: number[]): [number, number][] {
  const places = onlyPlaces(after);
  const candidates: Anchor[] = [];
  for (const [number, i] of onlyPlaces(before)) {
    const j = places.get(number);
    if (i >= 0 && j !== undefined && j >= 0) candidates.push({ i, j, previous: undefined });
  }
  /** By length, the chain of that length that ends first. */
  const chains: Anchor[] = [];
  for (const candidate of candidates) {
    let low = 0;
    for (let high = chains.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (chains[middle]!.j < candidate.j) low = middle + 1;
      else high = middle;
    }
    candidate.previous = chains[low - 1];
    chains[low] = candidate;
  }
  const pairs: [number, number][] = [];
  for (let link = chains.at(-1); link; link = link.previous) pairs.push([link.i, link.j]);
  return pairs.reverse();
}

interface Anchor {
  i: number;
  j: number;
  previous: Anchor | undefined;
}

/** Where each number stands, in order; -1 for one that stands there more than once. */
function onlyPlaces(numbers: number[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const [place, number] of numbers.entries()) places.set(number, places.has(number) ? -1 : place);
  return places;
}
