import { matchLines } from './line-matching.ts';

/**
 * One line of a hunk. `ln` is its line number in the text that has it, `ln1` and `ln2` those in the old and
 * the new text.
 */
type Change =
  | { type: 'normal'; normal: true; ln1: number; ln2: number; content: string }
  | { type: 'del'; del: true; ln: number; content: string }
  | { type: 'add'; add: true; ln: number; content: string };

/** A unified diff, as text and as data. */
export interface Diff {
  text: string;
  json: { files: { from: null; to: null; chunks: { content: string; changes: Change[] }[] }[] };
}

/** The lines of a text, as written and normalized for comparison. */
export interface ComparedLines {
  original: string[];
  normalized: string[];
}

/** Unchanged lines around each change. */
const CONTEXT_LINES = 3;
/** Most characters of a diff; a larger one is left out. */
const MAX_CHARACTERS = 10_000_000;
/** Size of a line in the data form beside its text, in characters. */
const LINE_OVERHEAD = 60;

/**
 * Creates the diff of two texts. Lines that differ only in volatile parts count as unchanged and appear in
 * their new form.
 * @returns no `diff` where it would be too large; `isCoarse` where it may not be the shortest one
 */
export function createDiff(before: ComparedLines, after: ComparedLines): { diff?: Diff; isCoarse: boolean } {
  const { pairs, isCoarse } = matchLines(before.normalized, after.normalized);
  const chunks = [];
  let size = 0;
  for (const hunk of findHunks(pairs, before.original.length, after.original.length)) {
    const changes = hunkChanges(hunk, before.original, after.original);
    for (const { content } of changes) size += content.length * 2 + LINE_OVERHEAD;
    if (size > MAX_CHARACTERS) return { isCoarse };
    chunks.push({ content: hunkHeader(hunk), changes });
  }
  const body = chunks.flatMap(({ content, changes }) => [
    content,
    ...changes.map((change) => change.content),
  ]);
  const text = ['--- previous', '+++ current', ...body].join('\n');
  return { diff: { text, json: { files: [{ from: null, to: null, chunks }] } }, isCoarse };
}

/** A range of both texts (ends excluded) and the matching lines in it. */
interface Hunk {
  before: number;
  after: number;
  beforeEnd: number;
  afterEnd: number;
  pairs: [number, number][];
}

/** Finds the ranges with changes, including their context. Ranges that touch are merged. */
function* findHunks(pairs: [number, number][], beforeLength: number, afterLength: number): Generator<Hunk> {
  const isGap = (at: number) => {
    const [i, j] = pairs[at - 1] ?? [-1, -1];
    const [nextI, nextJ] = pairs[at] ?? [beforeLength, afterLength];
    return nextI - i > 1 || nextJ - j > 1;
  };
  for (let at = 0; at <= pairs.length; at++) {
    if (!isGap(at)) continue;
    const first = Math.max(0, at - CONTEXT_LINES);
    let last = at;
    for (let look = at + 1; look <= pairs.length && look - last <= 2 * CONTEXT_LINES; look++) {
      if (isGap(look)) last = look;
    }
    const end = Math.min(pairs.length, last + CONTEXT_LINES);
    const [i, j] = first < at ? pairs[first]! : afterPair(pairs[at - 1]);
    const [endI, endJ] = end > last ? afterPair(pairs[end - 1]) : [beforeLength, afterLength];
    yield { before: i, after: j, beforeEnd: endI, afterEnd: endJ, pairs: pairs.slice(first, end) };
    at = last;
  }
}

const afterPair = ([i, j]: [number, number] = [-1, -1]): [number, number] => [i + 1, j + 1];

function hunkChanges(hunk: Hunk, before: string[], after: string[]): Change[] {
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

/** The header of a hunk. A side without lines refers to the line before it, as in every unified diff. */
function hunkHeader({ before, after, beforeEnd, afterEnd }: Hunk): string {
  const range = (start: number, length: number) => `${length ? start + 1 : start},${length}`;
  return `@@ -${range(before, beforeEnd - before)} +${range(after, afterEnd - after)} @@`;
}
