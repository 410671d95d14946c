import { diffArrays } from 'diff';

/** Pairs of matching lines of two texts: positions in both, ascending. */
export interface LineMatching {
  pairs: [number, number][];
  /** The search was cut short, so there may be more matches. */
  isCoarse: boolean;
}

/** Most edits of the exact search, whose time grows with their square. */
const MAX_EDITS = 1_500;
/** The same between two anchors of a coarse matching. */
const MAX_EDITS_BETWEEN_ANCHORS = 50;

/**
 * Finds the longest common subsequence of lines, or a shorter one where the exact search would take too long.
 * Time is bounded by the number of lines.
 */
export function matchLines(before: string[], after: string[]): LineMatching {
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
  const left = findCommonLines(before, start, ends[0], new Set(after.slice(start, ends[1])));
  const right = findCommonLines(after, start, ends[1], new Set(before.slice(start, ends[0])));
  const { pairs: middle, isCoarse } = matchCommon(left, right);
  for (const [i, j] of middle) pairs.push([left[i]!.place, right[j]!.place]);
  for (const pair of tail.reverse()) pairs.push(pair);
  return { pairs, isCoarse };
}

interface PlacedLine {
  line: string;
  place: number;
}

/** Selects the lines that also occur in the other text. Dropping the rest makes rewritten pages cheap. */
function findCommonLines(lines: string[], start: number, end: number, others: Set<string>): PlacedLine[] {
  const placed: PlacedLine[] = [];
  for (let place = start; place < end; place++) {
    const line = lines[place]!;
    if (others.has(line)) placed.push({ line, place });
  }
  return placed;
}

function matchCommon(left: PlacedLine[], right: PlacedLine[]): LineMatching {
  const [before, after] = numberLines(left, right);
  const exact = shortestEditPairs(before, after, MAX_EDITS);
  if (exact) return { pairs: exact, isCoarse: false };
  const pairs: [number, number][] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...findAnchors(before, after), [before.length, after.length] as const]) {
    const between =
      shortestEditPairs(before.slice(from[0], i), after.slice(from[1], j), MAX_EDITS_BETWEEN_ANCHORS) ?? [];
    for (const [a, b] of between) pairs.push([from[0] + a, from[1] + b]);
    if (i < before.length) pairs.push([i, j]);
    from = [i + 1, j + 1];
  }
  return { pairs, isCoarse: true };
}

/** Replaces lines by numbers, equal for equal lines, so that comparisons of long lines cost no more. */
function numberLines(left: PlacedLine[], right: PlacedLine[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = ({ line }: PlacedLine) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  return [left.map(numberOf), right.map(numberOf)];
}

/** The most pairs possible; `undefined` where more than `mostEdits` edits are needed. */
function shortestEditPairs(
  before: number[],
  after: number[],
  mostEdits: number,
): [number, number][] | undefined {
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

/** Pairs of lines that are unique in both texts, as many as keep their order (patience diff). */
function findAnchors(before: number[], after: number[]): [number, number][] {
  const places = uniquePositions(after);
  const candidates: Anchor[] = [];
  for (const [number, i] of uniquePositions(before)) {
    const j = places.get(number);
    if (i >= 0 && j !== undefined && j >= 0) candidates.push({ i, j, previous: undefined });
  }
  /** For each length, the chain of that length with the smallest end. */
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

/** The position of each number, in order; -1 for one that occurs more than once. */
function uniquePositions(numbers: number[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const [place, number] of numbers.entries()) places.set(number, places.has(number) ? -1 : place);
  return places;
}
