import { type Document, Element } from 'domhandler';
import { hasAttributes } from '../../nodes.ts';
import { documentTitleWords, titleWords } from '../../page-title.ts';
import type { PageType } from '../page-type/page-type.ts';
import { findCodeTabs } from './code-tabs.ts';
import { findCollapsibleIds } from './collapsibles.ts';
import { type Measure, type Measures, measureElements } from './element-measures.ts';
import { NameCoverage, weightsOf } from './name-coverage.ts';
import type { NameHint } from './name-hints.ts';
import { findSpokenTexts, type SpokenText } from './spoken-texts.ts';

/** Facts about a page that its type does not change, found before anything is dropped. */
export interface PageFacts {
  document: Document;
  body: Element;
  /** The elements that have a measure, in document order. */
  elements: readonly Element[];
  measures: Measures;
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
  /**
   * The hints in the names of the elements, which are found once.
   * @param hasAnchors whether ids on the page name what it describes
   */
  namesWith(hasAnchors: boolean): NameCoverage;
}

/** The facts about a page that all steps use. */
export interface PageIndex extends PageFacts {
  type: PageType;
  /** Whether the page says that it is an article, whatever it is made of. */
  isDeclaredArticle: boolean;
  nameHints: ReadonlyMap<Element, readonly NameHint[]>;
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

/** Below this share of prose, text is weighed by length on every page type. */
const MIN_PROSE_SHARE = 0.1;
/** A heading with fewer characters may be in the title by chance. */
const MIN_TITLE_LENGTH = 4;

/** Reads the facts about a page. @returns `undefined` for a page without a body */
export function readPageFacts(page: Document, isScripted: boolean): PageFacts | undefined {
  const measures = measureElements(page, isScripted);
  const elements = measures.keys();
  const body = elements.find(({ name }) => name === 'body');
  if (!body) return undefined;
  const names = new Map<boolean, NameCoverage>();
  return {
    document: page,
    body,
    elements,
    measures,
    ...findContentAncestors(page, measures),
    collapsibleIds: findCollapsibleIds(elements),
    codeTabs: findCodeTabs(elements),
    spokenTexts: findSpokenTexts(elements, measures),
    namesWith(hasAnchors) {
      const known = names.get(hasAnchors);
      if (known) return known;
      const coverage = new NameCoverage(measures, hasAnchors);
      coverage.add(body);
      names.set(hasAnchors, coverage);
      return coverage;
    },
  };
}

/** Indexes a page as one of a type. */
export function indexPage(facts: PageFacts, type: PageType, isDeclaredArticle: boolean): PageIndex {
  const total = facts.measures.get(facts.body)!;
  const weighed = isRunningText(type) && total.prose > MIN_PROSE_SHARE * total.length ? 'prose' : 'text';
  const weigh = (measure: Measure) => weightsOf(measure)[weighed];
  const whole = weigh(total) || 1;
  const names = facts.namesWith(type === 'documentation');
  return {
    ...facts,
    type,
    isDeclaredArticle,
    nameHints: names.hints,
    weigh,
    shareOf: (one) => weigh(one) / whole,
    coverageOf: (word) => names.of(word, weighed) / whole,
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
  const lower: Element[] = [];
  for (const element of measures.keys()) {
    // A heading that is a picture names the site.
    if (element.name === 'h1') headings.push(...(measures.get(element)?.length ? [element] : []));
    else if (element.name === 'h2') lower.push(element);
    else if (isMainElement(element) || isArticleBody(element)) addWithAncestors(element, contentAncestors);
  }
  const titles = headings.length ? selectTitles(headings, page) : selectLowerTitle(lower, page);
  for (const heading of titles) addWithAncestors(heading, titled);
  for (const element of titled) contentAncestors.add(element);
  return { contentAncestors, titled };
}

/** The `h1` headings that agree with the document's title; all of them if none does. */
function selectTitles(headings: Element[], page: Document): Element[] {
  if (headings.length < 2) return headings;
  const title = documentTitleWords(page);
  const titles = headings.filter((heading) => {
    const words = titleWords(heading);
    return words.length >= MIN_TITLE_LENGTH && (title.includes(words) || words.includes(title));
  });
  return titles.length ? titles : headings;
}

/** The `h2` heading of a page without `h1` that has the words of the document's title, if there is exactly one. */
function selectLowerTitle(headings: Element[], page: Document): Element[] {
  const title = headings.length ? documentTitleWords(page) : '';
  const titles = headings.filter(
    (heading) => title.length >= MIN_TITLE_LENGTH && titleWords(heading) === title,
  );
  return titles.length === 1 ? titles : [];
}

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
