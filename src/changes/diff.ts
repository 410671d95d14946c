import { matchLines } from './matching.ts';

/** One line of a hunk: `ln` is its number in the text that has it, `ln1` and `ln2` those in the old and the new one. */
type Change =
  | { type: 'normal'; normal: true; ln1: number; ln2: number; content: string }
  | { type: 'del'; del: true; ln: number; content: string }
  | { type: 'add'; add: true; ln: number; content: string };

/** What changed as a unified diff, and the same as data. */
export interface Diff {
  text: string;
  json: { files: { from: null; to: null; chunks: { content: string; changes: Change[] }[] }[] };
}

/** A text by its lines, as they are shown and as they are compared. */
export interface Lines {
  shown: string[];
  stable: string[];
}

/** Lines shown around each change. */
const CONTEXT = 3;
/** A larger diff says no more than both texts do. */
const MOST_CHARACTERS = 10_000_000;
/** What a line costs beside its text, as data. */
const LINE_CHARACTERS = 60;

/**
 * What changed between two texts. Lines that differ only in what changes by itself count as unchanged, and are shown as
 * they are now.
 * @returns `diff` is left out where it would be too large; `isCoarse`: it may take away and put in more than it must
 */
export function diffOf(before: Lines, after: Lines): { diff?: Diff; isCoarse: boolean } {
  const { pairs, isCoarse } = matchLines(before.stable, after.stable);
  const chunks = [];
  let size = 0;
  for (const hunk of hunksOf(pairs, before.shown.length, after.shown.length)) {
    const changes = changesOf(hunk, before.shown, after.shown);
    for (const { content } of changes) size += content.length * 2 + LINE_CHARACTERS;
    if (size > MOST_CHARACTERS) return { isCoarse };
    chunks.push({ content: headOf(hunk), changes });
  }
  const body = chunks.flatMap(({ content, changes }) => [
    content,
    ...changes.map((change) => change.content),
  ]);
  const text = ['--- previous', '+++ current', ...body].join('\n');
  return { diff: { text, json: { files: [{ from: null, to: null, chunks }] } }, isCoarse };
}

/** A part of both texts, from one line to before another, and the pairs in it. */
interface Hunk {
  before: number;
  after: number;
  beforeEnd: number;
  afterEnd: number;
  pairs: [number, number][];
}

/** The parts with changes in them, and what stands around these; such that touch are one. */
function* hunksOf(pairs: [number, number][], beforeLength: number, afterLength: number): Generator<Hunk> {
  const isGap = (at: number) => {
    const [i, j] = pairs[at - 1] ?? [-1, -1];
    const [nextI, nextJ] = pairs[at] ?? [beforeLength, afterLength];
    return nextI - i > 1 || nextJ - j > 1;
  };
  for (let at = 0; at <= pairs.length; at++) {
    if (!isGap(at)) continue;
    const first = Math.max(0, at - CONTEXT);
    let last = at;
    for (let look = at + 1; look <= pairs.length && look - last <= 2 * CONTEXT; look++) {
      if (isGap(look)) last = look;
    }
    const end = Math.min(pairs.length, last + CONTEXT);
    const [i, j] = first < at ? pairs[first]! : afterPair(pairs[at - 1]);
    const [endI, endJ] = end > last ? afterPair(pairs[end - 1]) : [beforeLength, afterLength];
    yield { before: i, after: j, beforeEnd: endI, afterEnd: endJ, pairs: pairs.slice(first, end) };
    at = last;
  }
}

const afterPair = ([i, j]: [number, number] = [-1, -1]): [number, number] => [i + 1, j + 1];

function changesOf(hunk: Hunk, before: string[], after: string[]): Change[] {
  const changes: Change[] = [];
  let i = hunk.before;
  let j = hunk.after;
  const upTo = (toI: number, toJ: number) => {
    for (; i < toI; i++) changes.push({ type: 'del', del: true, ln: i + 1, content: `-${before[i]}` });
    for (; j < toJ; j++) changes.push({ type: 'add', add: true, ln: j + 1, content: `+${after[j]}` });
  };
  for (const [pairI, pairJ] of hunk.pairs) {
    upTo(pairI, pairJ);
    changes.push({ type: 'normal', normal: true, ln1: ++i, ln2: ++j, content: ` ${after[pairJ]}` });
  }
  upTo(hunk.beforeEnd, hunk.afterEnd);
  return changes;
}

/** The line over a hunk; a side without lines is named by the line before it, as in every unified diff. */
function headOf({ before, after, beforeEnd, afterEnd }: Hunk): string {
  const range = (start: number, length: number) => `${length ? start + 1 : start},${length}`;
  return `@@ -${range(before, beforeEnd - before)} +${range(after, afterEnd - after)} @@`;
}
