import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { textContent } from 'domutils';
import { linked } from './links.ts';
import { SKIPPED } from './names.ts';
import type { Rule } from './writer.ts';

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*)([^\s"'`~;]+|;)/i;
/** Highlighters whose own class stands before that of the language. */
const HIGHLIGHTED = /(?:^|\s)(?:sourceCode(?:\s+numberSource)?|hljs)\s+([a-z][a-z\d+#]*)(?=\s|$)/i;
/** What highlighters write when they know of no language. */
const NO_LANGUAGE = /^(default|none|notranslate|plain|plaintext|text|auto|undefined|nohighlight)$/i;
/** Elements that begin a new line of code. */
const LINE_CLASS = /(?:^|\s)(?:\w+-)*line(?:\s|$)/;
const LINES = new Set(['div', 'p', 'li', 'tr', 'ol', 'ul', 'table', 'tbody']);
const NO_CODE: ReadonlySet<string> = new Set([...SKIPPED, 'button']);
/** What highlighters call the numbers that they put before lines. */
export const NUMBERS =
  /(?:^|[\s_-])(?:line-?numbers?(?:-rows)?|lineno?s?|line-?nu?[mr]|lnt?|gutter|hljs-ln-numbers|blob-num)(?:$|[\s_-])/i;

/** A block of code, with what language its page says it is. */
export const codeBlock: Rule = (writer, pre) => {
  const code = codeOf(pre);
  if (isGutter(pre, code)) return;
  writer.count(code.length);
  if (writer.isFlat) {
    writer.bound();
    for (const line of code.split('\n')) {
      if (line.trim()) writer.line.code(line, codeSpan);
      writer.bound();
    }
    return;
  }
  writer.bound();
  if (code !== '' || !writer.options.tidy) writer.add({ kind: 'other', text: fenced(code, languageOf(pre)) });
};

/** Code inside a line; more lines are a code each. What it links to stays linked, pictures stay pictures. */
export const inlineCode: Rule = (writer, element) => {
  let code = '';
  const flush = () => {
    if (code.trim() !== '' || (code !== '' && !writer.options.tidy)) writer.line.code(code, codeSpan);
    else if (code !== '') writer.line.gap();
    code = '';
  };
  const walk = (nodes: readonly ChildNode[]) => {
    for (const node of nodes) {
      if (isText(node)) {
        writer.count(node.data.length);
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
          linked(writer, node, () => {
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

/** The text of code, its lines parted by line feeds however the page parts them, without the numbers before them. */
export function codeOf(element: Element): string {
  const pieces: string[] = [];
  let isAtStart = true;
  let isBehindLine = false;
  const add = (text: string) => {
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
        else if (!isNumbers(node) && !NO_CODE.has(node.name)) {
          const isBlock = LINES.has(node.name);
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

/** Whether an element has nothing but the numbers of lines. */
function isNumbers(element: Element): boolean {
  return NUMBERS.test(element.attribs.class ?? '') && /^[\s\d]*$/.test(textContent(element));
}

/** Whether a `pre` has the numbers of the lines that stand in the next cell. */
function isGutter(pre: Element, code: string): boolean {
  const { parent } = pre;
  if (!/^\s*\d+(?:\s+\d+)*\s*$/.test(code) || !parent || !isTag(parent)) return false;
  if (isNumbers(pre) || isNumbers(parent)) return true;
  const cell = [parent, parent.parent].find((at) => at && isTag(at) && at.name === 'td');
  return Boolean(cell?.next && /^\s*1\b/.test(code));
}

/** The language that the classes of a `pre`, or of what is right inside or around it, say; else empty. */
function languageOf(pre: Element): string {
  const { parent } = pre;
  const around = parent && isTag(parent) ? [parent, parent.parent] : [];
  const inside = pre.children.filter(isTag).filter(({ name }) => name === 'code');
  for (const node of [...inside, pre, ...around]) {
    if (!node || !isTag(node)) continue;
    const { attribs } = node;
    const classes = attribs.class ?? '';
    const said =
      attribs['data-lang'] ??
      attribs['data-language'] ??
      (LANGUAGE.exec(classes) ?? HIGHLIGHTED.exec(classes))?.[1];
    if (said && /^[^\s`~]{1,50}$/.test(said) && !NO_LANGUAGE.test(said)) return said.toLowerCase();
  }
  return '';
}

/** A text as a fenced block of a language. */
export function fenced(text: string, language: string): string {
  const longest = (text.match(/^[ \t]*`{3,}/gm) ?? []).reduce(
    (most, run) => Math.max(most, run.trim().length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text && `${text}\n`}${fence}`;
}

/** A text as code inside a line. */
function codeSpan(text: string): string {
  const line = text.replace(/[\r\n]/g, ' ').replace(/\u00a0/g, ' ');
  const runs = new Set((line.match(/`+/g) ?? []).map(({ length }) => length));
  let ticks = 1;
  while (runs.has(ticks)) ticks++;
  const fence = '`'.repeat(ticks);
  const isPadded = /^`|`$|^ .*[^ ].* $/.test(line);
  return isPadded ? `${fence} ${line} ${fence}` : fence + line + fence;
}
