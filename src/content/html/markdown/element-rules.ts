import type { Element } from 'domhandler';
import { isCodeListing } from '../code-listing.ts';
import { isHoverNote } from '../hover-notes.ts';
import { isTag } from '../nodes.ts';
import { codeBlock, inlineCode } from './code.ts';
import { HEADING_ELEMENTS, LINE_ELEMENTS, SKIPPED_ELEMENTS } from './element-names.ts';
import {
  aside,
  checkbox,
  emphasis,
  heading,
  inlineQuote,
  strikethrough,
  strong,
  superscript,
} from './inline.ts';
import { image, labelledDrawing, link } from './links.ts';
import { blockquote, definition, list, orphanItem } from './lists.ts';
import { math, mathContainer, mathScript, renderedMath } from './math.ts';
import { table } from './tables.ts';
import type { ElementRule } from './writer.ts';

const skipped: ElementRule = () => undefined;

const line: ElementRule = (writer, { children }) => {
  writer.endText();
  writer.walk(children);
  writer.endText();
};

const paragraph: ElementRule = (writer, { children }) => {
  writer.endText();
  writer.walk(children);
  writer.endText('paragraph');
};

const cell: ElementRule = (writer, { children }) => {
  if (!writer.isInline) writer.endText();
  else writer.line.space();
  writer.walk(children);
  if (!writer.isInline) writer.endText();
  else writer.line.space();
};

/** Labels of choices side by side are words of their own, which a style sets apart. */
const label: ElementRule = (writer, element) => {
  const isChoice = [element.prev, element.next].some(
    (beside) => beside && isTag(beside) && (beside.name === 'input' || beside.name === 'label'),
  );
  if (isChoice) writer.line.space();
  writer.walk(element.children);
  if (isChoice) writer.line.space();
};

const hasParentheses = ({ prev, next }: Element) =>
  [prev, next].some((beside) => beside && isTag(beside) && beside.name === 'rp');

/** The reading of characters, in parentheses, which stand in `rp` on some pages. */
const reading: ElementRule = (writer, element) =>
  hasParentheses(element) ? writer.walk(element.children) : aside(writer, element);

/** The rule for each element name. An element without a rule is written as its content. */
export const ELEMENT_RULES: ReadonlyMap<string, ElementRule> = new Map<string, ElementRule>([
  ...SKIPPED_ELEMENTS.map((name) => [name, skipped] as const),
  ...[...LINE_ELEMENTS].map((name) => [name, line] as const),
  ...[...HEADING_ELEMENTS].map((name) => [name, heading] as const),
  ['p', paragraph],
  [
    'div',
    (writer, element) => {
      if (isCodeListing(element)) return codeBlock(writer, element);
      writer.endText();
      renderedMath(writer, element);
      writer.endText();
    },
  ],
  [
    'span',
    (writer, element) => {
      if (!isHoverNote(element)) return renderedMath(writer, element);
      writer.line.space();
      aside(writer, element);
    },
  ],
  ['rt', reading],
  ['svg', labelledDrawing],
  ['script', mathScript],
  ['math', math],
  ['mjx-container', mathContainer],
  ['br', ({ line }) => line.break(true)],
  ['hr', (writer) => (writer.isInline ? writer.endText() : writer.addBlock({ kind: 'rule', text: '---' }))],
  ['b', strong],
  ['strong', strong],
  ['i', emphasis],
  ['em', emphasis],
  ['del', strikethrough],
  ['s', strikethrough],
  ['strike', strikethrough],
  ['sup', superscript],
  ['q', inlineQuote],
  ['a', link],
  ['img', image],
  ['input', checkbox],
  ['label', label],
  ['code', inlineCode],
  ['tt', inlineCode],
  ['kbd', inlineCode],
  ['samp', inlineCode],
  ['pre', codeBlock],
  ['listing', codeBlock],
  ['xmp', codeBlock],
  ['ul', list],
  ['menu', list],
  ['dir', list],
  ['ol', list],
  ['li', orphanItem],
  ['blockquote', blockquote],
  ['dd', definition],
  ['table', table],
  ['td', cell],
  ['th', cell],
]);
