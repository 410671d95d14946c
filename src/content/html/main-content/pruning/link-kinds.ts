import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { firstElements, isParentElement } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import type { Measure } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** The least share of the links in a block that lead to one page, for all of them to do so. */
const MIN_SHARE_OF_LINKS = 0.8;

/**
 * Whether the links in an element lead to parts of one page, as a table of its contents does; those of a chapter lead
 * to several. An element without links counts as such.
 */
export function linksWithinPage(element: Element): boolean {
  const pages = new Map<string, number>();
  let links = 0;
  for (const { name, attribs } of firstElements(element, MAX_VISITED)) {
    if (name !== 'a' || attribs.href === undefined) continue;
    links++;
    const [page = '', fragment] = attribs.href.split('#');
    if (fragment !== undefined) pages.set(page, (pages.get(page) ?? 0) + 1);
  }
  return links === 0 || Math.max(0, ...pages.values()) >= MIN_SHARE_OF_LINKS * links;
}

/**
 * Whether a link is a permalink symbol such as `¶` beside a heading or a definition.
 * @param length characters of the link's text that are not blank
 */
export const isPermalink = (element: Element, length: number) =>
  length > 0 &&
  length < 3 &&
  (element.attribs.href?.includes('#') ?? false) &&
  /^\s*[¶#§∞🔗\u200B\uE000-\uF8FF]\s*$/u.test(textContent(element));

/**
 * Whether a link leads to the source code of what is described, as in rustdoc, pkg.go.dev and Sphinx.
 * @param length characters of the link's text that are not blank
 */
export const isSourceLink = (element: Element, length: number) =>
  /(^|\s)(src|Documentation-source)(\s|$)/.test(element.attribs.class ?? '') ||
  (length <= MAX_SOURCE_LENGTH &&
    /^\s*(\[(source|src)\]|source|view source)\s*$/i.test(textContent(element)));

/** "View source" with brackets. */
const MAX_SOURCE_LENGTH = 12;
/** The values of `rel` and `accesskey`, and the words, of links to the pages around a page of a manual. */
const PAGER_REL = /(^|\s)(prev|previous|next|up|home|start|contents|index|first|last|top)(\s|$)/i;
const PAGER_WORDS = /^\W*(prev|previous|next|up|home|top|contents|index)\W*$/i;
const MAX_PAGER_LENGTH = 500;
/** The longest of these words with its arrows, in characters that are not blank. */
const MAX_PAGER_WORD_LENGTH = 20;
/** Elements in which these links are looked for. */
const MAX_VISITED = 100;

/**
 * Whether a block consists of links to the previous and next page of a manual, and the titles of these pages.
 */
export function isPager(
  element: Element,
  { links, length, prose, headings, linked }: Measure,
  { measures }: PageIndex,
): boolean {
  if (links < 2 || prose > linked || headings > 0 || length > MAX_PAGER_LENGTH || linked < 0.3 * length)
    return false;
  const all = firstElements(element, MAX_VISITED).filter(
    ({ name, attribs }) => name === 'a' && attribs.href !== undefined,
  );
  const around = all.filter(
    (link) =>
      PAGER_REL.test(link.attribs.rel ?? '') ||
      ((measures.get(link)?.length ?? 0) <= MAX_PAGER_WORD_LENGTH &&
        PAGER_WORDS.test(textOf(link, MAX_PAGER_LENGTH))),
  );
  return around.length >= 2 && around.length >= 0.5 * all.length;
}

/**
 * Whether a link is a child of a paragraph with prose. Such a link is content whatever its class names say.
 */
export const isInParagraph = ({ parent }: Element, { measures }: PageIndex) =>
  isParentElement(parent) && parent.name === 'p' && (measures.get(parent)?.prose ?? 0) > 0;
