import type { ChildNode, Document, Element } from 'domhandler';
import { listElements } from '../element-list.ts';
import { closest, firstElements, hasAttributes, isHeading, isTag, isText } from '../nodes.ts';
import { documentTitleWords, titleWords } from '../page-title.ts';

/** What the source of a page with such headings has. */
const MAY_HAVE_ROLE = /role\s*=\s*["']?heading/i;
const HAS_TITLE = /<h1[\s>]/i;
/** The class of a title that is no heading, as Doxygen and many manuals write it. */
const TITLE_CLASS = /(^|\s)title(\s|$)/;
/** Elements that may be a heading in all but name. */
const BLOCKS = new Set(['div', 'p', 'section', 'header']);
/** The level of a heading whose level is not given (WAI-ARIA 1.2, heading). */
const DEFAULT_LEVEL = 2;
const MAX_LEVEL = 6;
/** Elements of a heading that are looked at, and the fewest characters of a title. */
const MAX_VISITED = 60;
const MIN_TITLE_LENGTH = 3;

/**
 * Makes headings of what readers see as headings although it has another tag: elements with the role `heading`
 * (WAI-ARIA 1.2), and, on a page without `h1`, the one element of the class `title` that the document's title repeats.
 * @param source the HTML that the page was parsed from
 * @returns the same document
 */
export function markHeadings(page: Document, source: string): Document {
  if (MAY_HAVE_ROLE.test(source)) markRoles(page);
  if (!HAS_TITLE.test(source)) markTitle(page);
  return page;
}

function markRoles(page: Document): void {
  for (const element of listElements(page)) {
    if (!hasAttributes(element)) continue;
    const { role, 'aria-level': level } = element.attribs;
    if (role?.toLowerCase() !== 'heading' || !canBeHeading(element)) continue;
    const number = Math.trunc(Number(level));
    element.name = `h${number >= 1 ? Math.min(number, MAX_LEVEL) : DEFAULT_LEVEL}`;
  }
}

/** Whether an element may become a heading: it is no heading, is not in one, has none, and is a line of its own. */
const canBeHeading = (element: Element): boolean =>
  (BLOCKS.has(element.name) || (element.name === 'span' && isAlone(element))) &&
  !closest(element, isHeading) &&
  !firstElements(element, MAX_VISITED).some(isHeading);

/** Whether an element has neither text nor another element beside it. */
const isAlone = ({ prev, next }: Element): boolean => isBlank(prev, 'prev') && isBlank(next, 'next');

function isBlank(from: ChildNode | null, side: 'prev' | 'next'): boolean {
  for (let at = from; at; at = at[side]) if (isTag(at) || (isText(at) && at.data.trim() !== '')) return false;
  return true;
}

function markTitle(page: Document): void {
  const candidates = listElements(page).filter(
    (element) =>
      hasAttributes(element) && TITLE_CLASS.test(element.attribs.class ?? '') && canBeHeading(element),
  );
  const title = candidates.length ? documentTitleWords(page) : '';
  const repeated = candidates.filter((element) => {
    const words = titleWords(element);
    return words.length >= MIN_TITLE_LENGTH && title.includes(words);
  });
  if (repeated.length === 1) repeated[0]!.name = 'h1';
}
