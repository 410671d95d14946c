import type { Element } from 'domhandler';
import { childrenOf, hasAttributes, isHeading, isParentElement, isTag, isWithin } from '../../nodes.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { findThreshold } from '../pruning/thresholds.ts';
import { isAlike, Outline, PASSAGES } from './outline.ts';
import type { Sign } from './sign.ts';

/** The core is narrowed to a child that has at least this share of the running text. */
const MIN_CORE_SHARE = 0.8;
/** Siblings with at least this share of the running text go on with it. */
const MIN_SIBLING_SHARE = 0.02;
/** If a smaller share of the running text is outside of marked elements, the marks say nothing. */
const MIN_UNMARKED_SHARE = 0.02;
/** Elements that are marked as something beside the text. */
const BESIDE_TEXT = new Set(['nav', 'aside', 'footer', 'form', 'dialog']);
const ROLES_BESIDE_TEXT = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'alertdialog',
  'menu',
]);

/** The part of a page that has its running text. */
export class Core {
  /** The smallest element with most of the running text that has no sign. */
  readonly element: Element;
  /** The length of all text of the page up to the end of the last running text without a sign. */
  readonly #end: number;
  readonly #index: PageIndex;
  readonly #outline: Outline;
  readonly #ancestors = new Set<Element>();

  constructor(
    element: Element,
    { end, index, outline }: { end: number; index: PageIndex; outline: Outline },
  ) {
    this.element = element;
    this.#end = end;
    this.#index = index;
    this.#outline = outline;
    for (let at: Element['parent'] = element.parent; isParentElement(at); at = at.parent)
      this.#ancestors.add(at);
  }

  /** Whether an element is the core or inside of it. */
  contains(element: Element): boolean {
    return isWithin(element, this.element);
  }

  /**
   * The sign of an element's place: outside of the core, or in it after the last running text. One that goes
   * on in the form of the text beside it has none: marked elements do not count when the core is searched, so
   * its mark may be the only reason why it is outside.
   */
  signOf(element: Element): Sign | undefined {
    if (element === this.element || this.#ancestors.has(element)) return undefined;
    const isInside = this.contains(element);
    // In documentation, notes and tips end a section.
    if (isInside && this.#index.type === 'documentation') return undefined;
    if (isInside && (PASSAGES.has(element.name) || !this.#isAfterText(element))) return undefined;
    for (let at: Element['parent'] = element; isParentElement(at) && !this.#isAround(at); at = at.parent)
      if (this.#outline.continues(at, at === element)) return undefined;
    return { kind: 'place', detail: isInside ? 'after the running text' : 'outside of the running text' };
  }

  #isAround(element: Element): boolean {
    return element === this.element || this.#ancestors.has(element);
  }

  #isAfterText(element: Element): boolean {
    return (this.#index.measures.get(element)?.start ?? 0) >= this.#end;
  }
}

/**
 * Finds the core of a page. Text in elements that have a sign is not counted, so that long comments do not
 * move the core away from the text; if nearly all text has one, all of it is counted.
 * @param sections the sections whose headings are those of boilerplate
 * @param teasers the lists of teasers of other articles
 */
export function findCore(
  index: PageIndex,
  sections: ReadonlyMap<Element, string>,
  teasers: ReadonlySet<Element>,
): Core {
  const { body, measures } = index;
  const unmarked = new UnmarkedText(index, (element) => sections.has(element) || teasers.has(element));
  const ofBody = unmarked.count(body);
  const { prose: all = 0, start = 0, length = 0 } = measures.get(body) ?? {};
  const isCounted = ofBody > 0 && ofBody >= MIN_UNMARKED_SHARE * all;
  const textOf = (element: Element) =>
    (isCounted ? unmarked.counts.get(element) : measures.get(element)?.prose) ?? 0;
  const minimum = MIN_CORE_SHARE * textOf(body);
  let core = body;
  for (let next: Element | undefined = core; next && minimum > 0; ) {
    core = next;
    next = childrenOf(core).find(
      (child): child is Element =>
        isTag(child) && !PASSAGES.has(child.name) && !isHeading(child) && textOf(child) >= minimum,
    );
    if (next && belongsToSiblings(next, core, index, textOf, MIN_SIBLING_SHARE * textOf(body))) break;
  }
  return new Core(core, {
    end: isCounted ? unmarked.end : start + length,
    index,
    outline: new Outline(index, sections),
  });
}

/** Whether the text of an element goes on in its siblings, as passages or as elements of the same kind. */
function belongsToSiblings(
  element: Element,
  parent: Element,
  index: PageIndex,
  textOf: (element: Element) => number,
  least: number,
): boolean {
  let text = 0;
  for (const child of childrenOf(parent))
    if (isTag(child) && child !== element && (PASSAGES.has(child.name) || isAlike(child, element, index)))
      text += textOf(child);
  return text >= least && text > 0;
}

/** The running text outside of marked elements. */
class UnmarkedText {
  /** Its length by element, in characters that are not blank. */
  readonly counts = new Map<Element, number>();
  /** The length of all text of the page up to its end. */
  end = 0;
  readonly #index: PageIndex;
  readonly #isBoilerplate: (element: Element) => boolean;

  constructor(index: PageIndex, isBoilerplate: (element: Element) => boolean) {
    this.#index = index;
    this.#isBoilerplate = isBoilerplate;
  }

  /** Counts that of an element. */
  count(element: Element): number {
    const { measures } = this.#index;
    const measured = measures.get(element);
    if (!measured || measured.prose === 0 || this.#isBoilerplate(element) || isMarked(element, this.#index))
      return 0;
    let count = 0;
    let inChildren = 0;
    if (!PASSAGES.has(element.name))
      for (const child of childrenOf(element)) {
        if (!isTag(child)) continue;
        inChildren += measures.get(child)?.prose ?? 0;
        count += this.count(child);
      }
    const own = measured.prose - inChildren;
    if (own > 0)
      this.end = Math.max(
        this.end,
        PASSAGES.has(element.name) || inChildren === 0 ? measured.start + measured.length : measured.start,
      );
    this.counts.set(element, count + own);
    return count + own;
  }
}

function isMarked(element: Element, { contentAncestors, nameHints, type }: PageIndex): boolean {
  if (contentAncestors.has(element) || element.name === 'body') return false;
  return (
    isBesideText(element) || (nameHints.get(element)?.some(({ kind }) => findThreshold(kind, type)) ?? false)
  );
}

/** Whether an element is marked as something beside the text by its tag or role. */
export const isBesideText = (element: Element): boolean =>
  BESIDE_TEXT.has(element.name) ||
  (hasAttributes(element) && ROLES_BESIDE_TEXT.has(element.attribs.role ?? ''));
