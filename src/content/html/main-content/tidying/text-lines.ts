import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import type { Measure } from '../page-index/element-measures.ts';
import type { PrunedPage } from '../stage.ts';

/** Longer paragraphs are not treated as lines. Characters that are not blank. */
const MAX_LINE_LENGTH = 220;
/** Elements that can be a line of their own. */
const LINE_ELEMENTS = new Set('p div section aside center h2 h3 h4 h5 h6'.split(' '));
/** Inline elements that are a line of their own if there is no text before or after them. */
const INLINE_LINE_ELEMENTS = new Set(['a', 'strong', 'em']);

const LEADING_SYMBOLS = '^\\W*';

/** A pattern for the start of a line, ignoring symbols and icons before the first word. */
export const lineStartPattern = (...patterns: string[]) =>
  new RegExp(`${LEADING_SYMBOLS}(${patterns.join('|')})`, 'i');

/** A pattern for a whole line, ignoring symbols and icons around its words. */
export const wholeLinePattern = (...patterns: string[]) =>
  new RegExp(`${LEADING_SYMBOLS}(${patterns.join('|')})\\W*$`, 'i');

/** A short paragraph, or another element that looks like one. */
export interface TextLine {
  element: Element;
  text: string;
  /** The measure of what has not been dropped from it. */
  measure: Measure;
}

/**
 * Calls `dropsOf` for each line in an element and drops the elements that it returns. Lines inside a line are
 * visited only if nothing was dropped for the outer one.
 */
export function dropLines(root: Element, pruned: PrunedPage, dropsOf: (line: TextLine) => Element[]): void {
  const { remaining, dropped } = pruned;
  for (const child of root.children) {
    const rest = isTag(child) && !dropped.has(child) ? remaining.get(child) : undefined;
    if (!isTag(child) || !rest || rest.length === 0) continue;
    const drops =
      rest.length <= MAX_LINE_LENGTH && isLine(child)
        ? dropsOf({ element: child, text: textOf(child), measure: rest })
        : [];
    for (const one of drops) dropped.drop(one, { kind: 'words', detail: 'line about the page' });
    if (drops.length === 0) dropLines(child, pruned, dropsOf);
  }
}

const isLine = ({ name, prev, next }: Element) =>
  LINE_ELEMENTS.has(name) || (INLINE_LINE_ELEMENTS.has(name) && !isTextNode(prev) && !isTextNode(next));

/** Whether a node is a text that is not blank. */
export const isTextNode = (node: ChildNode | null) =>
  node !== null && isText(node) && node.data.trim() !== '';
