import { Element } from 'domhandler';
import { closest, isHeading, isParentElement, isTag, isWithin } from '../nodes.ts';
import { BESIDE_TEXT, isContinuation, isLeadBeforeText, isPartOfPage, NO_ROOTS } from './continuation.ts';
import { findOutlineAround } from './evidence/outline.ts';
import type { Sign } from './evidence/sign.ts';
import { isArticleBody, isMainElement, isRunningText, type PageIndex } from './page-index/page-index.ts';
import { PAGE_TYPES } from './page-type/page-type.ts';
import { isContentElement } from './pruning/prune.ts';
import { dropBesideTitle } from './pruning/titles.ts';
import type { PrunedPage, Stage } from './stage.ts';

/** Minimum share of the remaining page for the main element on pages of running text. */
const MIN_MAIN_SHARE = 0.5;
/** The least running text of an article beside a sidebar with more. Characters that are not blank. */
const MIN_TITLED_CORE_PROSE = 300;
/** Minimum length of the main element on other pages, in characters that are not blank. */
const MIN_MAIN_LENGTH = 150;
/** Minimum share and weight of the article that contains the title. */
const MIN_TITLED_ARTICLE_SHARE = 0.2;
const MIN_TITLED_ARTICLE_WEIGHT = 300;
const MIN_FIRST_ARTICLE_WEIGHT = 200;
/**
 * Minimum share of its parent's weight for a child to be the content root; less for `main` and `article`
 * elements.
 */
const MIN_CHILD_SHARE = 0.75;
const MIN_MARKED_CHILD_SHARE = 0.5;
/** The least share of unlinked text for a child to be the content root of documentation, which has many short texts. */
const MIN_SHARE_OF_DOCUMENTATION = 0.9;
/** A sibling of the content root inside the main element is kept if no larger share of its text is linked. */
const MAX_LINKED_SHARE = 0.2;
/** Headings beside each other that are an outline. */
const MIN_HEADINGS = 2;
/** The elements before a product's title are dropped if they are at most this share of the remaining page. */
const MAX_SHARE_BEFORE_TITLE = 0.3;

/** Minimum share of the remaining page for an element marked as the article body. */
const MIN_ARTICLE_BODY_SHARE = 0.6;

const NO_OUTLINE: ReadonlySet<Element> = new Set();

/** Why an element beside the content root is dropped. */
export const BESIDE_ROOT: Sign = { kind: 'place', detail: 'beside the content root' };

/** The state of the search for the content root. */
interface RootSearch {
  root: Element;
  isInMain: boolean;
}

/** Finds the element that contains the content and drops everything outside of it. */
export const contentRootStage: Stage = {
  name: 'narrow to content root',
  types: PAGE_TYPES,
  run(page) {
    page.root = narrowToContentRoot(page.index, page.pruned);
  },
};

/** @returns the content root, or the body if there is no such element */
function narrowToContentRoot(index: PageIndex, pruned: PrunedPage): Element {
  const { body, type } = index;
  const found: RootSearch = { root: body, isInMain: false };
  const main = findMain(index, pruned);
  if (main) narrowTo(found, main, index, pruned);
  if (type === 'article') {
    const article = findTitledArticle(found.root, index, pruned);
    if (article) narrowTo(found, article, index, pruned);
    const text = findArticleBody(found.root, index, pruned);
    if (text) narrowTo(found, text, index, pruned);
  }
  if (isRunningText(type)) while (descend(found, index, pruned));
  else if (type === 'product') dropBeforeTitle(found.root, index, pruned);
  return found.root;
}

/** The largest main element, if it has enough of the page. */
function findMain(index: PageIndex, { remaining, core }: PrunedPage): Element | undefined {
  let main: Element | undefined;
  let longest = 0;
  for (const element of remaining.keys()) {
    if (!isMainElement(element) || isInFrame(element)) continue;
    const { length = 0 } = remaining.get(element) ?? {};
    if (length <= longest) continue;
    main = element;
    longest = length;
  }
  if (!main) return undefined;
  const isEnough =
    remainingWeight(main, index, remaining) >=
      MIN_MAIN_SHARE * remainingWeight(index.body, index, remaining) ||
    (!isRunningText(index.type) && longest > MIN_MAIN_LENGTH) ||
    isWithin(core.element, main);
  return isEnough ? main : undefined;
}

/** Whether an element is in an inlined frame, whose main element is not the main element of the page. */
const isInFrame = (element: Element): boolean =>
  closest(element.parent, ({ attribs }) => attribs['data-original-tag'] === 'iframe') !== undefined;

/** The article that contains the title, if there is exactly one; other articles on the page are teasers. */
function findTitledArticle(
  root: Element,
  index: PageIndex,
  { remaining, dropped }: PrunedPage,
): Element | undefined {
  const minimum = Math.max(
    MIN_TITLED_ARTICLE_WEIGHT,
    MIN_TITLED_ARTICLE_SHARE * remainingWeight(index.body, index, remaining),
  );
  const articles: Element[] = [];
  for (const element of index.titled) {
    if (element.name !== 'article' || !remaining.has(element) || dropped.has(element)) continue;
    if (isWithin(element, root)) articles.push(element);
  }
  const [article] = articles;
  return article && articles.length === 1 && remainingWeight(article, index, remaining) >= minimum
    ? article
    : undefined;
}

/** The element with `itemprop="articleBody"`, if there is exactly one that is large enough. */
function findArticleBody(
  root: Element,
  index: PageIndex,
  { remaining, dropped }: PrunedPage,
): Element | undefined {
  const minimum = MIN_ARTICLE_BODY_SHARE * remainingWeight(root, index, remaining);
  const bodies = remaining
    .keys()
    .filter(
      (element) =>
        isArticleBody(element) &&
        !dropped.has(element) &&
        isWithin(element, root) &&
        remainingWeight(element, index, remaining) >= minimum,
    );
  return bodies.length === 1 ? bodies[0] : undefined;
}

function narrowTo(found: RootSearch, to: Element, index: PageIndex, pruned: PrunedPage): void {
  for (let at = to; at !== found.root && isParentElement(at.parent); at = at.parent)
    dropBeside(at, at.parent.children.filter(isTag), index, pruned);
  found.root = to;
  found.isInMain = true;
}

/**
 * Drops the siblings of an element that do not continue it. The title stays, with what introduces the text
 * between the two.
 */
function dropBeside(
  element: Element,
  siblings: readonly Element[],
  index: PageIndex,
  pruned: PrunedPage,
  outline: ReadonlySet<Element> = NO_OUTLINE,
): void {
  let isIntroduced = false;
  let isBefore = true;
  for (const sibling of siblings) {
    if (sibling === element) isBefore = false;
    else if (!isContinuation(sibling, element, index, pruned, outline))
      dropBesideTitle(
        sibling,
        index,
        pruned.dropped,
        [BESIDE_ROOT],
        isIntroduced && isLeadBeforeText(sibling, pruned),
      );
    isIntroduced ||= isBefore && index.titled.has(sibling);
    isIntroduced &&= isBefore;
  }
}

/** Moves the root to the child that has most of the content. @returns whether there is such a child */
function descend(found: RootSearch, index: PageIndex, pruned: PrunedPage): boolean {
  const { dropped, remaining } = pruned;
  const children: Element[] = [];
  for (const child of found.root.children) {
    if (isTag(child) && remaining.has(child) && !dropped.has(child)) children.push(child);
  }
  const total = remainingWeight(found.root, index, remaining);
  if (total === 0) return false;
  if (isFlatOutline(children)) return false;
  const largest =
    children.findLast((child) => {
      if (NO_ROOTS.has(child.name) || BESIDE_TEXT.has(child.name)) return false;
      const minimum = isContentElement(child) && !found.isInMain ? MIN_MARKED_CHILD_SHARE : MIN_CHILD_SHARE;
      return remainingWeight(child, index, remaining) >= minimum * total;
    }) ?? (index.type === 'article' ? findFirstArticle(children, index, pruned) : undefined);
  if (!largest) return false;
  const next = findTitledCore(children, largest, index, pruned) ?? largest;
  if (index.type === 'documentation' && hasOtherText(children, next, pruned)) return false;
  const others = children.filter(
    (child) => child === next || !(found.isInMain && isContentBesideRoot(child, index, remaining)),
  );
  dropBeside(next, others, index, pruned, findOutlineAround(next, children, index));
  found.root = next;
  found.isInMain ||= isContentElement(next);
  return true;
}

/** The part of an article with its title and its text, if the largest part is named a sidebar. */
const findTitledCore = (
  children: readonly Element[],
  largest: Element,
  { measures, nameHints, titled, type }: PageIndex,
  { core }: PrunedPage,
): Element | undefined =>
  type === 'article' &&
  (measures.get(core.element)?.prose ?? 0) >= MIN_TITLED_CORE_PROSE &&
  nameHints.get(largest)?.some(({ kind }) => kind === 'sidebar') &&
  !titled.has(largest) &&
  !core.contains(largest)
    ? children.find((child) => titled.has(child) && isWithin(core.element, child))
    : undefined;

/** Whether a part of a page of documentation has less than nearly all of the text that is not linked. */
function hasOtherText(children: readonly Element[], next: Element, { remaining }: PrunedPage): boolean {
  let own = 0;
  let all = 0;
  for (const child of children) {
    const { length = 0, linked = 0 } = remaining.get(child) ?? {};
    all += length - linked;
    if (child === next) own = length - linked;
  }
  return own < MIN_SHARE_OF_DOCUMENTATION * all;
}

/**
 * Whether sections stand beside each other without elements around them, of which none is all of the text.
 */
const isFlatOutline = (children: readonly Element[]) =>
  children.filter((child) => isHeading(child) && child.name !== 'h1').length >= MIN_HEADINGS;

/**
 * The article with the title among several siblings, else the first. The others are loaded for endless
 * scrolling.
 */
function findFirstArticle(children: Element[], index: PageIndex, pruned: PrunedPage): Element | undefined {
  const { remaining } = pruned;
  const articles = children.filter(
    (child) => child.name === 'article' && remainingWeight(child, index, remaining) > 0,
  );
  const first = articles.find((article) => index.contentAncestors.has(article)) ?? articles[0];
  if (articles.length > 1 && articles.every((article) => isPartOfPage(article, index, pruned)))
    return undefined;
  return first && articles.length > 1 && remainingWeight(first, index, remaining) > MIN_FIRST_ARTICLE_WEIGHT
    ? first
    : undefined;
}

/** Whether a sibling of the content root inside the main element belongs to the content. */
function isContentBesideRoot(
  element: Element,
  index: PageIndex,
  remaining: PrunedPage['remaining'],
): boolean {
  if (isHeading(element) || NO_ROOTS.has(element.name)) return true;
  const measured = index.measures.get(element);
  return (
    measured !== undefined &&
    (remainingWeight(element, index, remaining) > 0 ||
      (index.type === 'documentation' && (remaining.get(element)?.length ?? 0) > 0)) &&
    measured.linked < MAX_LINKED_SHARE * measured.length
  );
}

/** Drops the elements before a product's title, which are usually breadcrumbs and pictures. */
function dropBeforeTitle(root: Element, index: PageIndex, { remaining, dropped }: PrunedPage): void {
  const title = findTitle(root, index, dropped);
  const before: Element[] = [];
  let weight = 0;
  for (let at = title; at && at !== root; at = at.parent instanceof Element ? at.parent : undefined) {
    for (const sibling of at.parent?.children ?? []) {
      if (sibling === at) break;
      if (!isTag(sibling) || dropped.has(sibling)) continue;
      before.push(sibling);
      weight += remainingWeight(sibling, index, remaining);
    }
  }
  if (weight <= MAX_SHARE_BEFORE_TITLE * remainingWeight(root, index, remaining))
    for (const element of before) dropped.drop(element, { kind: 'place', detail: 'before the title' });
}

function findTitle(root: Element, index: PageIndex, dropped: PrunedPage['dropped']): Element | undefined {
  for (const element of index.titled) {
    if (element.name !== 'h1' || (index.measures.get(element)?.length ?? 0) <= 3) continue;
    if (isWithin(element, root)) return dropped.has(element) ? undefined : element;
  }
  return undefined;
}

function remainingWeight(element: Element, index: PageIndex, remaining: PrunedPage['remaining']): number {
  const measure = remaining.get(element);
  return measure ? index.weigh(measure) : 0;
}
