import { type Document, Element } from 'domhandler';
import { getElementsByTagName, nextElementSibling, prevElementSibling, textContent } from 'domutils';
import { isCodeListing } from '../../code-listing.ts';
import { listElements } from '../../element-list.ts';
import { childrenOf, hasAttributes, isParentElement, isTag } from '../../nodes.ts';
import type { PageType } from '../page-type/page-type.ts';
import { findCodeTabs } from './code-tabs.ts';
import { findCollapsibleIds } from './collapsibles.ts';
import { isHeading, type Measure, type Measures, measureElements } from './element-measures.ts';
import { findNameHints, type NameHint } from './name-hints.ts';
import { findSpokenTexts, type SpokenText } from './spoken-texts.ts';

/** Facts about a page that all steps use, computed before anything is dropped. */
export interface PageIndex {
  type: PageType;
  document: Document;
  body: Element;
  /** The elements that have a measure, in document order. */
  elements: readonly Element[];
  measures: Measures;
  nameHints: ReadonlyMap<Element, readonly NameHint[]>;
  /**
   * The title, main elements and article bodies with their ancestors, which are never boilerplate by name.
   */
  contentAncestors: ReadonlySet<Element>;
  /** The headings with the page's title, and their ancestors. */
  titled: ReadonlySet<Element>;
  /** Ids of elements that readers can expand, such as answers and tabs. */
  collapsibleIds: ReadonlySet<string>;
  /** The names of tabs that choose between variants of code. */
  codeTabs: ReadonlySet<Element>;
  /** The elements that screen readers skip for a text beside them, and these texts. */
  spokenTexts: ReadonlyMap<Element, SpokenText>;
  /** The weight of a measure: prose on pages of running text, else text with linked text counted less. */
  weigh(measure: Measure): number;
  /** A measure's share of the weight of the whole page, from 0 to 1. */
  shareOf(measure: Measure): number;
  /**
   * Share of the page in elements with this word in their names, from 0 to 1. A word on most of the page is
   * no hint.
   */
  coverageOf(word: string): number;
}

/** Weight of linked text relative to other text, where prose is not counted. */
const LINKED_TEXT_WEIGHT = 0.3;
/** Below this share of prose, text is weighed by length on every page type. */
const MIN_PROSE_SHARE = 0.1;
/** A heading with fewer characters may be in the title by chance. */
const MIN_TITLE_LENGTH = 4;
/** Only this many characters of a title are compared. */
const MAX_TITLE_LENGTH = 500;

const CODE = new Set(['pre', 'code']);
const CELLS = new Set(['td', 'th']);

const NO_WORDS: string[] = [];

/** The word under which the coverage of `form` elements is counted. */
export const FORM_WORD = 'form';

/** What is known of a page before it is indexed. */
export interface MeasuredPage {
  document: Document;
  body: Element;
  measures: Measures;
}

/**
 * Measures a page.
 * @param isScripted whether a browser has rendered it
 * @returns `undefined` for a page without a body
 */
export function measurePage(document: Document, isScripted: boolean): MeasuredPage | undefined {
  const measures = measureElements(document, isScripted);
  const body = listElements(document).find((element) => element.name === 'body' && measures.has(element));
  return body && { document, body, measures };
}

/** Indexes a page as one of a type. */
export function indexPage({ document: page, body, measures }: MeasuredPage, type: PageType): PageIndex {
  const elements = measures.keys();
  const total = measures.get(body)!;
  const byProse = isRunningText(type) && total.prose > MIN_PROSE_SHARE * total.length;
  const weigh = ({ prose, length, linked }: Measure) =>
    byProse ? prose : length - linked * (1 - LINKED_TEXT_WEIGHT);
  const whole = weigh(total) || 1;
  const coverage = new NameCoverage({ measures, hasAnchors: type === 'documentation', weigh });
  coverage.add(body);
  return {
    type,
    document: page,
    body,
    elements,
    measures,
    nameHints: coverage.hints,
    ...findContentAncestors(page, measures),
    collapsibleIds: findCollapsibleIds(elements),
    codeTabs: findCodeTabs(elements),
    spokenTexts: findSpokenTexts(elements, measures),
    weigh,
    shareOf: (one) => weigh(one) / whole,
    coverageOf: (word) => coverage.of(word) / whole,
  };
}

/** Whether the content of pages of this type is running text. */
export const isRunningText = (type: PageType) =>
  type === 'article' || type === 'documentation' || type === 'forum';

/** Whether an element is marked as the body of an article. */
export const isArticleBody = (element: Element) =>
  hasAttributes(element) && element.attribs.itemprop === 'articleBody';

/** Whether an element is marked as the main content of the page. */
export const isMainElement = (element: Element) =>
  element.name === 'main' || (hasAttributes(element) && element.attribs.role === 'main');

function findContentAncestors(
  page: Document,
  measures: Measures,
): {
  contentAncestors: Set<Element>;
  titled: Set<Element>;
} {
  const contentAncestors = new Set<Element>();
  const titled = new Set<Element>();
  const headings: Element[] = [];
  for (const element of measures.keys()) {
    // A heading that is a picture names the site.
    if (element.name === 'h1') headings.push(...(measures.get(element)?.length ? [element] : []));
    else if (isMainElement(element) || isArticleBody(element)) addWithAncestors(element, contentAncestors);
  }
  for (const heading of selectTitles(headings, page)) addWithAncestors(heading, titled);
  for (const element of titled) contentAncestors.add(element);
  return { contentAncestors, titled };
}

/** The `h1` headings that agree with the document's title; all of them if none does. */
function selectTitles(headings: Element[], page: Document): Element[] {
  if (headings.length < 2) return headings;
  const [head] = getElementsByTagName('title', page, true, 1);
  const title = head ? wordsOf(head).slice(0, MAX_TITLE_LENGTH) : '';
  const titles = headings.filter((heading) => {
    const words = wordsOf(heading);
    return words.length >= MIN_TITLE_LENGTH && (title.includes(words) || words.includes(title));
  });
  return titles.length ? titles : headings;
}

const wordsOf = (element: Element) =>
  textContent(element)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

/** Adds an element and its ancestors below the body. */
function addWithAncestors(element: Element, to: Set<Element>): void {
  for (
    let at: Element['parent'] = element;
    at instanceof Element && at.name !== 'body' && !to.has(at);
    at = at.parent
  ) {
    to.add(at);
  }
}

/**
 * Collects the name hints of all elements and the weight that each word covers. Nested elements with the same
 * word count once.
 */
class NameCoverage {
  readonly hints = new Map<Element, readonly NameHint[]>();
  /** Weight by word. */
  readonly #coverage = new Map<string, number>();
  /** The words of the elements around the one that is read. */
  readonly #open = new Set<string>();
  readonly #measures: Measures;
  readonly #hasAnchors: boolean;
  readonly #weigh: PageIndex['weigh'];

  constructor({ measures, hasAnchors, weigh }: NameSource) {
    this.#measures = measures;
    this.#hasAnchors = hasAnchors;
    this.#weigh = weigh;
  }

  /** The weight of the elements with a word in their names. */
  of(word: string): number {
    return this.#coverage.get(word) ?? 0;
  }

  /**
   * Adds all elements in an element.
   * @param around the passage that the element is in, where names are those of what the text is about
   */
  add(element: Element, around?: Passage): void {
    for (const child of childrenOf(element)) {
      const measured = isTag(child) ? this.#measures.get(child) : undefined;
      if (!isTag(child) || !measured) continue;
      const opened = this.#cover(child, measured, around ?? (isHeading(child) ? 'text' : undefined));
      this.add(child, around === 'code' ? around : (passageIn(child, measured) ?? around));
      for (const word of opened) this.#open.delete(word);
    }
  }

  /** Counts an element for the words of its names. @returns those that it is the outermost element of */
  #cover(element: Element, measured: Measure, passage: Passage | undefined): string[] {
    const all = findNameHints(element, this.#hasAnchors);
    const own = passage ? all.filter((hint) => tellsIn(passage, hint, element)) : all;
    // The coverage of forms tells whether a page uses them as containers.
    const isForm = element.name === 'form';
    if (own.length === 0 && !isForm) return NO_WORDS;
    if (own.length) this.hints.set(element, own);
    const words = new Set(own.map(({ word }) => word).filter((word) => !this.#open.has(word)));
    if (isForm && !this.#open.has(FORM_WORD)) words.add(FORM_WORD);
    const weight = this.#weigh(measured);
    for (const word of words) {
      this.#open.add(word);
      this.#coverage.set(word, this.of(word) + weight);
    }
    return [...words];
  }
}

/** A passage of text or of code. */
type Passage = 'text' | 'code';

/** What an element holds if that is one passage. */
function passageIn(element: Element, measured: Measure): Passage | undefined {
  if (CODE.has(element.name) || isCodeListing(element)) return 'code';
  return element.name === 'p' || isHeading(element) || isDataCell(element, measured) ? 'text' : undefined;
}

/** Whether an element is a cell of a table of data. Tables that lay a page out have headings or one row. */
function isDataCell({ name, parent: row }: Element, { headings }: Measure): boolean {
  if (!CELLS.has(name) || headings > 0 || !isParentElement(row)) return false;
  return (
    prevElementSibling(row) !== null ||
    nextElementSibling(row) !== null ||
    (isParentElement(row.parent) && prevElementSibling(row.parent)?.name === 'thead')
  );
}

/**
 * Whether a hint counts inside of a passage. Class names there are those of what the text is about, and in code those of a
 * highlighter, such as `comment`, `none`, and `sr` for a regular expression. Only mdBook hides lines of an example.
 */
const tellsIn = (passage: Passage, { kind, word }: NameHint, element: Element) =>
  passage === 'text'
    ? kind === 'hiddenByClass' || kind === 'screenReaderOnly' || word === 'editsection'
    : kind === 'hiddenByClass' && isBoringLine(element);

/** Whether an element is a line that mdBook hides until the reader asks for it. */
const isBoringLine = ({ attribs, parent }: Element) =>
  attribs.class === 'boring' && isParentElement(parent) && /\blanguage-\w/.test(parent.attribs.class ?? '');

/** What {@link NameCoverage} reads. */
interface NameSource {
  measures: Measures;
  /** Whether ids on the page name what it describes. */
  hasAnchors: boolean;
  weigh: PageIndex['weigh'];
}
