import type { Element } from 'domhandler';
import { isTag } from '../../nodes.ts';
import type { Decisions, Sign } from '../evidence/sign.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PageType } from '../page-type/page-type.ts';

/** Page types whose main content does not include the title (decision 0025). */
const WITHOUT_TITLE: PageType[] = ['article', 'forum'];

/**
 * Whether an element is a `header` with the title of the page, which belongs to the content. A heading whose
 * whole text is a link does not count as the title, because it is usually the name of the site.
 */
export function introduces(element: Element, { type, titled, measures }: PageIndex): boolean {
  if (element.name !== 'header' || !titled.has(element) || WITHOUT_TITLE.includes(type)) return false;
  const { length = 0, linked = 0 } = measures.get(titleIn(element, titled)) ?? {};
  return linked < length;
}

/** The heading with the title inside an element that contains the title. */
function titleIn(element: Element, titled: PageIndex['titled']): Element {
  let at = element;
  for (;;) {
    const next = at.children.find((child) => isTag(child) && titled.has(child));
    if (!next || !isTag(next)) return at;
    at = next;
  }
}

/**
 * Drops an element, but keeps the page's title and the paragraphs after it in the same element. For an
 * article, the whole element is dropped, because the text of an article does not include its title.
 * @param signs why it is dropped
 * @param isIntroduced whether the title precedes the element
 * @returns whether the title precedes everything after the element
 */
export function dropBesideTitle(
  element: Element,
  index: PageIndex,
  dropped: Decisions,
  signs: readonly Sign[],
  isIntroduced = false,
): boolean {
  const { titled, type, measures } = index;
  if (!titled.has(element) || type === 'article') {
    if (!(isIntroduced && isLead(element, measures))) dropped.drop(element, ...signs);
    return isIntroduced;
  }
  if (element.name === 'h1') return true;
  let isAfter = isIntroduced;
  for (const child of element.children)
    if (isTag(child)) isAfter = dropBesideTitle(child, index, dropped, signs, isAfter);
  return isAfter;
}

/** Whether an element is a paragraph of any length, contains prose, or consists only of paragraphs. */
function isLead(element: Element, measures: PageIndex['measures']): boolean {
  const { length = 0, prose = 0 } = measures.get(element) ?? {};
  if (element.name === 'p' || prose > 0) return true;
  const paragraphs = element.children.filter(isTag).filter(({ name }) => name === 'p');
  return length > 0 && paragraphs.reduce((sum, one) => sum + (measures.get(one)?.length ?? 0), 0) === length;
}
