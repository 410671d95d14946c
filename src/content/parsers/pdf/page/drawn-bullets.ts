import { type Box, centerY, heightOf, overlapY } from '../boxes.ts';
import { contentIds, createFindWords, outermost } from '../document/tag-tree.ts';
import type { SourcePage, Tag, Word } from '../types.ts';

/** The place of a bullet before its text, as multiples of the font size. */
const GAP = 0.5;
const WIDTH = 0.35;

/** Ranges of the height of a bullet and of the gap behind it, as multiples of the font size. */
const HEIGHTS = [0.12, 0.6] as const;
const GAPS = [0.15, 2] as const;
/** Limits the time for lists without labels. */
const MAX_UNLABELLED = 500;

/**
 * Adds the bullets of lists that a page draws as shapes instead of text, as Chrome does, or not at all: they
 * are items by their tags (ISO 32000-1, 14.8.4.3.3) with a label that has no words or without any label; or,
 * in a page without tags of lists, dots stand before the text.
 */
export function withDrawnBullets({ tags, dots = [] }: SourcePage, words: readonly Word[]): Word[] {
  const lists = outermost(tags, 'L');
  const first = lists.length > 0 ? wordsBehindLabels(lists, words) : wordsBehindDots(dots, words);
  if (first.size === 0) return [...words];
  return words.flatMap((word) => (first.has(word) ? [bulletBefore(word), word] : [word]));
}

/** The first words of items whose label has no words, and of lists whose items have no labels. */
function wordsBehindLabels(outerLists: readonly Tag[], words: readonly Word[]): Set<Word> {
  const lists = [...outerLists];
  const findWords = createFindWords(words);
  const found = new Set<Word>();
  for (let list = lists.pop(); list; list = lists.pop()) {
    const unlabelled: Word[] = [];
    for (const item of list.children) {
      lists.push(...outermost(item.children, 'L'));
      const labels = item.children.filter(({ type }) => type === 'Lbl').flatMap((label) => contentIds(label));
      if (findWords(labels).length > 0) continue;
      const first = findWords(contentIds(item, ['L', 'Lbl']))[0];
      if (first && labels.length > 0) found.add(first);
      else if (first && item.type === 'LI') unlabelled.push(first);
    }
    if (unlabelled.length <= MAX_UNLABELLED && unlabelled.every((first) => beginsLine(first, words)))
      for (const first of unlabelled) found.add(first);
  }
  return found;
}

/**
 * Whether a word is the first one of its line, and no bullet or number itself. Items beside each other, as
 * those of a menu, are no list for a reader.
 */
function beginsLine(first: Word, words: readonly Word[]): boolean {
  if (!/^[\p{L}"“'‘(]\p{L}/u.test(first.text)) return false;
  const middle = centerY(first);
  const gap = GAPS[1] * first.style.size;
  return !words.some(
    ({ left, right, top, bottom }) =>
      left < first.left && right > first.left - gap && top < middle && bottom > middle,
  );
}

/**
 * The words that begin lines behind dots. A dot alone is no list, so there must be another one above or below
 * it.
 */
function wordsBehindDots(dots: readonly Box[], words: readonly Word[]): Set<Word> {
  const pairs = dots.flatMap((dot) => {
    const word = wordBehind(dot, words);
    return word ? [{ dot, word }] : [];
  });
  const isInList = (dot: Box) =>
    pairs.some(
      ({ dot: other }) => other !== dot && Math.abs(other.left - dot.left) < 1 && overlapY(other, dot) < 0,
    );
  return new Set(pairs.filter(({ dot }) => isInList(dot)).map(({ word }) => word));
}

/** The word at the height of a dot and close behind it, unless there is a word close before the dot, too. */
function wordBehind(dot: Box, words: readonly Word[]): Word | undefined {
  const middle = centerY(dot);
  let behind: Word | undefined;
  for (const word of words) {
    if (word.top > middle || word.bottom < middle) continue;
    const { size } = word.style;
    if (word.left < dot.right && word.right > dot.left - GAPS[1] * size) return undefined;
    if (word.left >= dot.right && word.left < (behind?.left ?? Infinity)) behind = word;
  }
  if (!behind) return undefined;
  const height = heightOf(dot) / behind.style.size;
  const gap = (behind.left - dot.right) / behind.style.size;
  const isBullet = height > HEIGHTS[0] && height < HEIGHTS[1] && gap > GAPS[0] && gap < GAPS[1];
  return isBullet ? behind : undefined;
}

function bulletBefore(word: Word): Word {
  const right = word.left - GAP * word.style.size;
  // A bullet before code is no code itself.
  const style = word.style.monospaced ? { ...word.style, monospaced: false } : word.style;
  return { ...word, style, text: '•', left: right - WIDTH * word.style.size, right, run: -1 };
}
