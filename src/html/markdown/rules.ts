import { codeBlock, inlineCode } from './code.ts';
import { checkbox, deleted, emphasis, heading, quotation, raised, strong } from './inline.ts';
import { image, link } from './links.ts';
import { definition, list, quote, strayItem } from './lists.ts';
import { math, mathContainer, mathScript, shown } from './math.ts';
import { HEADINGS, LINES, SKIPPED } from './names.ts';
import { table } from './tables.ts';
import type { Rule } from './writer.ts';

const skipped: Rule = () => undefined;

const line: Rule = (writer, { children }) => {
  writer.bound();
  writer.walk(children);
  writer.bound();
};

const paragraph: Rule = (writer, { children }) => {
  writer.bound();
  writer.walk(children);
  writer.bound('paragraph');
};

const cell: Rule = (writer, { children }) => {
  if (!writer.isFlat) writer.bound();
  else writer.line.gap();
  writer.walk(children);
  if (!writer.isFlat) writer.bound();
  else writer.line.gap();
};

/** How each element is written; those without a rule are only what is inside. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...SKIPPED.map((name) => [name, skipped] as const),
  ...[...LINES].map((name) => [name, line] as const),
  ...[...HEADINGS].map((name) => [name, heading] as const),
  ['p', paragraph],
  [
    'div',
    (writer, element) => {
      writer.bound();
      shown(writer, element);
      writer.bound();
    },
  ],
  ['span', shown],
  ['script', mathScript],
  ['math', math],
  ['mjx-container', mathContainer],
  ['br', ({ line }) => line.break(true)],
  ['hr', (writer) => (writer.isFlat ? writer.bound() : writer.add({ kind: 'rule', text: '---' }))],
  ['b', strong],
  ['strong', strong],
  ['i', emphasis],
  ['em', emphasis],
  ['del', deleted],
  ['s', deleted],
  ['strike', deleted],
  ['sup', raised],
  ['q', quotation],
  ['a', link],
  ['img', image],
  ['input', checkbox],
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
  ['li', strayItem],
  ['blockquote', quote],
  ['dd', definition],
  ['table', table],
  ['td', cell],
  ['th', cell],
]);
