import { unionOf } from '../boxes.ts';
import type { Word } from '../types.ts';

/** Number of dots from which they lead to a page number or a price. */
const MIN_DOTS = 4;
/** Maximum distance between two of them, as a multiple of the font size. */
const MAX_GAP = 1.5;

/**
 * Joins dots that have spaces between them and lead from one end of a line to the other, so that nobody takes
 * them for words, or their gaps for those between the columns of a table.
 */
export function joinLeaders(words: readonly Word[]): Word[] {
  if (!words.some(isDot)) return [...words];
  const joined: Word[] = [];
  for (let start = 0; start < words.length; ) {
    let end = start;
    while (isDot(words[end]) && (end === start || isNext(words[end - 1] as Word, words[end] as Word))) end++;
    const dots = words.slice(start, Math.max(end, start + 1));
    if (dots.length < MIN_DOTS) joined.push(...dots);
    else {
      const text = '.'.repeat(Math.max(dots.length, 5));
      joined.push({ ...(dots[0] as Word), ...unionOf(dots), text, isLeader: true });
    }
    start += dots.length;
  }
  return joined;
}

const isDot = (word: Word | undefined) => word?.text === '.';

function isNext(dot: Word, next: Word): boolean {
  const { size } = dot.style;
  const gap = next.left - dot.right;
  return gap > 0 && gap < MAX_GAP * size && Math.abs(next.bottom - dot.bottom) < 0.2 * size;
}
