import type { Element } from 'domhandler';
import { hasAttributes, isHeading, isParentElement, isTag } from '../../nodes.ts';
import { isLinkAsWhole } from '../evidence/shapes.ts';
import type { Sign } from '../evidence/sign.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** A list of teasers has at least as many headings that are links, and they are at least this share of its headings. */
const MIN_TEASERS = 3;
const MIN_SHARE_OF_HEADINGS = 0.7;
/** The least running text that an article has beside its teasers, in characters that are not blank, and as a share of all. */
const MIN_OWN_PROSE = 150;
const MIN_OWN_SHARE = 0.1;
/** Names of lists of other articles, and of the articles in them. */
const OTHERS = /(^|[\s_-])(next-?\w*|more|latest|recent|slider|slides?|carousel|teasers?|stories)([\s_-]|$)/i;

/** Why a list of teasers is dropped. */
export const TEASERS: readonly Sign[] = [
  { kind: 'shape', detail: 'teasers of other articles' },
  { kind: 'place', detail: 'beside an article' },
];

/**
 * Finds the lists of teasers with excerpts below or beside a page that declares itself an article: elements without the title
 * whose headings are links, and which consist of articles or are named after what they list. Their text may be much
 * longer than that of the article. A text whose sections are about other pages has no such names.
 * @returns none if the page has hardly any text besides
 */
export function findTeaserLists(index: PageIndex): ReadonlySet<Element> {
  const found = new Set<Element>();
  if (!index.isDeclaredArticle || index.titled.size === 0) return found;
  const counts = countLinkedHeadings(index);
  if (!counts.size) return found;
  const lists: Element[] = [index.body];
  const { prose: all = 0 } = index.measures.get(index.body) ?? {};
  let own = all;
  for (let element = lists.pop(); element; element = lists.pop())
    for (const child of element.children) {
      const count = isTag(child) ? (counts.get(child) ?? 0) : 0;
      if (!isTag(child) || count < MIN_TEASERS) continue;
      const { headings = 0, prose = 0 } = index.measures.get(child) ?? {};
      const list = endOfChain(child);
      if (index.titled.has(list) || count < MIN_SHARE_OF_HEADINGS * headings || !listsOthers(child, list))
        lists.push(list);
      else {
        found.add(child);
        own -= prose;
      }
    }
  return own < Math.max(MIN_OWN_PROSE, MIN_OWN_SHARE * all) ? new Set() : found;
}

/** How many headings that are links each element has, in one pass from the last element to the first. */
function countLinkedHeadings({ elements, measures }: PageIndex): ReadonlyMap<Element, number> {
  const counts = new Map<Element, number>();
  for (let at = elements.length - 1; at >= 0; at--) {
    const element = elements[at]!;
    const isLinked = isHeading(element) && measures.get(element)?.linked && isLinkAsWhole(element);
    const count = (counts.get(element) ?? 0) + (isLinked ? 1 : 0);
    if (count > 0 && isParentElement(element.parent))
      counts.set(element.parent, (counts.get(element.parent) ?? 0) + count);
  }
  return counts;
}

/** The element with several children in an element that holds only one, which may hold only one, and so on. */
function endOfChain(element: Element): Element {
  let end = element;
  for (;;) {
    const [only, second] = firstTags(end);
    if (!only || second) return end;
    end = only;
  }
}

/** The first two elements in an element. */
function firstTags({ children }: Element): Element[] {
  const found: Element[] = [];
  for (const child of children) if (isTag(child) && found.push(child) === 2) break;
  return found;
}

/** Whether elements from one to the end of its chain are named after what they list, or the last one has articles. */
function listsOthers(element: Element, end: Element): boolean {
  for (let at: Element['parent'] = end; isParentElement(at); at = at.parent) {
    if (isNamedAfterOthers(at)) return true;
    if (at === element) break;
  }
  let named = 0;
  let articles = 0;
  for (const child of end.children) {
    if (!isTag(child)) continue;
    if (isNamedAfterOthers(child)) named++;
    if (child.name === 'article') articles++;
    if (named >= MIN_TEASERS || articles >= MIN_TEASERS) return true;
  }
  return false;
}

const isNamedAfterOthers = (element: Element) =>
  hasAttributes(element) && OTHERS.test(`${element.attribs.class ?? ''} ${element.attribs.id ?? ''}`);
