import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isHeading, isTag } from '../../nodes.ts';
import { isBlock, oneLine } from '../../text.ts';
import type { Sign } from '../evidence/sign.ts';
import type { PrunedPage, Stage } from '../stage.ts';
import { isTextNode } from './text-lines.ts';

/** Lengths in characters. Shorter labels are often equal by chance. */
const MIN_TITLE_LENGTH = 5;
const MIN_LABEL_LENGTH = 12;
const MAX_LABEL_LENGTH = 200;
/** A label is compared with this many labels before it. */
const MAX_RECENT_LABELS = 4;
/** Elements in which equal texts are separate values. */
const DATA_ELEMENTS = new Set(['td', 'th', 'dt', 'dd', 'pre', 'code']);
/** The end of a line that introduces what follows it, which is something else each time. */
const INTRODUCTION = /[:：]$/;

const SAME_LABEL: Sign = { kind: 'repetition', detail: 'a label just before' };

interface Label {
  text: string;
  element: Element;
  isHeading: boolean;
}

/**
 * Drops labels that repeat one of the labels just before them, for example a card's title below its picture.
 * Applies to pages that consist of cards and carousels.
 */
export const duplicateLabelsStage: Stage = {
  name: 'drop duplicate labels',
  types: ['listing', 'product', 'service'],
  run({ root, pruned }) {
    dropDuplicateLabels(root, pruned);
  },
};

/** If one of two equal labels is a heading, the heading is kept; else the first label. */
function dropDuplicateLabels(root: Element, { remaining, dropped }: PrunedPage): void {
  let recent: Label[] = [];
  let href: string | undefined;
  const addLabel = (label: Label, shortest: number) => {
    const hasSameText = ({ text }: Label) => text === label.text;
    const seen = label.text.length >= shortest && /\p{L}/u.test(label.text) && recent.find(hasSameText);
    if (seen && label.isHeading && !seen.isHeading) {
      dropped.drop(seen.element, SAME_LABEL);
      Object.assign(seen, label);
    } else if (seen) dropped.drop(label.element, SAME_LABEL);
    else if (recent.push(label) > MAX_RECENT_LABELS) recent.shift();
  };
  const visit = (element: Element) => {
    // Labels before and after a text are not beside each other.
    if (element.children.some(isTextNode)) recent = [];
    for (const child of element.children) {
      const length = isTag(child) && !dropped.has(child) ? remaining.get(child)?.length : 0;
      if (!isTag(child) || !length) continue;
      const line = singleTextChain(child, remaining);
      if (line.some(({ name }) => DATA_ELEMENTS.has(name))) continue;
      const link = line.find(({ name }) => name === 'a');
      // A link to another URL starts the next card.
      if (link && link.attribs.href !== href) {
        href = link.attribs.href;
        recent = [];
      }
      const last = line.at(-1) ?? child;
      const isLabel =
        length <= MAX_LABEL_LENGTH &&
        !last.children.some((inside) => isTag(inside) && hasText(inside, remaining));
      if (!isLabel) {
        visit(last);
        continue;
      }
      const text = oneLine(textContent(child)).toLowerCase();
      if (isInSentence(child)) continue;
      if (INTRODUCTION.test(text)) {
        recent = [];
        continue;
      }
      const isTitle = line.some(isHeading);
      addLabel(
        { text, element: child, isHeading: isTitle },
        link || isTitle ? MIN_TITLE_LENGTH : MIN_LABEL_LENGTH,
      );
    }
  };
  visit(root);
}

/**
 * Whether an element is a part of a line: text stands directly before or after it, or another part of the line
 * that says something else. Links beside each other are entries.
 */
const isInSentence = (element: Element) =>
  isTextNode(element.prev) ||
  isTextNode(element.next) ||
  [element.prev, element.next].some((beside) => isPartOfLine(beside, element));

const isPartOfLine = (beside: Element['prev'], element: Element) =>
  beside !== null &&
  isTag(beside) &&
  [beside, element].every(({ name }) => name !== 'a' && !isBlock(name)) &&
  oneLine(textContent(beside)) !== '' &&
  oneLine(textContent(beside)) !== oneLine(textContent(element));

const hasText = (element: Element, remaining: PrunedPage['remaining']) =>
  (remaining.get(element)?.length ?? 0) > 0;

/** An element and its descendants that contain all of its text, from the outermost to the innermost. */
function singleTextChain(element: Element, remaining: PrunedPage['remaining']): Element[] {
  const line: Element[] = [];
  for (let at: Element | undefined = element; at; ) {
    line.push(at);
    const total = remaining.get(at)?.length;
    at = at.children.find(
      (child): child is Element => isTag(child) && remaining.get(child)?.length === total,
    );
  }
  return line;
}
