import { type Element, isTag } from 'domhandler';
import type { PageIndex as Survey } from './page-index.ts';
import type { PageType } from './page-type.ts';

/** Types whose text is complete without the title (decision 0025). */
const WITHOUT_TITLE: PageType[] = ['article', 'forum'];

/**
 * Whether an element that is a part of the page by its tag introduces the content: a `header` with the page's title.
 * A heading that is a link as a whole is the name of the site.
 */
export function introduces(element: Element, { type, titled, measures }: Survey): boolean {
  if (element.name !== 'header' || !titled.has(element) || WITHOUT_TITLE.includes(type)) return false;
  const { length = 0, linked = 0 } = measures.get(titleIn(element, titled)) ?? {};
  return linked < length;
}

/** The heading that makes an element one of those that hold the title. */
function titleIn(element: Element, titled: Survey['titled']): Element {
  let at = element;
  for (;;) {
    const next = at.children.find((child) => isTag(child) && titled.has(child));
    if (!next || !isTag(next)) return at;
    at = next;
  }
}

/**
 * Drops an element, but for the page's title and the paragraphs that come after it in the same element. Those of an
 * article are dropped with it: its text is complete without.
 * @param isIntroduced whether the title has come before
 * @returns whether the title has come before what follows the element
 */
export function dropBesideTitle(
  element: Element,
  survey: Survey,
  dropped: Set<Element>,
  isIntroduced = false,
): boolean {
  const { titled, type, measures } = survey;
  if (!titled.has(element) || type === 'article') {
    if (!(isIntroduced && isLead(element, measures))) dropped.add(element);
    return isIntroduced;
  }
  if (element.name === 'h1') return true;
  let isAfter = isIntroduced;
  for (const child of element.children)
    if (isTag(child)) isAfter = dropBesideTitle(child, survey, dropped, isAfter);
  return isAfter;
}

/** Whether an element is a paragraph, however short, or has nothing but paragraphs. */
function isLead(element: Element, measures: Survey['measures']): boolean {
  const { length = 0, prose = 0 } = measures.get(element) ?? {};
  if (element.name === 'p' || prose > 0) return true;
  const paragraphs = element.children.filter(isTag).filter(({ name }) => name === 'p');
  return length > 0 && paragraphs.reduce((sum, one) => sum + (measures.get(one)?.length ?? 0), 0) === length;
}
