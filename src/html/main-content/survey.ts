import { type Document, Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { foldedAmong } from './folds.ts';
import { type Measure, type Measures, measure } from './measure.ts';
import { type Hint, hintsOf, type Naming } from './names.ts';
import type { PageType } from './page-type.ts';

/** What is known about a page before anything is dropped. */
export interface Survey {
  type: PageType;
  /** What the page itself says that it is. */
  claimed: PageType;
  body: Element;
  measures: Measures;
  hints: ReadonlyMap<Element, Hint[]>;
  /** What holds the title, the main element or the article's body, and is therefore no part beside it. */
  holders: ReadonlySet<Element>;
  /** What holds the title. */
  titled: ReadonlySet<Element>;
  /** Ids of what opens when readers ask for it: answers, tabs. */
  folded: ReadonlySet<string>;
  /** How much a part of the page matters. */
  weigh(measure: Measure): number;
  /** Its share of the whole page, from 0 to 1. */
  shareOf(measure: Measure): number;
  /** Share of the page in elements with this word in their names. A word that is everywhere says nothing. */
  coverageOf(word: string): number;
}

/** A link's text is worth so much of other text where no paragraphs count. */
const WORTH_OF_LINKS = 0.3;
/** A page with less prose than this share of its text is not told by its paragraphs, whatever its type. */
const LEAST_PROSE = 0.1;
/** A shorter heading may be a word of the title by chance. Characters. */
const SHORTEST_TITLE = 4;
/** More of a title is not looked through. */
const LONGEST_TITLE = 500;

const CODE = new Set(['pre', 'code']);
const TOKENS = new Set(['span', 'i', 'em', 'b', 'strong', 'font']);

/** The word that forms count for. */
export const FORM = 'form';

/** Looks over a page; `undefined` for one without a body. */
export function survey(
  page: Document,
  { type, claimed }: Pick<Survey, 'type' | 'claimed'>,
  isScripted: boolean,
): Survey | undefined {
  const measures = measure(page, isScripted);
  const body = bodyOf(measures);
  const total = body && measures.get(body);
  if (!body || !total) return undefined;
  const byProse = isRunningText(type) && total.prose > LEAST_PROSE * total.length;
  const weigh = ({ prose, length, linked }: Measure) =>
    byProse ? prose : length - linked * (1 - WORTH_OF_LINKS);
  const whole = weigh(total) || 1;
  const hints = new Map<Element, Hint[]>();
  const naming = { known: new Map<string, Hint[]>(), hasAnchors: type === 'documentation' };
  const coverage = cover(body, measures, hints, naming, weigh);
  return {
    type,
    claimed,
    body,
    measures,
    hints,
    ...findHolders(measures),
    folded: foldedAmong(measures.keys()),
    weigh,
    shareOf: (one) => weigh(one) / whole,
    coverageOf: (word) => (coverage.get(word) ?? 0) / whole,
  };
}

/** Types whose content is running text. */
export const isRunningText = (type: PageType) =>
  type === 'article' || type === 'documentation' || type === 'forum';

/** Says that it is the text of an article. */
export const isArticleBody = ({ attribs }: Element) => attribs.itemprop === 'articleBody';

export const isMain = ({ name, attribs }: Element) => name === 'main' || attribs.role === 'main';

function bodyOf(measures: Measures): Element | undefined {
  for (const element of measures.keys()) if (element.name === 'body') return element;
  return undefined;
}

function findHolders(measures: Measures): { holders: Set<Element>; titled: Set<Element> } {
  const holders = new Set<Element>();
  const titled = new Set<Element>();
  const headings: Element[] = [];
  let title = '';
  for (const element of measures.keys()) {
    if (element.name === 'h1') headings.push(element);
    else if (element.name === 'title') title ||= wordsOf(element).slice(0, LONGEST_TITLE);
    else if (isMain(element) || isArticleBody(element)) addLine(element, holders);
  }
  for (const heading of titlesAmong(headings, title)) addLine(heading, titled);
  for (const element of titled) holders.add(element);
  return { holders, titled };
}

/** Of several headings of the first level, those that say what the document is called; all, if none does. */
function titlesAmong(headings: Element[], title: string): Element[] {
  if (headings.length < 2 || !title) return headings;
  const titles = headings.filter((heading) => {
    const words = wordsOf(heading);
    return words.length >= SHORTEST_TITLE && (title.includes(words) || words.includes(title));
  });
  return titles.length ? titles : headings;
}

const wordsOf = (element: Element) =>
  textContent(element)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

/** Adds an element and all around it below the body. */
function addLine(element: Element, to: Set<Element>): void {
  for (
    let at: Element['parent'] = element;
    at instanceof Element && at.name !== 'body' && !to.has(at);
    at = at.parent
  ) {
    to.add(at);
  }
}

/** How much of the page each word covers; inside an element that has it, it counts no more. Notes the hints. */
function cover(
  body: Element,
  measures: Measures,
  hints: Map<Element, Hint[]>,
  naming: Naming,
  weigh: Survey['weigh'],
): Map<string, number> {
  const coverage = new Map<string, number>();
  const open = new Set<string>();
  const visit = (element: Element, isInCode: boolean) => {
    const opened: string[] = [];
    const measured = measures.get(element);
    if (!measured) return;
    if (element !== body) {
      const all = hintsOf(element, naming);
      // There names are those of the language: a comment is one of its own.
      const own = isInCode ? all.filter(({ part }) => part === 'unseen') : all;
      if (own.length) hints.set(element, own);
      // A page that keeps everything in forms has no forms.
      const words = own.map(({ word }) => word);
      if (element.name === 'form') words.push(FORM);
      for (const word of words) {
        if (open.has(word)) continue;
        open.add(word);
        opened.push(word);
        coverage.set(word, (coverage.get(word) ?? 0) + weigh(measured));
      }
    }
    const isCode = isInCode || CODE.has(element.name);
    for (const child of element.children) if (isTag(child)) visit(child, isCode && TOKENS.has(child.name));
    for (const word of opened) open.delete(word);
  };
  visit(body, false);
  return coverage;
}
