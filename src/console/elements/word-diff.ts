/** A piece of a line, and whether the other version has it, too. */
export interface Piece {
  text: string;
  isKept: boolean;
}

/** Longer lines are not compared word by word, because that would keep the browser busy. */
const MAX_WORDS = 600;

/** Compares two lines word by word. @returns undefined if they are too long, or have nothing in common */
export function compareWords(before: string, after: string): { before: Piece[]; after: Piece[] } | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length > MAX_WORDS || now.length > MAX_WORDS) return undefined;
  const lengths = commonLengths(old, now);
  const kept = { before: new Set<number>(), after: new Set<number>() };
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      kept.before.add(i++);
      kept.after.add(j++);
    } else if (lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1)) i++;
    else j++;
  }
  const hasCommonWord = [...kept.before].some((index) => /[\p{L}\p{N}]/u.test(old[index] ?? ''));
  if (!hasCommonWord) return undefined;
  return { before: piecesOf(old, kept.before), after: piecesOf(now, kept.after) };
}

/** Words and what is between them. */
const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];

/** The lengths of the longest common subsequences of the rests of two lists. */
function commonLengths(old: string[], now: string[]): Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i];
    if (!row) continue;
    for (let j = now.length - 1; j >= 0; j--)
      row[j] =
        old[i] === now[j]
          ? lengthAt(lengths, i + 1, j + 1) + 1
          : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
  }
  return lengths;
}

const lengthAt = (lengths: Uint16Array[], i: number, j: number) => lengths[i]?.[j] ?? 0;

/** Neighbours of the same kind as one piece. */
function piecesOf(words: string[], kept: Set<number>): Piece[] {
  const pieces: Piece[] = [];
  for (const [index, text] of words.entries()) {
    const last = pieces.at(-1);
    const isKept = kept.has(index);
    if (last?.isKept === isKept) last.text += text;
    else pieces.push({ text, isKept });
  }
  return pieces;
}
