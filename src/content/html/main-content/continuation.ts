import type { Element } from 'domhandler';
import { closest, firstElements, isHeading, isWithin } from '../nodes.ts';
import { isAlike } from './evidence/outline.ts';
import { findShape, findWords, hasData } from './evidence/shapes.ts';
import type { PageIndex } from './page-index/page-index.ts';
import { linksWithinPage } from './pruning/link-kinds.ts';
import { isContentElement } from './pruning/prune.ts';
import type { PrunedPage } from './stage.ts';

/** The least share of the running text that the core has of a page which was not narrowed to it. */
const MIN_CORE_SHARE = 0.5;
/**
 * The largest share of linked text in a block beside the content root that continues it. In references, whose
 * sections and tables consist of names, most of them are links.
 */
const MAX_LINKED_SHARE_OF_TEXT = 0.3;
const MAX_LINKED_SHARE_OF_DATA = 0.9;
/** Characters that are not blank. */
const MAX_INTRODUCTION_LENGTH = 600;
/** The elements of a block in which data is looked for. */
const MAX_VISITED = 600;
/** Elements that are content but cannot be the content root. */
export const NO_ROOTS = new Set(['p', 'pre', 'blockquote', 'ul', 'ol', 'dl', 'figure', 'details']);
/** Elements that stand beside a text and never contain or continue it. */
export const BESIDE_TEXT = new Set(['nav', 'aside', 'footer', 'form']);
const FOOTNOTES = /(^|[\s_-])(footnotes?|endnotes?)(\s|$)/i;

/**
 * Whether an article is a part of the page, whose title is outside of it, rather than a text with a title of
 * its own or one that introduces another page by a link.
 */
export function isPartOfPage(
  article: Element,
  { titled, measures }: PageIndex,
  { dropped, remaining }: PrunedPage,
): boolean {
  const rest = remaining.get(article);
  const isDropped = (element: Element) => closest(element, (at) => dropped.has(at)) !== undefined;
  return (
    titled.size > 0 &&
    !titled.has(article) &&
    rest !== undefined &&
    measures.get(article)?.rank !== 1 &&
    !findShape(article, rest, dropped) &&
    !firstElements(article, MAX_VISITED).some(
      (element) => isHeading(element) && isLinked(element, measures) && !isDropped(element),
    )
  );
}

const isLinked = (heading: Element, measures: PageIndex['measures']) => {
  const { length = 0, linked = 0 } = measures.get(heading) ?? {};
  return length > 0 && linked > 0.5 * length;
};

/**
 * Whether a block between the title and the text introduces it: a short text that is neither teasers nor a
 * notice.
 */
export function isLeadBeforeText(element: Element, { remaining }: PrunedPage): boolean {
  const rest = remaining.get(element);
  return (
    rest !== undefined &&
    rest.headings === 0 &&
    rest.length <= MAX_INTRODUCTION_LENGTH &&
    rest.linked <= MAX_LINKED_SHARE_OF_TEXT * rest.length &&
    !findShape(element, rest) &&
    !findWords(element)
  );
}

/**
 * Whether a block beside the content root belongs to the text: its first or last part, a note, or a section
 * that is not in the same element as the others.
 */
export function isContinuation(
  element: Element,
  beside: Element,
  index: PageIndex,
  pruned: PrunedPage,
  outline: ReadonlySet<Element>,
): boolean {
  const { core, dropped, remaining } = pruned;
  const rest = remaining.get(element);
  // Captions have no weight.
  if (rest?.prose === 0 && hasCore(element, index, core)) return true;
  if (!rest || rest.length === 0) return false;
  if (index.type === 'documentation' && isContentsOfChapter(element, index)) return true;
  const { prose, linked, length, headings } = rest;
  if (BESIDE_TEXT.has(element.name)) return false;
  // Several articles on a page are different texts.
  if (element.name === 'article' && beside.name === 'article')
    if (![element, beside].every((article) => isPartOfPage(article, index, pruned))) return false;
  const isTable = prose === 0 && !index.titled.has(element) && hasData(element, MAX_VISITED);
  const isData = isTable || (prose === 0 && !index.titled.has(element) && headings > 0);
  const isPassage = outline.has(element) && (NO_ROOTS.has(element.name) || isHeading(element));
  if (!isData && !isPassage && prose === 0) return false;
  if (
    linked >
    (headings > 0 || isData || isPassage ? MAX_LINKED_SHARE_OF_DATA : MAX_LINKED_SHARE_OF_TEXT) * length
  )
    return false;
  return (
    (core.contains(element) ||
      isWithin(core.element, element) ||
      isInMarked(element) ||
      outline.has(element) ||
      isFootnotes(element) ||
      isAlike(element, beside, index)) &&
    // What was dropped of a part of the text, such as teasers in it, does not tell what the rest is; of a table, such as the
    // ingredients of a recipe with a field for their amount, neither do the controls in it.
    !findShape(element, rest, isTable ? dropped : undefined) &&
    !findWords(element)
  );
}

/** Whether an element has the core of the page, which has most of its running text. */
const hasCore = (element: Element, { body, measures }: PageIndex, core: PrunedPage['core']): boolean =>
  isWithin(core.element, element) &&
  (measures.get(core.element)?.prose ?? 0) >= MIN_CORE_SHARE * (measures.get(body)?.prose ?? 0);

/** Whether an element has the contents of a chapter, whose sections are other pages. */
const isContentsOfChapter = (element: Element, { nameHints }: PageIndex): boolean =>
  nameHints.get(element)?.some(({ kind }) => kind === 'tableOfContents') === true &&
  !linksWithinPage(element);

/** Whether an element is marked as the notes of a text, which often stand behind the element with the text. */
const isFootnotes = ({ attribs }: Element): boolean =>
  attribs.role === 'doc-endnotes' || FOOTNOTES.test(attribs.class ?? '');

/** Whether an element is inside of one that is marked as content. */
const isInMarked = (element: Element): boolean => closest(element.parent, isContentElement) !== undefined;
