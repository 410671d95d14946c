import type { Element } from 'domhandler';
import { isHeading, isParentElement, isTag } from '../nodes.ts';
import { textOf } from '../text.ts';
import { BESIDE_ROOT } from './content-root.ts';
import { isParagraph } from './evidence/outline.ts';
import { findWords } from './evidence/shapes.ts';
import type { Sign } from './evidence/sign.ts';
import type { BoilerplateKind } from './page-index/name-hints.ts';
import type { PageIndex } from './page-index/page-index.ts';
import type { FilteredPage, Stage } from './stage.ts';

/** The length of an introduction, in characters that are not blank, and its largest share of links. */
const MIN_LENGTH = 60;
const MAX_LENGTH = 600;
const MAX_LINKED_SHARE = 0.2;
/** An element with more running text, in characters that are not blank, is more than the head of an article. */
const MAX_PROSE_AROUND = 1_000;
/** The longest text between the title and the introduction, such as the author and the date. */
const MAX_DISTANCE = 800;
/** The end of a sentence, which captions and labels hardly have. */
const SENTENCE = /[.!?…。！？؟।]["'”“’»）)\]]*\s*$/;
/** Elements that hold no introduction. */
const WITHOUT_INTRODUCTION = new Set([
  'aside',
  'nav',
  'footer',
  'form',
  'figure',
  'figcaption',
  'button',
  'li',
  'table',
]);
/** Names of elements that may hold an introduction: it is often called a teaser, and stands in a header. */
const HARMLESS = new Set<BoilerplateKind>(['banner', 'promotion', 'related', 'legal']);

const BESIDE_INTRODUCTION: Sign = { kind: 'place', detail: 'beside the introduction' };

/**
 * Brings the introduction of an article back: a few sentences between the title and the text that stand in another element
 * than the text, such as the head of the page.
 */
export const introductionStage: Stage = {
  name: 'keep introduction',
  types: ['article'],
  run(page) {
    const { index, pruned, root } = page;
    const { dropped } = pruned;
    const from = endOfTitle(page);
    const until = index.measures.get(root)?.start;
    if (from === undefined || until === undefined) return;
    for (const [element, signs] of [...dropped.entries()]) {
      const { start = 0, length = 0, prose = 0 } = index.measures.get(element) ?? {};
      if (signs[0] !== BESIDE_ROOT || start < from || start + length > until) continue;
      if (length < MIN_LENGTH || prose > MAX_PROSE_AROUND || start - from > MAX_DISTANCE) continue;
      const found = findIntroduction(element, index);
      if (!found || (index.measures.get(found)?.start ?? 0) - from > MAX_DISTANCE) continue;
      dropped.restore(element);
      for (let at = found; at !== element && isParentElement(at.parent); at = at.parent)
        for (const sibling of at.parent.children)
          if (isTag(sibling) && sibling !== at) dropped.drop(sibling, BESIDE_INTRODUCTION);
    }
  },
};

/**
 * Where the title ends that precedes the text, in characters of the page; where the element around the text begins, if the page has
 * none. `undefined` if the title is in the text.
 */
function endOfTitle({ index: { titled, measures }, root }: FilteredPage): number | undefined {
  if (titled.has(root)) return undefined;
  const titles = [...titled].filter(isHeading);
  if (titles.length === 0) return isParentElement(root.parent) ? measures.get(root.parent)?.start : undefined;
  return titles.reduce((end, title) => Math.max(end, endOf(title, measures)), 0);
}

const endOf = (element: Element, measures: PageIndex['measures']) => {
  const { start = 0, length = 0 } = measures.get(element) ?? {};
  return start + length;
};

/** The first paragraph in an element that is an introduction. */
function findIntroduction(element: Element, index: PageIndex): Element | undefined {
  const { length = 0 } = index.measures.get(element) ?? {};
  if (length < MIN_LENGTH || WITHOUT_INTRODUCTION.has(element.name)) return undefined;
  if (index.nameHints.get(element)?.some(({ kind }) => !HARMLESS.has(kind))) return undefined;
  if (isParagraph(element)) return isIntroduction(element, index) ? element : undefined;
  for (const child of element.children) {
    const found = isTag(child) ? findIntroduction(child, index) : undefined;
    if (found) return found;
  }
  return undefined;
}

function isIntroduction(element: Element, { measures }: PageIndex): boolean {
  const { length = 0, linked = 0 } = measures.get(element) ?? {};
  return (
    length <= MAX_LENGTH &&
    linked <= MAX_LINKED_SHARE * length &&
    SENTENCE.test(textOf(element, 2 * MAX_LENGTH).trimEnd()) &&
    !findWords(element)
  );
}
