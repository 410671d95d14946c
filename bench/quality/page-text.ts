import { type AnyNode, type Document, Element, hasChildren, isTag, isText } from 'domhandler';
import { isNeverShown } from '../../src/content/html/text.ts';
import { wordsOf } from './words.ts';

/** A text counts as kept if the markdown has runs of this many of its words. */
const RUN = 4;

/** The text of an element: how many words it has, and the shares of them that are kept and in links. */
interface ElementText {
  words: number;
  keptShare: number;
  linkedShare: number;
}

/** Which elements of a page have their text in its markdown. */
export interface PageText {
  /** All elements that may have text, in document order. */
  elements: Element[];
  of(element: Element): ElementText;
}

/** Finds the text of a page in the words of its markdown. */
export function readPageText(page: Document, markdownWords: readonly string[]): PageText {
  const words: { word: string; isLinked: boolean }[] = [];
  const places = new Map<Element, { from: number; to: number }>();
  const visit = (node: AnyNode, isLinked: boolean) => {
    if (isText(node)) for (const word of wordsOf(node.data)) words.push({ word, isLinked });
    if (!hasChildren(node) || (isTag(node) && isNeverShown(node.name))) return;
    const from = words.length;
    // Sets the place of the element among the keys to that before its descendants.
    if (node instanceof Element) places.set(node, { from, to: from });
    for (const child of node.children) visit(child, isLinked || (isTag(node) && node.name === 'a'));
    if (node instanceof Element) places.set(node, { from, to: words.length });
  };
  visit(page, false);

  const kept = keptWords(
    words.map(({ word }) => word),
    markdownWords,
  );
  const keptBefore = sumsBefore(kept);
  const linkedBefore = sumsBefore(words.map(({ isLinked }) => isLinked));
  return {
    elements: [...places.keys()],
    of(element) {
      const { from, to } = places.get(element) ?? { from: 0, to: 0 };
      const size = Math.max(1, to - from);
      const shareOf = (before: readonly number[]) => ((before[to] ?? 0) - (before[from] ?? 0)) / size;
      return { words: to - from, keptShare: shareOf(keptBefore), linkedShare: shareOf(linkedBefore) };
    },
  };
}

/** Tells of each word whether it is part of a run of words that the markdown has too. */
function keptWords(words: readonly string[], markdownWords: readonly string[]): boolean[] {
  const runsOf = (list: readonly string[]) =>
    list.map((_, start) => list.slice(start, start + RUN).join(' '));
  const known = new Set(runsOf(markdownWords));
  const kept = words.map(() => false);
  runsOf(words).forEach((run, start) => {
    if (known.has(run)) kept.fill(true, start, start + RUN);
  });
  return kept;
}

/** For each place, how many values before it are true. */
function sumsBefore(values: readonly boolean[]): number[] {
  let sum = 0;
  const sums = [0];
  for (const value of values) {
    if (value) sum++;
    sums.push(sum);
  }
  return sums;
}
