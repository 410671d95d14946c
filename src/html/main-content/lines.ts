import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { textOf } from '../text.ts';
import type { Measure } from './measure.ts';
import type { Pruned } from './pruning.ts';

/** A longer paragraph has more to say. Characters that are not blanks. */
const LONGEST = 220;
/** What may be a paragraph of its own, or a line set like one. */
const LINES = new Set('p div section aside center h2 h3 h4 h5 h6'.split(' '));
/** The same, where no other text stands beside it. */
const PHRASES = new Set(['a', 'strong', 'em']);

const DECORATED = '^\\W*';

/** What lines begin with, whatever signs and icons stand before. */
export const beginning = (...patterns: string[]) => new RegExp(`${DECORATED}(${patterns.join('|')})`, 'i');

/** What lines are, whatever signs and icons stand around. */
export const whole = (...patterns: string[]) => new RegExp(`${DECORATED}(${patterns.join('|')})\\W*$`, 'i');

/** A short paragraph or what looks like one. */
export interface Line {
  element: Element;
  text: string;
  /** What is left of it. */
  rest: Measure;
}

/** Drops the lines in an element of which `dropsOf` says so, and what it says goes with each; it is not asked about lines in them. */
export function dropLines(
  root: Element,
  { left, dropped }: Pruned,
  dropsOf: (line: Line) => Element[],
): void {
  const visit = (element: Element) => {
    for (const child of element.children) {
      const rest = isTag(child) && !dropped.has(child) ? left.get(child) : undefined;
      if (!isTag(child) || !rest || rest.length === 0) continue;
      const drops =
        rest.length <= LONGEST && isLine(child) ? dropsOf({ element: child, text: textOf(child), rest }) : [];
      for (const one of drops) dropped.add(one);
      if (drops.length === 0) visit(child);
    }
  };
  visit(root);
}

const isLine = ({ name, prev, next }: Element) =>
  LINES.has(name) || (PHRASES.has(name) && !hasText(prev) && !hasText(next));

/** Whether a node is text that shows. */
export const hasText = (node: ChildNode | null) => node !== null && isText(node) && node.data.trim() !== '';
