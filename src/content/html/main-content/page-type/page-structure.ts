import type { Element } from 'domhandler';
import { firstElements, hasAttributes, isHeading, isParentElement, isTag, isText } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import type { Measures } from '../page-index/element-measures.ts';

/** What a page is made of, as numbers of elements unless it says otherwise. */
export interface PageStructure {
  /** Characters that are not blank: of all text, of linked text, of running text, and of code in `pre`. */
  length: number;
  linked: number;
  prose: number;
  code: number;
  /** Elements of code in `pre` and within lines. */
  codeElements: number;
  terms: number;
  /** Defined terms that links can lead to, such as signatures. */
  linkableTerms: number;
  titles: number;
  /** Headings below the title, those of them that links can lead to, and those with a link to themselves. */
  headings: number;
  anchors: number;
  permalinks: number;
  /** Whether it has the headings of a page of a Unix manual. */
  isManual: boolean;
  articles: number;
  prices: number;
  /** Controls that put something into a cart. */
  purchases: number;
}

/** The elements of a heading in which its anchor is looked for. */
const MAX_VISITED = 6;
/** Longer texts are no price and no label of a button. Characters that are not blank. */
const MAX_PRICE_LENGTH = 16;
const MAX_LABEL_LENGTH = 20;
const CURRENCY = '(?:[$€£¥₹₩₽]|\\b(?:US\\$|R\\$|USD|EUR|GBP|CHF|kr|zł|Kč|Ft)(?![a-z]))';
const PRICE = new RegExp(`^\\W{0,3}(?:${CURRENCY}\\s?\\d[\\d.,\\s]*|\\d[\\d.,\\s]*\\s?${CURRENCY})`, 'i');
const PURCHASE =
  /^\W*(add to (cart|bag|basket|trolley)|buy (it )?now|pre-?order|in den warenkorb|ajouter au panier|añadir (al carrito|a la cesta)|adicionar ao carrinho|comprar|aggiungi al carrello|in winkelwagen|カートに入れる|加入购物车)\W*$/i;
/** The heading that pages of Unix manuals have (man-pages(7)). */
const SYNOPSIS = /^\s*SYNOPSIS\s*$/;
const CONTROLS = new Set(['button', 'a', 'input']);
const LABELS = new Set(['submit', 'button']);

/** Reads what a page is made of, in one pass over its elements. */
export function readPageStructure(body: Element, measures: Measures): PageStructure {
  const { length = 0, linked = 0, prose = 0 } = measures.get(body) ?? {};
  const structure: PageStructure = {
    length,
    linked,
    prose,
    code: 0,
    codeElements: 0,
    terms: 0,
    linkableTerms: 0,
    titles: 0,
    headings: 0,
    anchors: 0,
    permalinks: 0,
    isManual: false,
    articles: 0,
    prices: 0,
    purchases: 0,
  };
  for (const element of measures.keys()) {
    const own = measures.get(element)?.length ?? 0;
    addElement(element, own, structure);
    if (own > 1 && own <= MAX_PRICE_LENGTH && hasPrice(element)) structure.prices++;
    if (own <= MAX_LABEL_LENGTH && isControl(element) && PURCHASE.test(labelOf(element)))
      structure.purchases++;
  }
  return structure;
}

function addElement(element: Element, length: number, structure: PageStructure): void {
  const { name } = element;
  if (name === 'h1') structure.titles++;
  else if (isHeading(element)) addHeading(element, structure);
  else if (name === 'pre' || name === 'code') {
    structure.codeElements++;
    if (name === 'pre') structure.code += length;
  } else if (name === 'dt') {
    structure.terms++;
    if (element.attribs.id) structure.linkableTerms++;
  } else if (name === 'article') structure.articles++;
}

function addHeading(heading: Element, structure: PageStructure): void {
  structure.headings++;
  structure.isManual ||= SYNOPSIS.test(textOf(heading, MAX_LABEL_LENGTH));
  const { parent } = heading;
  let hasId = Boolean(heading.attribs.id);
  if (isParentElement(parent) && parent.name !== 'body' && parent.attribs.id)
    hasId ||= parent.children.find(isTag) === heading;
  let isLinked = false;
  for (const { name, attribs } of firstElements(heading, MAX_VISITED)) {
    hasId ||= Boolean(attribs.id ?? (name === 'a' ? attribs.name : undefined));
    isLinked ||= name === 'a' && attribs.href?.startsWith('#') === true;
  }
  if (hasId) structure.anchors++;
  if (isLinked) structure.permalinks++;
}

/** Whether an element shows a price, and is not one around such an element. */
function hasPrice(element: Element): boolean {
  const { children } = element;
  for (let at = 0; at < children.length; at++) {
    const child = children[at]!;
    if (isText(child) && /\d/.test(child.data)) return PRICE.test(textOf(element, 2 * MAX_PRICE_LENGTH));
  }
  return false;
}

const isControl = (element: Element) =>
  CONTROLS.has(element.name) || (hasAttributes(element) && element.attribs.role === 'button');

const labelOf = (control: Element): string =>
  control.name === 'input'
    ? LABELS.has(control.attribs.type ?? '')
      ? (control.attribs.value ?? '')
      : ''
    : textOf(control, 2 * MAX_LABEL_LENGTH);

/** A product has one to three of these controls: for small screens and below the description as well. */
const MAX_PURCHASES = 3;
/** Pages of cards: as many articles, mostly linked. */
const MIN_CARDS = 8;
const MIN_LINKED_SHARE_OF_CARDS = 0.5;
const MAX_PROSE_SHARE_OF_CARDS = 0.4;
/** Pages of offers: as many prices, with as many links. */
const MIN_OFFERS = 20;
const MIN_LINKED_SHARE_OF_OFFERS = 0.4;

/** Whether a page offers one thing, or shows cards that lead to other pages. */
export function findOffers({
  length,
  linked,
  prose,
  titles,
  articles,
  prices,
  purchases,
}: PageStructure): 'product' | 'listing' | undefined {
  if (titles > 0 && prices > 0 && purchases > 0 && purchases <= MAX_PURCHASES) return 'product';
  const hasCards =
    articles >= MIN_CARDS &&
    linked > MIN_LINKED_SHARE_OF_CARDS * length &&
    prose < MAX_PROSE_SHARE_OF_CARDS * length;
  const hasOffers = prices >= MIN_OFFERS && linked > MIN_LINKED_SHARE_OF_OFFERS * length && purchases !== 1;
  return hasCards || hasOffers ? 'listing' : undefined;
}

/** Definitions that links can lead to, such as signatures of functions. */
const MIN_LINKABLE_TERMS = 3;
/** Headings with links to themselves, and their least share of all. */
const MIN_PERMALINKS = 3;
const MIN_PERMALINK_SHARE = 0.3;
/** What else the text has then: code, or definitions. */
const MIN_CODE_ELEMENTS = 10;
const MIN_TERMS = 5;
/** Without links to themselves: headings that links can lead to, beside this share of code. */
const MIN_ANCHORS = 5;
const MIN_CODE_SHARE = 0.03;

/** Whether a page describes software: it defines names, or has an outline with permalinks and code. */
export const isReference = (page: PageStructure): boolean =>
  page.linkableTerms >= MIN_LINKABLE_TERMS ||
  (page.permalinks >= MIN_PERMALINKS &&
    page.permalinks >= MIN_PERMALINK_SHARE * page.headings &&
    (page.code > 0 || page.codeElements >= MIN_CODE_ELEMENTS || page.terms >= MIN_TERMS));

/** Whether a page has an outline that links lead to, and code. Posts about software have both as well. */
export const hasOutlineAndCode = ({ anchors, code, length }: PageStructure): boolean =>
  anchors >= MIN_ANCHORS && code > MIN_CODE_SHARE * length;
