import type { Element } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { isParentElement, isTag, isText } from '../../nodes.ts';
import type { Measures } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import { isAuthorName, isNamedAuthor, isProfileLink, MAX_NAME_LENGTH } from './author-names.ts';
import { DATE, MAX_DATE_LENGTH, OTHER_DATE } from './post-dates.ts';

/** Elements that follow at a higher level than this belong to the thread, not to the post. */
const MAX_LEVELS_BELOW_POST = 3;
/** The elements with the author and the date of each post, where the page has them. */
export function findPostAuthors(posts: Element[], index: PageIndex): Element[] {
  const counts = new Map<Element, number>();
  for (const post of posts) {
    for (let at: Element | undefined = post; at; at = parentOf(at)) {
      const before = counts.get(at) ?? 0;
      // Only the difference between one and several matters, and every ancestor has at least as many.
      if (before > 1) break;
      counts.set(at, before + 1);
    }
  }
  return posts.flatMap((post) => findPostAuthor(post, counts, index));
}

const parentOf = ({ parent }: Element) => (isParentElement(parent) ? parent : undefined);

/** Searches above the post and then below it, up to the nearest other post. */
function findPostAuthor(post: Element, counts: Map<Element, number>, { measures }: PageIndex): Element[] {
  let name: Element | undefined;
  let date: Element | undefined;
  const look = (element: Element, mayDate = true) => {
    const length = measures.get(element)?.length ?? 0;
    if (length === 0 || (name && date)) return;
    const text = length <= MAX_DATE_LENGTH ? textContent(element) : '';
    const isDated = mayDate && !OTHER_DATE.test(text);
    if (isDated && DATE.test(text) && isNamedAuthor(element)) name ??= date ??= element;
    else if (isDated && !date && isDate(element, text)) date = element;
    else if (!name && length > 1 && length <= MAX_NAME_LENGTH && isAuthorName(element))
      name = findBareName(element, measures);
    else for (const child of element.children) if (isTag(child)) look(child, isDated);
  };
  let place = post;
  for (let at = parentOf(post); at; place = at, at = parentOf(at)) {
    for (const sibling of siblingsUntilPost(place, 'prev', counts)) look(sibling);
    if ((counts.get(at) ?? 0) > 1) break;
  }
  place = post;
  for (let level = 1; level <= MAX_LEVELS_BELOW_POST; level++) {
    const parent = parentOf(place);
    if (!parent || (counts.get(parent) ?? 0) > 1) break;
    for (const sibling of siblingsUntilPost(place, 'next', counts)) look(sibling);
    place = parent;
  }
  return [name, date].filter((one) => one !== undefined);
}

/** The siblings before or after an element, in document order, up to the nearest other post. */
function siblingsUntilPost(
  element: Element,
  direction: 'prev' | 'next',
  counts: Map<Element, number>,
): Element[] {
  const found: Element[] = [];
  for (let at = element[direction]; at; at = at[direction]) {
    if (!isTag(at)) continue;
    if (counts.has(at)) break;
    found.push(at);
  }
  return direction === 'prev' ? found.reverse() : found;
}

function isDate({ name, children }: Element, text: string): boolean {
  const isWritten = children.some((child) => isText(child) && /\w/.test(child.data));
  // A `time` with several children repeats the date in other words.
  if (name === 'time') return text !== '' && children.filter(isTag).length < 2;
  return isWritten && !/^h\d$/.test(name) && DATE.test(text);
}

/** The link or microdata element inside that contains only the name, without rank or badge. */
function findBareName(element: Element, measures: Measures): Element {
  const bare = findAll((one) => isProfileLink(one) || one.attribs.itemprop === 'name', element.children).find(
    (one) => (measures.get(one)?.length ?? 0) > 1,
  );
  return bare ?? element;
}
