import { type Element, isTag, isText } from 'domhandler';
import { findAll, textContent } from 'domutils';
import type { Measures } from './measure.ts';
import type { Survey } from './survey.ts';

/** Longer texts are no names and no dates. Characters that are not blanks. */
const LONGEST_NAME = 40;
const LONGEST_DATE = 60;
/** What follows a post further away belongs to the thread. */
const FARTHEST_BELOW = 3;
/** Classes of who wrote a post, as they follow each other in "MessageCard__user-info__name". */
const NAME =
  /(^|[\s_-])((user|author|member|poster|nick|screen|display|profile|message)([-_]?info)?[-_]{0,2}name|author|username\S*|poster|creator|nick)(?=\s|$)|(^|\s)(hn)?user(?=\s|$)/i;
/** Where links to who wrote a post lead. */
const PROFILE =
  /\/(u|users?|members?|profile|people|author)\/|member(list)?\.php|action=profile|\/user(\?|-\d)|\/~\w/i;
/** What dates look like, also as so long ago. */
const DATE = new RegExp(
  [
    '\\b\\d{4}[-./]\\d{1,2}[-./]\\d{1,2}\\b|\\b\\d{1,2}[-./]\\d{1,2}[-./](\\d\\d){1,2}\\b',
    '\\b\\p{L}{3,}\\.? \\d{1,2}(st|nd|rd|th)?,? \\d{4}\\b|\\b\\d{1,2}\\.? \\p{L}{3,}\\.?,? \\d{4}\\b',
    '\\b\\d+\\s?(sec|min|h|hour|d|day|w|week|mo|month|y|year)\\w* ago\\b|\\b(yesterday|today)\\b',
  ].join('|'),
  'iu',
);
/** Dates of something else than the post. */
const OTHER_DATE = /join|edited|modified|registered|member since|updated|active/i;

/** The elements that say who wrote each of these posts, and when, as far as the page says it. */
export function postersOf(posts: Element[], survey: Survey): Element[] {
  const counts = new Map<Element, number>();
  for (const post of posts) {
    for (let at: Element | undefined = post; at; at = parentOf(at)) {
      const before = counts.get(at) ?? 0;
      // More than one is all that has to be known, and all around it has as many.
      if (before > 1) break;
      counts.set(at, before + 1);
    }
  }
  return posts.flatMap((post) => posterOf(post, counts, survey));
}

const parentOf = ({ parent }: Element) => (parent && isTag(parent) ? parent : undefined);

/** Looks above the post and then below it, no further than where other posts are. */
function posterOf(post: Element, counts: Map<Element, number>, { measures }: Survey): Element[] {
  let name: Element | undefined;
  let date: Element | undefined;
  const look = (element: Element, mayDate = true) => {
    const length = measures.get(element)?.length ?? 0;
    if (length === 0 || (name && date)) return;
    const text = length <= LONGEST_DATE ? textContent(element) : '';
    const isDated = mayDate && !OTHER_DATE.test(text);
    if (isDated && DATE.test(text) && NAME.test(element.attribs.class ?? '')) name ??= date ??= element;
    else if (isDated && !date && isDate(element, text)) date = element;
    else if (!name && length > 1 && length <= LONGEST_NAME && isName(element))
      name = bareName(element, measures);
    else for (const child of element.children) if (isTag(child)) look(child, isDated);
  };
  let place = post;
  for (let at = parentOf(post); at; place = at, at = parentOf(at)) {
    for (const sibling of besides(place, 'prev', counts)) look(sibling);
    if ((counts.get(at) ?? 0) > 1) break;
  }
  place = post;
  for (let level = 1; level <= FARTHEST_BELOW; level++) {
    const parent = parentOf(place);
    if (!parent || (counts.get(parent) ?? 0) > 1) break;
    for (const sibling of besides(place, 'next', counts)) look(sibling);
    place = parent;
  }
  return [name, date].filter((one) => one !== undefined);
}

/** The elements before or after one, in document order, up to where other posts are. */
function besides(element: Element, direction: 'prev' | 'next', counts: Map<Element, number>): Element[] {
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
  // One with several parts says it again in other words.
  if (name === 'time') return text !== '' && children.filter(isTag).length < 2;
  return isWritten && !/^h\d$/.test(name) && DATE.test(text);
}

function isName({ name, attribs, children }: Element): boolean {
  return (
    attribs.itemprop === 'author' ||
    attribs.rel === 'author' ||
    NAME.test(attribs.class ?? '') ||
    (name === 'a' && PROFILE.test(attribs.href ?? '') && !findAll(isAvatar, children).length)
  );
}

const isAvatar = ({ name, attribs }: Element) => name === 'img' || /avatar/i.test(attribs.class ?? '');

/** The link or the microdata inside an element that has the name alone, without rank or badge. */
function bareName(element: Element, measures: Measures): Element {
  const bare = findAll(
    ({ name, attribs }) => (name === 'a' && PROFILE.test(attribs.href ?? '')) || attribs.itemprop === 'name',
    element.children,
  ).find((one) => (measures.get(one)?.length ?? 0) > 1);
  return bare ?? element;
}
