import type { Element } from 'domhandler';
import { prevElementSibling, textContent } from 'domutils';
import { closest, isParentElement, isText } from '../nodes.ts';
import { oneLine } from '../text.ts';
import type { InlineSpan } from './delimiters.ts';
import { classifyContent } from './element-names.ts';
import { LINE_BREAKS } from './inline-writer.ts';
import type { ElementRule, MarkdownWriter } from './writer.ts';

/** Most characters of a URL other than `data:`, and of a title. */
const MAX_URL = 50_000;
const MAX_TITLE = 1_000;
export const BASE64_IMAGE_PLACEHOLDER = '<Base64-Image-Removed>';
const SKIP_LINK = /^(skip|jump) to (the )?(main |primary |page )?(content|navigation|menu|search|footer)$/i;
/** URLs and mail addresses that can be written as autolinks between angle brackets. */
const AUTOLINK_URL = /^https?:\/\/[^\s<>\\]+$/i;
const AUTOLINK_EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*$/;

/**
 * A link. Markdown links cannot contain blocks: a link around lines joins them, one around a heading and
 * other blocks is written in the heading, and one around other blocks is repeated in the text of each. A
 * place in a document to which one of its links leads stays, as HTML.
 */
export const link: ElementRule = (writer, element) => {
  const { id = '', href } = element.attribs;
  if (href === undefined && writer.footnotes.linkedIds.has(id) && /^[\w.:-]+$/.test(id))
    writer.line.raw(`<a id="${id}"></a>`);
  if (writer.options.tidy && isSkipLink(element)) return;
  const label = writer.footnotes.references.get(element);
  if (label !== undefined) {
    writer.line.raw(`[^${label}]`);
    return;
  }
  const plain = autolink(element);
  if (plain && !isInLink(writer)) writer.line.raw(plain);
  else writeLinkedContent(writer, element, element);
};

/**
 * Writes the content of `within` as the text of a link; `within` is the link itself or a list item inside it.
 */
export function writeLinkedContent(writer: MarkdownWriter, element: Element, within: Element): void {
  const content = () => writer.walk(within.children);
  const span = createLinkSpan(element, writer);
  if (!span || isInLink(writer)) {
    content();
    return;
  }
  const inside = writer.isInline ? 'none' : classifyContent(within);
  if (inside === 'heading') {
    const outerLink = writer.headingLink;
    writer.headingLink = span;
    writer.endText();
    content();
    writer.endText();
    writer.headingLink = outerLink;
  } else if (inside === 'lines') {
    writer.endText();
    const text = writer.renderInline(LINE_BREAKS.link, content);
    if (text !== '' || !writer.options.tidy) writer.line.raw(span.open + text + span.close);
    writer.endText();
  } else writeLinkSpan(writer, span, content);
}

/** Writes a link around inline content. */
export function writeInlineLink(writer: MarkdownWriter, element: Element, content: () => void): void {
  const span = createLinkSpan(element, writer);
  if (!span || isInLink(writer)) content();
  else writeLinkSpan(writer, span, content);
}

function writeLinkSpan(writer: MarkdownWriter, span: InlineSpan, content: () => void): void {
  writer.writeSpan(span, content);
  if (!span.hasContent && !writer.options.tidy) writer.line.raw(span.open + span.close);
}

const isInLink = ({ spans, headingLink }: MarkdownWriter) =>
  headingLink !== undefined || spans.some(({ isLink }) => isLink);

/** The brackets and target around a link's text; `undefined` for a link without a usable URL. */
function createLinkSpan(
  { attribs: { href, title } }: Element,
  { options }: MarkdownWriter,
): InlineSpan | undefined {
  if (href === undefined || href.length > MAX_URL || /^\s*(javascript|data):/i.test(href)) return;
  return {
    open: '[',
    close: `](${escapeUrl(href)}${formatTitle(title, options.tidy)})`,
    isLink: true,
    hasContent: false,
  };
}

function autolink({ attribs: { href = '', title }, children: [only, ...more] }: Element): string | undefined {
  if (title || more.length > 0 || !only || !isText(only)) return;
  const text = only.data.trim();
  if (text === href && AUTOLINK_URL.test(text)) return `<${text}>`;
  return `mailto:${text}` === href && AUTOLINK_EMAIL.test(text) ? `<${text}>` : undefined;
}

const isSkipLink = (element: Element) =>
  element.attribs.href?.includes('#') && SKIP_LINK.test(oneLine(textContent(element)));

/**
 * An image. The same image twice in a row, as pages repeat it for readers without scripts, is written once.
 */
export const image: ElementRule = (writer, element) => {
  const { attribs } = element;
  const source = attribs.src?.trim();
  if (source === undefined || source === '') return;
  const alt = truncateToLine(attribs.alt).replace(/[\\[\]`*_<]/g, '\\$&');
  const isData = /^data:/i.test(source);
  if (!isData && source.length > MAX_URL) return;
  const target =
    isData && writer.options.removeBase64Images
      ? BASE64_IMAGE_PLACEHOLDER
      : escapeUrl(source) + formatTitle(attribs.title, writer.options.tidy);
  writer.line.image(`![${alt}](${target})`);
};

/**
 * A drawing with a label (`role="img"`) is its label. One in a link or a button is the symbol of a control.
 */
export const labelledDrawing: ElementRule = (writer, drawing) => {
  const { parent } = drawing;
  const holder = [drawing, parent].find(
    (each) => isParentElement(each) && each.attribs.role === 'img' && each.attribs['aria-label'],
  );
  if (!isParentElement(holder) || writer.spans.some(({ isLink }) => isLink) || isInButton(holder)) return;
  // Several drawings have one label, such as the stars of a rating.
  if (holder === parent && prevElementSibling(drawing)) return;
  writer.line.space();
  writer.line.text(truncateToLine(holder.attribs['aria-label']));
  writer.line.space();
};

const isInButton = ({ parent }: Element): boolean =>
  closest(parent, ({ name }) => name === 'button') !== undefined;

/** Escapes a URL as a link target. Balanced parentheses stay as they are. */
function escapeUrl(written: string): string {
  const encoded = written.trim().replace(/[\s\p{Cc}]/gu, encodeURIComponent);
  if (!/[\\()<&]/.test(encoded)) return encoded;
  return encoded
    .replace(/\\(?=[!-/:-@[-`{-~])|^<|&(?=#?\w{1,32};)/g, '\\$&')
    .replace(hasBalancedParentheses(encoded) ? /(?!)/ : /[()]/g, '\\$&');
}

function hasBalancedParentheses(text: string): boolean {
  let open = 0;
  for (const [character] of text.matchAll(/[()]/g)) {
    open += character === '(' ? 1 : -1;
    // CommonMark allows 32 levels.
    if (open < 0 || open > 32) return false;
  }
  return open === 0;
}

function formatTitle(title: string | undefined, isTidy: boolean): string {
  if (!title) return '';
  // A line feed in a title would end a table row or a quote.
  const text = isTidy ? truncateToLine(title) : title.slice(0, MAX_TITLE).replace(/\n/g, '&#10;');
  return text && ` "${text.replace(/["\\]|&(?!#10;)(?=#?\w{1,32};)/g, '\\$&')}"`;
}

const truncateToLine = (text = '') => oneLine(text.slice(0, MAX_TITLE));
