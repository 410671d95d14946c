import { type Element, isText } from 'domhandler';
import { textContent } from 'domutils';
import { oneLine } from '../text.ts';
import { BREAKS } from './line.ts';
import type { Wrap } from './marks.ts';
import { holdsBlocks } from './names.ts';
import type { Rule, Writer } from './writer.ts';

/** Longer addresses, but for `data:` ones, lead nowhere; longer titles say nothing. */
const MOST_ADDRESS = 50_000;
const MOST_TITLE = 1_000;
const PLACEHOLDER = '<Base64-Image-Removed>';
const SKIP_LINK = /^(skip|jump) to (the )?(main |primary |page )?(content|navigation|menu|search|footer)$/i;
/** What a browser shows as it is written: addresses and mail addresses that may stand between angles. */
const PLAIN_ADDRESS = /^https?:\/\/[^\s<>\\]+$/i;
const PLAIN_MAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*$/;

/**
 * A link. One around lines joins them, one around a heading and other things is the heading's, for nothing in markdown
 * stands around blocks; around other blocks it is in each of their texts.
 */
export const link: Rule = (writer, element) => {
  if (writer.options.tidy && isSkipLink(element)) return;
  const label = writer.footnotes.marks.get(element);
  if (label !== undefined) {
    writer.line.raw(`[^${label}]`);
    return;
  }
  const plain = plainLink(element);
  if (plain && !isInLink(writer)) writer.line.raw(plain);
  else linkAround(writer, element, element);
};

/** The link of an element around what is inside of one, which may be an item of a list in it. */
export function linkAround(writer: Writer, element: Element, within: Element): void {
  const content = () => writer.walk(within.children);
  const wrap = wrapOf(element, writer);
  if (!wrap || isInLink(writer)) {
    content();
    return;
  }
  const inside = writer.isFlat ? 'none' : holdsBlocks(within);
  if (inside === 'heading') {
    const around = writer.card;
    writer.card = wrap;
    writer.bound();
    content();
    writer.bound();
    writer.card = around;
  } else if (inside === 'lines') {
    writer.bound();
    const text = writer.flat(BREAKS.link, content);
    if (text !== '' || !writer.options.tidy) writer.line.raw(wrap.open + text + wrap.close);
    writer.bound();
  } else linked(writer, element, content);
}

/** A link around what is written by the way. */
export function linked(writer: Writer, element: Element, content: () => void): void {
  const wrap = wrapOf(element, writer);
  if (!wrap || isInLink(writer)) {
    content();
    return;
  }
  writer.wrapped(wrap, content);
  if (!wrap.isUsed && !writer.options.tidy) writer.line.raw(wrap.open + wrap.close);
}

const isInLink = ({ wraps, card }: Writer) => card !== undefined || wraps.some(({ isLink }) => isLink);

/** What stands around a link's text, unless it leads nowhere. */
function wrapOf({ attribs: { href, title } }: Element, { options }: Writer): Wrap | undefined {
  if (href === undefined || href.length > MOST_ADDRESS || /^\s*(javascript|data):/i.test(href)) return;
  return {
    open: '[',
    close: `](${address(href)}${titled(title, options.tidy)})`,
    isLink: true,
    isUsed: false,
  };
}

function plainLink({
  attribs: { href = '', title },
  children: [only, ...more],
}: Element): string | undefined {
  if (title || more.length > 0 || !only || !isText(only)) return;
  const text = only.data.trim();
  if (text === href && PLAIN_ADDRESS.test(text)) return `<${text}>`;
  return `mailto:${text}` === href && PLAIN_MAIL.test(text) ? `<${text}>` : undefined;
}

const isSkipLink = (element: Element) =>
  element.attribs.href?.includes('#') && SKIP_LINK.test(textContent(element).trim().replace(/\s+/g, ' '));

/** A picture; the same one twice in a row, for readers without scripts, is one. */
export const image: Rule = (writer, element) => {
  const { attribs } = element;
  const source = attribs.src?.trim();
  if (source === undefined || source === '') return;
  const alt = inOneLine(attribs.alt).replace(/[\\[\]`*_<]/g, '\\$&');
  const isData = /^data:/i.test(source);
  if (!isData && source.length > MOST_ADDRESS) return;
  const target =
    isData && writer.options.removeBase64Images
      ? PLACEHOLDER
      : address(source) + titled(attribs.title, writer.options.tidy);
  writer.line.image(`![${alt}](${target})`);
};

/** An address as the target of a link; parentheses in pairs stay as they are. */
function address(written: string): string {
  const encoded = written.trim().replace(/[\s\p{Cc}]/gu, encodeURIComponent);
  if (!/[\\()<&]/.test(encoded)) return encoded;
  return encoded
    .replace(/\\(?=[!-/:-@[-`{-~])|^<|&(?=#?\w{1,32};)/g, '\\$&')
    .replace(isPaired(encoded) ? /(?!)/ : /[()]/g, '\\$&');
}

function isPaired(text: string): boolean {
  let open = 0;
  for (const [sign] of text.matchAll(/[()]/g)) {
    open += sign === '(' ? 1 : -1;
    // Markdown's own limit.
    if (open < 0 || open > 32) return false;
  }
  return open === 0;
}

function titled(title: string | undefined, isTidy: boolean): string {
  // A line feed in it would end a row or a quote.
  const text = isTidy ? inOneLine(title) : (title ?? '').slice(0, MOST_TITLE).replace(/\n/g, '&#10;');
  return text && ` "${text.replace(/["\\]|&(?!#10;)(?=#?\w{1,32};)/g, '\\$&')}"`;
}

const inOneLine = (text = '') => oneLine(text.slice(0, MOST_TITLE));
