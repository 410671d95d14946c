import type { ChildNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag, isText } from '../nodes.ts';
import { detectLanguage, namesLanguage } from './code-languages.ts';
import { SKIPPED_ELEMENTS } from './element-names.ts';
import { writeInlineLink } from './links.ts';
import type { ElementRule } from './writer.ts';

/** Class names of elements that hold one line of code. */
const LINE_CLASS = /(?:^|\s)(?:\w+-)*line(?:\s|$)/;
const LINE_BREAKING_ELEMENTS = new Set(['div', 'p', 'li', 'tr', 'ol', 'ul', 'table', 'tbody']);
const NON_CODE_ELEMENTS: ReadonlySet<string> = new Set([...SKIPPED_ELEMENTS, 'button']);
/** Class names of the line numbers that highlighters add. */
export const LINE_NUMBER_CLASS =
  /(?:^|[\s_-])(?:line-?numbers?(?:-rows)?|lineno?s?|line-?nu?[mr]|lnt?|gutter|hljs-ln-numbers|blob-num)(?:$|[\s_-])/i;

/** A fenced code block, with the language that the page's classes name. */
export const codeBlock: ElementRule = (writer, pre) => {
  const { codeLabels } = writer;
  const code = extractCodeText(pre, codeLabels.elements);
  if (isLineNumberGutter(pre, code)) return;
  writer.countText(code.length);
  if (writer.isInline) {
    writer.endText();
    for (const line of code.split('\n')) {
      if (line.trim()) writer.line.code(line, codeSpan);
      writer.endText();
    }
    return;
  }
  writer.endText();
  if (code !== '' || !writer.options.tidy)
    writer.addBlock({
      kind: 'other',
      text: fencedCode(code, codeLabels.languages.get(pre) ?? detectLanguage(pre)),
    });
};

/** Inline code. Each line becomes a code span of its own; links and images inside are kept. */
export const inlineCode: ElementRule = (writer, element) => {
  if (isBlock(element)) return codeBlock(writer, element);
  let code = '';
  const flush = () => {
    if (code.trim() !== '' || (code !== '' && !writer.options.tidy)) writer.line.code(code, codeSpan);
    else if (code !== '') writer.line.space();
    code = '';
  };
  const walk = (nodes: readonly ChildNode[]) => {
    for (const node of nodes) {
      if (isText(node)) {
        writer.countText(node.data.length);
        code += node.data;
      } else if (isTag(node)) {
        if (node.name === 'br') {
          flush();
          writer.line.break(true);
        } else if (node.name === 'img' || node.name === 'pre' || node.name === 'table') {
          flush();
          writer.element(node);
        } else if (node.name === 'a' && node.attribs.href) {
          flush();
          writeInlineLink(writer, node, () => {
            walk(node.children);
            flush();
          });
        } else walk(node.children);
      }
    }
  };
  walk(element.children);
  flush();
};

/** Whether `code` is a block although no `pre` is around it: it stands alone in elements that name its language. */
function isBlock({ name, parent, prev, next }: Element): boolean {
  if (name !== 'code' || !isParentElement(parent) || parent.name !== 'div') return false;
  const isAlone = [prev, next].every((beside) => !beside || (isText(beside) && beside.data.trim() === ''));
  return (
    isAlone && [parent, parent.parent].some((around) => isParentElement(around) && namesLanguage(around))
  );
}

/**
 * Extracts the text of code: lines separated by line feeds, without line numbers.
 * @param labels elements that are left out
 */
export function extractCodeText(element: Element, labels?: ReadonlySet<Element>): string {
  const pieces: string[] = [];
  let isAtStart = true;
  let isBehindLine = false;
  let isBehindNumber = false;
  const add = (written: string) => {
    // Doxygen sets a blank after each number.
    const text = isBehindNumber && element.name === 'div' ? written.replace(/^[ \u00a0]/, '') : written;
    isBehindNumber = false;
    if (text === '') return;
    if (isBehindLine && !isAtStart && !text.startsWith('\n')) pieces.push('\n');
    isBehindLine = false;
    pieces.push(text);
    isAtStart = text.endsWith('\n');
  };
  const walk = (nodes: readonly ChildNode[]) => {
    for (const node of nodes) {
      if (isText(node)) add(node.data);
      else if (isTag(node)) {
        if (node.name === 'br') add('\n');
        else if (isLineNumbers(node)) isBehindNumber = true;
        else if (!NON_CODE_ELEMENTS.has(node.name) && !labels?.has(node)) {
          const isBlock = LINE_BREAKING_ELEMENTS.has(node.name);
          if ((isBlock || LINE_CLASS.test(node.attribs.class ?? '')) && !isAtStart) add('\n');
          walk(node.children);
          if (isBlock) isBehindLine = true;
        }
      }
    }
  };
  walk(element.children);
  return pieces
    .join('')
    .replace(/\u00a0/g, ' ')
    .replace(/\n+$/, '');
}

/** Whether an element holds nothing but line numbers. */
function isLineNumbers(element: Element): boolean {
  return LINE_NUMBER_CLASS.test(element.attribs.class ?? '') && /^[\s\d]*$/.test(textContent(element));
}

/** Whether a `pre` holds the line numbers of the code in the next table cell. */
function isLineNumberGutter(pre: Element, code: string): boolean {
  const { parent } = pre;
  if (!/^\s*\d+(?:\s+\d+)*\s*$/.test(code) || !isParentElement(parent)) return false;
  if (isLineNumbers(pre) || isLineNumbers(parent)) return true;
  const cell = [parent, parent.parent].find((at) => isParentElement(at) && at.name === 'td');
  return Boolean(cell?.next && /^\s*1\b/.test(code));
}

/** Formats text as a fenced code block. The fence is longer than any run of backticks in the text. */
export function fencedCode(text: string, language: string): string {
  const longest = (text.match(/^[ \t]*`{3,}/gm) ?? []).reduce(
    (most, run) => Math.max(most, run.trim().length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text && `${text}\n`}${fence}`;
}

/** Formats text as a code span. */
function codeSpan(text: string): string {
  const line = text.replace(/[\r\n]/g, ' ').replace(/\u00a0/g, ' ');
  const runs = new Set((line.match(/`+/g) ?? []).map(({ length }) => length));
  let ticks = 1;
  while (runs.has(ticks)) ticks++;
  const fence = '`'.repeat(ticks);
  const isPadded = /^`|`$|^ .*[^ ].* $/.test(line);
  return isPadded ? `${fence} ${line} ${fence}` : fence + line + fence;
}
