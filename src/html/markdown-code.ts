import { type ChildNode, type Element, isTag, isText } from 'domhandler';

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*)([\w+#.-]+)/i;
/** What highlighters write when they know of no language. */
const NO_LANGUAGE = /^(default|none|notranslate|plain)$/i;
/** Elements that begin a new line of code. */
const LINES = new Set(['div', 'p', 'li', 'tr']);

/** The text of a `pre`, its lines parted by line feeds however the page parts them. */
export function codeOf(pre: Element): string {
  return textOf(pre).replace(/^\n+/, '').trimEnd();
}

function textOf(node: ChildNode): string {
  if (isText(node)) return node.data;
  if (!isTag(node)) return '';
  if (node.name === 'br') return '\n';
  let text = '';
  for (const child of node.children) {
    if (isTag(child) && LINES.has(child.name) && text && !text.endsWith('\n')) text += '\n';
    text += textOf(child);
  }
  return text;
}

/** The language that the classes of a `pre`, or of what is right inside or around it, say; else empty. */
export function languageOf(pre: Element): string {
  const { parent } = pre;
  const around = parent && isTag(parent) ? [parent, parent.parent] : [];
  const inside = pre.children.filter(isTag).filter(({ name }) => name === 'code');
  for (const node of [...inside, pre, ...around]) {
    if (!node || !isTag(node)) continue;
    const { attribs } = node;
    const said = attribs['data-lang'] ?? attribs['data-language'] ?? LANGUAGE.exec(attribs.class ?? '')?.[1];
    if (said && /^[\w+#.-]+$/.test(said) && !NO_LANGUAGE.test(said)) return said.toLowerCase();
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
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text as code inside a line. */
export function inlineCode(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ').trim();
  if (!line) return '';
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const gap = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}
