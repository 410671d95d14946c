import type { Element } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { isParentElement, isTag, isText } from '../../nodes.ts';
import type { Measures } from '../page-index/element-measures.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** Longer texts are neither names nor dates. Characters that are not blank. */
const MAX_NAME_LENGTH = 40;
const MAX_DATE_LENGTH = 60;
/** Elements that follow at a higher level than this belong to the thread, not to the post. */
const MAX_LEVELS_BELOW_POST = 3;
/** Classes of a post's author, including compound ones such as `MessageCard__user-info__name`. */
const AUTHOR_CLASS =
  /(^|[\s_-])((user|author|member|poster|nick|screen|display|profile|message)([-_]?info)?[-_]{0,2}name|author|username\S*|poster|creator|nick)(?=\s|$)|(^|\s)(hn)?user(?=\s|$)/i;
/** URLs of user profiles. */
const PROFILE_URL =
  /\/(u|users?|members?|profile|people|author)\/|member(list)?\.php|action=profile|\/user(\?|-\d)|\/~\w/i;
/** Absolute dates, and relative ones such as `2 days ago`. */
const DATE = new RegExp(
  [
    '\\b\\d{4}[-./]\\d{1,2}[-./]\\d{1,2}\\b|\\b\\d{1,2}[-./]\\d{1,2}[-./](\\d\\d){1,2}\\b',
    '\\b\\p{L}{3,}\\.? \\d{1,2}(st|nd|rd|th)?,? \\d{4}\\b|\\b\\d{1,2}\\.? \\p{L}{3,}\\.?,? \\d{4}\\b',
    '\\b\\d+\\s?(sec|min|h|hour|d|day|w|week|mo|month|y|year)\\w* ago\\b|\\b(yesterday|today)\\b',
  ].join('|'),
  'iu',
);
/** Words that mark the date of something other than the post. */
const OTHER_DATE = /join|edited|modified|registered|member since|updated|active/i;

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
    if (isDated && DATE.test(text) && AUTHOR_CLASS.test(element.attribs.class ?? ''))
      name ??= date ??= element;
    else if (isDated && !date && isDate(element, text)) date = element;
    else if (!name && length > 1 && length <= MAX_NAME_LENGTH && isName(element))
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

function isName({ name, attribs, children }: Element): boolean {
  return (
    attribs.itemprop === 'author' ||
    attribs.rel === 'author' ||
    AUTHOR_CLASS.test(attribs.class ?? '') ||
    (name === 'a' && PROFILE_URL.test(attribs.href ?? '') && !findAll(isAvatar, children).length)
  );
}

const isAvatar = ({ name, attribs }: Element) => name === 'img' || /avatar/i.test(attribs.class ?? '');

/** The link or microdata element inside that contains only the name, without rank or badge. */
function findBareName(element: Element, measures: Measures): Element {
  const bare = findAll(
    ({ name, attribs }) =>
      (name === 'a' && PROFILE_URL.test(attribs.href ?? '')) || attribs.itemprop === 'name',
    element.children,
  ).find((one) => (measures.get(one)?.length ?? 0) > 1);
  return bare ?? element;
}
