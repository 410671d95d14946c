import type { Document } from 'domhandler';
import TurndownService from 'turndown';
import { fenced, inlineCode } from './markdown-code.ts';
import { addRule, linesOf } from './markdown-rule.ts';
import { addTables } from './markdown-tables.ts';
import { type MarkdownNode, markdownTree } from './markdown-tree.ts';

/** Longer addresses, but for `data:` ones, lead nowhere; longer titles say nothing. */
const MOST_ADDRESS = 50_000;
const MOST_TITLE = 1_000;
const PLACEHOLDER = '<Base64-Image-Removed>';
/** What turndown leaves: a text that looks like HTML or an entity. */
const MORE_MARKUP = /<(?=[a-z!/?])|&(?=#?\w{1,32};)/gi;
const SKIP_LINK = /^(skip|jump) to (the )?(main |primary |page )?(content|navigation|menu|search|footer)$/i;

/** GitHub-flavoured markdown of a page. */
export function toMarkdown(document: Document, options: { removeBase64Images: boolean }): string {
  const converter = options.removeBase64Images ? converters.remove : converters.keep;
  // It has all that turndown asks of a DOM.
  return converter.turndown(markdownTree(document.children) as unknown as HTMLElement).trim();
}

function createConverter(removeBase64Images: boolean): TurndownService {
  const converter = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  const escapeBasics = converter.escape;
  converter.escape = (text) =>
    escapeBasics(text)
      .replace(MORE_MARKUP, '\\$&')
      .replace(/^(\d+)\) /, '$1\\) ');
  addTables(converter);
  addRule(converter, ['strong', 'b'], (content) => marked(content, '**'));
  addRule(converter, ['em', 'i'], (content) => marked(content, '*'));
  addRule(converter, ['del', 's', 'strike'], (content) => marked(content, '~~'));
  addRule(converter, ['input'], checkbox);
  addRule(converter, ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], (content, node) => {
    const text = linesOf(content).join(' ');
    return text && `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${text}\n\n`;
  });
  addRule(converter, ['ul', 'ol', 'menu'], (content, node) =>
    node.parentNode?.nodeName === 'LI' ? `\n${content}\n` : `\n\n${content}\n\n`,
  );
  addRule(converter, ['li'], listItem);
  addRule(converter, ['pre'], (_content, node) => {
    const code = node.textContent;
    return code && `\n\n${fenced(code, node.getAttribute('language') ?? '')}\n\n`;
  });
  addRule(converter, ['code', 'tt'], (content, node) =>
    node.below.has('IMG') ? content : inlineCode(node.textContent),
  );
  addRule(converter, ['a'], link);
  addRule(converter, ['img'], (_content, node) => image(node, removeBase64Images));
  return converter;
}

const converters = { keep: createConverter(false), remove: createConverter(true) };

/** Marks cannot reach over blocks. */
const marked = (content: string, mark: string) =>
  content.trim() && !content.includes('\n\n') ? `${mark}${content}${mark}` : content;

function checkbox(_content: string, node: MarkdownNode): string {
  if (node.type !== 'checkbox' || node.parentNode?.nodeName !== 'LI') return '';
  const gap = /^\s/.test(node.nextSibling?.textContent ?? '') ? '' : ' ';
  return `[${node.checked ? 'x' : ' '}]${gap}`;
}

function listItem(content: string, node: MarkdownNode): string {
  const text = content.trim();
  if (!text) return '';
  const list = node.parentNode;
  const start = Number.parseInt(list?.getAttribute('start') ?? '1', 10);
  const marker = list?.nodeName === 'OL' ? `${(start >= 0 ? start : 1) + node.ordinal - 1}. ` : '- ';
  const end = text.includes('\n\n') ? '\n\n' : '\n';
  return `${marker}${text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)}${end}`;
}

function link(content: string, node: MarkdownNode): string {
  const href = node.getAttribute('href')?.trim() ?? '';
  if (!href || href.length > MOST_ADDRESS || /^(javascript|data):/i.test(href)) return content;
  const lines = linesOf(content);
  if (lines.length === 0 || SKIP_LINK.test(lines.join(' '))) return '';
  const target = `(${address(href)}${title(node)})`;
  // A heading cannot stand inside a link, but a link inside a heading.
  const [, level, text] = (lines.length === 1 && /^(#{1,6}) (.+)$/.exec(lines.join())) || [];
  if (level) return `\n\n${level} [${text}]${target}\n\n`;
  return `[${lines.map((line) => line.replace(/^#{1,6} /, '')).join('\\\n')}]${target}`;
}

function image(node: MarkdownNode, removeBase64Images: boolean): string {
  const source = node.getAttribute('src')?.trim();
  if (!source) return '';
  const alt = oneLine(node, 'alt').replace(/[\\[\]]/g, '\\$&');
  const isData = /^data:/i.test(source);
  if (isData && removeBase64Images) return `![${alt}](${PLACEHOLDER})`;
  if (!isData && source.length > MOST_ADDRESS) return '';
  return `![${alt}](${address(source)}${title(node)})`;
}

const address = (written: string) => written.replace(/[<>()]/g, '\\$&').replace(/\s/g, '%20');

function title(node: MarkdownNode): string {
  const text = oneLine(node, 'title');
  return text && ` "${text.replace(/["\\]/g, '\\$&')}"`;
}

const oneLine = (node: MarkdownNode, attribute: string) =>
  linesOf((node.getAttribute(attribute) ?? '').slice(0, MOST_TITLE)).join(' ');
