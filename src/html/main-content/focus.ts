import { Element, isTag } from 'domhandler';
import { isHeading } from './measure.ts';
import { isContent, type Pruned } from './pruning.ts';
import { isArticleBody, isMain, isRunningText, type Survey } from './survey.ts';
import { dropBesideTitle } from './titles.ts';

/** Least share of what is left that the main element must have on pages of running text. */
const LEAST_MAIN = 0.5;
/** Least length of the main element on other pages. */
const SHORTEST_MAIN = 150;
/** Least share and weight of the article that holds the title. */
const LEAST_LEAD = 0.2;
const SHORTEST_LEAD = 300;
const SHORTEST_FIRST = 200;
/** So much of the weight in one child means that the content is in there; less for one that says it is. */
const MOST_OF_IT = 0.75;
const ENOUGH_OF_CONTENT = 0.5;
/** What stands beside the content in the main element is of it when no more of its text is linked. */
const MOST_LINKED = 0.2;
/** What comes before a product's title is not more than this share of what is left. */
const MOST_BEFORE_TITLE = 0.3;

/** Least share of what is left that the body of an article must have. */
const LEAST_BODY = 0.6;

/** Content, but nothing that holds the content of a page. */
const PASSAGES = new Set(['p', 'pre', 'blockquote', 'ul', 'ol', 'dl', 'figure', 'details']);

/** The element that holds the content, as it is narrowed down. */
interface Focus {
  root: Element;
  isInMain: boolean;
}

/**
 * Drops what surrounds the one element that holds the content, where there is such an element.
 * @returns it, or the body
 */
export function focus(survey: Survey, pruned: Pruned): Element {
  const { body, type } = survey;
  const found: Focus = { root: body, isInMain: false };
  const main = mainOf(survey, pruned);
  if (main) narrow(found, main, survey, pruned);
  if (type === 'article') {
    const lead = leadOf(found.root, survey, pruned);
    if (lead) narrow(found, lead, survey, pruned);
    const text = bodyOf(found.root, survey, pruned);
    if (text) narrow(found, text, survey, pruned);
  }
  if (isRunningText(type)) while (descend(found, survey, pruned));
  else if (type === 'product') dropBeforeTitle(found.root, survey, pruned);
  return found.root;
}

/** The main element, if it has enough of the page; the largest one where there are several. */
function mainOf(survey: Survey, { left }: Pruned): Element | undefined {
  let main: Element | undefined;
  let longest = 0;
  for (const [element, { length }] of left) {
    if (!isMain(element) || length <= longest || isInFrame(element)) continue;
    main = element;
    longest = length;
  }
  if (!main) return undefined;
  const isEnough =
    weightIn(main, survey, left) >= LEAST_MAIN * weightIn(survey.body, survey, left) ||
    (!isRunningText(survey.type) && longest > SHORTEST_MAIN);
  return isEnough ? main : undefined;
}

/** Whether an element came with a frame: what is main there need not be on the page around it. */
function isInFrame(element: Element): boolean {
  for (let at = element.parent; at && isTag(at); at = at.parent)
    if (at.attribs['data-original-tag'] === 'iframe') return true;
  return false;
}

/** The only article that holds the title: on its page other articles are announced. */
function leadOf(root: Element, survey: Survey, { left, dropped }: Pruned): Element | undefined {
  const least = Math.max(SHORTEST_LEAD, LEAST_LEAD * weightIn(survey.body, survey, left));
  const leads: Element[] = [];
  for (const element of survey.titled) {
    if (element.name !== 'article' || !left.has(element) || dropped.has(element)) continue;
    if (isWithin(element, root)) leads.push(element);
  }
  const [lead] = leads;
  return lead && leads.length === 1 && weightIn(lead, survey, left) >= least ? lead : undefined;
}

/** The only element that says that it is the article's body. */
function bodyOf(root: Element, survey: Survey, { left, dropped }: Pruned): Element | undefined {
  const least = LEAST_BODY * weightIn(root, survey, left);
  const bodies = [...left.keys()].filter(
    (element) =>
      isArticleBody(element) &&
      !dropped.has(element) &&
      isWithin(element, root) &&
      weightIn(element, survey, left) >= least,
  );
  return bodies.length === 1 ? bodies[0] : undefined;
}

function narrow(found: Focus, to: Element, survey: Survey, { dropped }: Pruned): void {
  for (let at = to; at !== found.root && at.parent && isTag(at.parent); at = at.parent) {
    for (const sibling of at.parent.children)
      if (isTag(sibling) && sibling !== at) dropBesideTitle(sibling, survey, dropped);
  }
  found.root = to;
  found.isInMain = true;
}

/** One step towards the element that has most of the content. @returns whether there was one */
function descend(found: Focus, survey: Survey, { dropped, left }: Pruned): boolean {
  const children: Element[] = [];
  for (const child of found.root.children) {
    if (isTag(child) && left.has(child) && !dropped.has(child)) children.push(child);
  }
  const whole = weightIn(found.root, survey, left);
  if (whole === 0) return false;
  const next =
    children.findLast((child) => {
      if (PASSAGES.has(child.name)) return false;
      const least = isContent(child) && !found.isInMain ? ENOUGH_OF_CONTENT : MOST_OF_IT;
      return weightIn(child, survey, left) >= least * whole;
    }) ?? (survey.type === 'article' ? firstArticle(children, survey, left) : undefined);
  if (!next) return false;
  for (const child of children) {
    if (child !== next && !(found.isInMain && belongs(child, survey, left)))
      dropBesideTitle(child, survey, dropped);
  }
  found.root = next;
  found.isInMain ||= isContent(next);
  return true;
}

/** Of several articles in a row, the one with the title, or the first: the others follow for who scrolls on. */
function firstArticle(children: Element[], survey: Survey, left: Pruned['left']): Element | undefined {
  const articles = children.filter((child) => child.name === 'article' && weightIn(child, survey, left) > 0);
  const first = articles.find((article) => survey.holders.has(article)) ?? articles[0];
  return first && articles.length > 1 && weightIn(first, survey, left) > SHORTEST_FIRST ? first : undefined;
}

/** Whether something that stands beside the content in the main element is of it: a heading or a passage. */
function belongs(element: Element, survey: Survey, left: Pruned['left']): boolean {
  if (isHeading(element) || PASSAGES.has(element.name)) return true;
  const measured = survey.measures.get(element);
  return (
    measured !== undefined &&
    (weightIn(element, survey, left) > 0 || lists(element, survey, left)) &&
    measured.linked < MOST_LINKED * measured.length
  );
}

/** Whether it is a table or a section without sentences: of documentation it is as much as what has them. */
function lists(element: Element, { type, titled }: Survey, left: Pruned['left']): boolean {
  const { length = 0, headings = 0 } = left.get(element) ?? {};
  const isSection = headings > 0 && !titled.has(element);
  return type === 'documentation' && length > 0 && (isSection || element.name === 'table');
}

/** Drops what comes before a product's title, which is seldom more than pictures and paths. */
function dropBeforeTitle(root: Element, survey: Survey, { left, dropped }: Pruned): void {
  const title = titleIn(root, survey, dropped);
  const before: Element[] = [];
  let weight = 0;
  for (let at = title; at && at !== root; at = at.parent instanceof Element ? at.parent : undefined) {
    for (const sibling of at.parent?.children ?? []) {
      if (sibling === at) break;
      if (!isTag(sibling) || dropped.has(sibling)) continue;
      before.push(sibling);
      weight += weightIn(sibling, survey, left);
    }
  }
  if (weight <= MOST_BEFORE_TITLE * weightIn(root, survey, left))
    for (const element of before) dropped.add(element);
}

function titleIn(root: Element, survey: Survey, dropped: Pruned['dropped']): Element | undefined {
  for (const element of survey.titled) {
    if (element.name !== 'h1' || (survey.measures.get(element)?.length ?? 0) <= 3) continue;
    if (isWithin(element, root)) return dropped.has(element) ? undefined : element;
  }
  return undefined;
}

function weightIn(element: Element, survey: Survey, left: Pruned['left']): number {
  const measure = left.get(element);
  return measure ? survey.weigh(measure) : 0;
}

function isWithin(element: Element, root: Element): boolean {
  for (let at: Element['parent'] = element; at; at = at.parent) if (at === root) return true;
  return false;
}
