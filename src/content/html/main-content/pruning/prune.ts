import type { Element } from 'domhandler';
import { nextElementSibling, prevElementSibling } from 'domutils';
import { childrenOf, isHeading, isParentElement, isTag } from '../../nodes.ts';
import { type Core, findCore } from '../evidence/core.ts';
import { judge } from '../evidence/judge.ts';
import { findShape } from '../evidence/shapes.ts';
import { Decisions, type Sign } from '../evidence/sign.ts';
import { ElementMap } from '../page-index/element-map.ts';
import { addMeasure, type ElementMeasure, type Measure } from '../page-index/element-measures.ts';
import { isMainElement, type PageIndex } from '../page-index/page-index.ts';
import { PAGE_TYPES } from '../page-type/page-type.ts';
import type { PrunedPage, Stage } from '../stage.ts';
import { findSigns, isLinkList } from './boilerplate.ts';
import { findBoilerplateSections } from './boilerplate-sections.ts';
import { isCaption } from './captions.ts';
import { findTeaserLists, TEASERS } from './teaser-lists.ts';
import { dropBesideTitle, introduces } from './titles.ts';

/** The number of elements without text before a block that are skipped. */
const MAX_EMPTY_SIBLINGS = 20;

/** Drops the boilerplate of a page that tags, roles, names and headings identify. */
export const pruningStage: Stage = {
  name: 'prune boilerplate',
  types: PAGE_TYPES,
  run(page) {
    page.pruned = prune(page.index);
  },
};

function prune(index: PageIndex): PrunedPage {
  const pruning = new Pruning(index);
  pruning.visit(index.body, false);
  pruning.keepHeadings();
  const { dropped, remaining, linkListLength, core } = pruning;
  return { dropped, remaining, linkListLength, core };
}

/**
 * The decision about an element. One that is kept but not weighed does not influence the search for the
 * content root.
 */
type Fate = 'dropped' | 'weighed' | 'unweighed';

/** The pass over a page that drops its boilerplate. */
class Pruning implements PrunedPage {
  readonly dropped = new Decisions();
  readonly remaining: ElementMap<Measure>;
  linkListLength = 0;
  readonly #index: PageIndex;
  readonly #sections: ReadonlyMap<Element, string>;
  readonly #teasers: ReadonlySet<Element>;
  readonly core: Core;

  constructor(index: PageIndex) {
    this.remaining = new ElementMap(index.document);
    this.#index = index;
    this.#sections = findBoilerplateSections(index);
    this.#teasers = findTeaserLists(index);
    this.core = findCore(index, this.#sections, this.#teasers);
  }

  /**
   * Visits an element and those in it.
   * @param isInMain whether it is inside an element that is marked as content
   * @returns the measure of what remains of it; `undefined` if it is dropped or not weighed
   */
  visit(element: Element, isInMain: boolean): Measure | undefined {
    const { measures, body } = this.#index;
    const measured = measures.get(element);
    if (!measured) return undefined;
    const fate = element === body ? 'weighed' : this.#decide(element, measured, isInMain);
    if (fate === 'dropped') return undefined;
    // Most elements keep all of their content, and then the measure of what remains is the one that they
    // have.
    let rest: Measure = measured;
    this.remaining.set(element, rest);
    const isInside = isInMain || isContentElement(element);
    for (const child of childrenOf(element)) {
      const before = isTag(child) ? measures.get(child) : undefined;
      if (!isTag(child) || !before) continue;
      const after = this.visit(child, isInside);
      if (after === before) continue;
      if (rest === measured) {
        rest = { ...measured };
        this.remaining.set(element, rest);
      }
      addMeasure(rest, before, -1);
      if (after) addMeasure(rest, after, 1);
    }
    return fate === 'weighed' ? rest : undefined;
  }

  /** Brings the headings back whose sections stay. */
  keepHeadings(): void {
    for (const heading of this.#sections.keys()) {
      if (!isHeading(heading) || !this.dropped.has(heading)) continue;
      const next = nextElementSibling(heading);
      if (next && this.#sections.has(next) && (this.remaining.get(next)?.prose ?? 0) > 0)
        this.dropped.restore(heading);
    }
  }

  /** Whether links stand in the running text of the page: a section of it, or right after a passage or a heading. */
  #isInFlow(element: Element, measured: ElementMeasure): boolean {
    const { type, measures } = this.#index;
    if (type === 'forum' || !this.core.contains(element) || this.core.signOf(element)) return false;
    if (element.name === 'section') return !hasTeasers(measured) && !findShape(element, measured);
    // Between the paragraphs of an article, these are boxes with links to others.
    if (element.name === 'div' && type === 'article') return false;
    let before = prevElementSibling(listOf(element));
    for (let looked = 0; before && !measures.get(before)?.length; looked++)
      before = looked < MAX_EMPTY_SIBLINGS ? prevElementSibling(before) : null;
    return before !== null && (isHeading(before) || BEFORE_LINKS.has(before.name));
  }

  #decide(element: Element, measured: ElementMeasure, isInMain: boolean): Fate {
    const index = this.#index;
    if (this.dropped.has(element)) return 'dropped';
    if (this.#teasers.has(element)) {
      this.dropped.drop(element, ...TEASERS);
      return 'dropped';
    }
    const heading = this.#sections.get(element);
    const own = findSigns(element, measured, isInMain, index);
    const signs =
      heading === undefined
        ? own
        : [
            ...own.filter((sign) => !isIdOf(heading, sign, element)),
            { kind: 'heading' as const, detail: heading },
          ];
    if (signs.length === 0 && isLinkList(element, measured, index) && !this.#isInFlow(element, measured)) {
      this.linkListLength += measured.length;
      this.dropped.drop(element, { kind: 'links', detail: 'list of links' });
      return 'dropped';
    }
    const evidence = judge(element, measured, signs, {
      share: measured.prose / (index.measures.get(index.body)?.prose || 1),
      core: this.core,
    });
    // Titles and captions are kept, but not weighed.
    if (signs.length && heading === undefined && introduces(element, index)) {
      dropBesideTitle(element, index, this.dropped, signs);
      return 'unweighed';
    }
    if (evidence.length) {
      this.dropped.drop(element, ...evidence);
      return 'dropped';
    }
    return isCaption(element, measured, index) ? 'unweighed' : 'weighed';
  }
}

/** Whether a sign is a word of an id that was made of the heading, and so says nothing that the heading does not. */
const isIdOf = (heading: string, { kind, detail }: Sign, { attribs }: Element) =>
  kind === 'name' &&
  heading.toLowerCase().includes(detail) &&
  !attribs.class?.toLowerCase().includes(detail) &&
  attribs.id !== undefined;

/** The outermost list with an element in its items; the element itself if it is in none. */
function listOf(element: Element): Element {
  let list = element;
  for (let at = element.parent; isParentElement(at) && LISTS.has(at.name); at = at.parent) list = at;
  return list;
}
const LISTS = new Set(['li', 'ul', 'ol']);

/** Elements after which links go on with the text. */
const BEFORE_LINKS = new Set(['p', 'pre', 'ul', 'ol']);

/** Whether the links of a section have pictures in place of headings of their own, as teasers of other pages do. */
const hasTeasers = ({ pictures, headings }: Measure) => pictures >= MIN_TEASERS && headings < MIN_TEASERS;
const MIN_TEASERS = 2;

/** Whether an element is marked as content. */
export const isContentElement = (element: Element) => isMainElement(element) || element.name === 'article';
